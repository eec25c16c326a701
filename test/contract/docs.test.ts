// The reference pages, the document on the wire, and what a lost caller is told.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { BASE_PATH } from '../../src/http/server.js';
import { encodingOf } from '../../src/http/static-text.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const { statusCode: status, headers: answered, body } = await request(service.url + path, { headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status, headers: answered, bytes, text: bytes.toString('utf8') };
};

describe('/openapi.json', () => {
  test('is compressed with brotli or gzip for whoever takes it, and is the same', async () => {
    const plain = await get('/openapi.json');
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await get('/openapi.json', { 'accept-encoding': encoding });
      assert.equal(packed.headers['content-encoding'], encoding);
      assert.ok(packed.bytes.length < plain.bytes.length / 5, `${encoding}: ${packed.bytes.length} of ${plain.bytes.length} bytes`);
      assert.equal(decode(packed.bytes).toString('utf8'), plain.text);
    }
    assert.equal(plain.headers['vary'], 'accept-encoding');
  });

  test('is not sent again to whoever has it', async () => {
    const first = await get('/openapi.json');
    const tag = String(first.headers['etag']);
    assert.match(tag, /^W\/"[\w-]{22}"$/);
    const again = await get('/openapi.json', { 'if-none-match': `"other", ${tag}` });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    assert.equal((await get('/openapi.json', { 'if-none-match': '"other"' })).status, 200);
  });

  test('an encoding with weight 0 is refused by the caller', () => {
    assert.equal(encodingOf('br;q=0, gzip;q=0.5'), 'gzip');
    assert.equal(encodingOf('gzip;q=0'), undefined);
    assert.equal(encodingOf('deflate, br'), 'br');
    assert.equal(encodingOf(undefined), undefined);
  });
});

describe('/docs', () => {
  test('every page that a page links to is there, small, and loads nothing but its style', async () => {
    const waiting = ['/docs'];
    const seen = new Set(waiting);
    let pages = 0;
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const { status, headers, text, bytes } = await get(path, { 'accept-encoding': 'br' });
      assert.equal(status, 200, path);
      pages += 1;
      assert.ok(bytes.length < (path === '/openapi.json' ? 250_000 : 50_000), `${path}: ${bytes.length} bytes on the wire`);
      const html = headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes).toString('utf8') : text;
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      assert.match(String(headers['content-security-policy']), /default-src 'none'; style-src 'self'/);
      assert.doesNotMatch(html, /<script|\sstyle="|\son\w+="/);
      for (const [, href = ''] of html.matchAll(/(?:href|src|action)="([^"]+)"/g)) {
        const [target = '', anchor] = href.split('#');
        if (target === '' && anchor !== undefined) assert.ok(html.includes(`id="${anchor}"`), `${path} has ${href}`);
        // Links to the world are for people to follow; the page itself needs none.
        if (!target.startsWith('/') || seen.has(target)) continue;
        seen.add(target);
        waiting.push(target);
      }
    }
    assert.ok(pages > 300, `${pages} pages`);
  });

  test('every operation has its place, with its example and its errors', async () => {
    const paths = service.contract.document['paths'] as Record<string, Record<string, { operationId: string; tags: string[] }>>;
    for (const op of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const slug = (op.tags[0] ?? '').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      assert.ok((await get(`/docs/${slug}`)).text.includes(`<section id="${op.operationId}">`), op.operationId);
    }
    const { text } = await get('/docs/cards');
    assert.match(text, /curl &quot;\$SWITCHYARD_URL\/cards&quot;/);
    assert.match(text, /CARD_LIMIT_REACHED/);
  });

  test('search finds operations, fields and errors, and shows what it was asked safely', async () => {
    assert.match((await get('/docs/search?q=freeze%20clock')).text, /#updateSandboxClock/);
    assert.match((await get('/docs/search?q=maxSpendPerDay')).text, /schemas\/Card"/);
    assert.match((await get('/docs/search?q=CARD_LIMIT_REACHED')).text, /errors#CARD_LIMIT_REACHED/);
    const hostile = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    assert.equal(hostile.status, 200);
    assert.doesNotMatch(hostile.text, /<script>/);
    assert.match((await get('/docs/search')).text, /Nothing found/);
  });

  test('pages that are not there are 404, whatever is asked for', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/schemas/__proto__',
      '/docs/schemas/constructor',
      '/docs/guides/..%2F..%2Fpackage',
      '/docs/guides/none.md',
    ])
      assert.equal((await get(path)).status, 404, path);
  });
});

describe('for assistants', () => {
  test('/llms.txt lists Markdown of the reference and the guides, and each of them is there', async () => {
    const index = await get('/llms.txt');
    assert.match(String(index.headers['content-type']), /^text\/plain/);
    const links = [...index.text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, href = '']) => href);
    assert.ok(links.length > 20);
    for (const href of links) {
      const { status, headers, text } = await get(href);
      assert.equal(status, 200, href);
      assert.match(String(headers['content-type']), /^(text\/markdown|application\/json)/, href);
      assert.ok(text.length > 200, href);
    }
    assert.match((await get('/docs/cards.md')).text, /## POST \/cards\n[\s\S]*Errors: /);
  });
});

describe('a lost caller', () => {
  test('GET / leads a browser to the console and a program to the reference', async () => {
    for (const [accept, target] of [
      ['text/html,application/xhtml+xml,*/*;q=0.8', '/console'],
      ['*/*', '/docs'],
      ['application/json', '/docs'],
    ] as const) {
      const { status, headers } = await get('/', { accept });
      assert.deepEqual([status, headers['location'], headers['vary']], [303, target, 'accept'], accept);
    }
  });

  test('404 names the requests whose path is nearby', async () => {
    const near = async (path: string) => JSON.parse((await get(path)).text).details?.nearby;
    assert.deepEqual((await near(`${BASE_PATH}/custmers`))?.slice(0, 2), [`GET ${BASE_PATH}/customers`, `POST ${BASE_PATH}/customers`]);
    assert.ok((await near('/customers')).includes(`GET ${BASE_PATH}/customers`), 'without the version');
    assert.ok((await near(`${BASE_PATH}/card/Card:1`)).includes(`GET ${BASE_PATH}/cards/{id}`));
    assert.equal(await near(`${BASE_PATH}/something/quite/different/from/all`), undefined);
  });

  test('405 names the methods that the path takes', async () => {
    const answer = await service.platform.request('PUT', '/customers');
    assert.equal(answer.status, 405);
    assert.deepEqual(answer.body.details, { allowed: ['GET', 'POST'] });
    assert.equal(answer.headers.get('allow'), 'GET, POST');
  });
});
