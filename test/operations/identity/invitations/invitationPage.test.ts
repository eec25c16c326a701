// The public page of an invitation: GET /i/{code}, without credential.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { cancel, claim, givenInvitation } from '../../../support/invitations.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const visit = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, html: await response.text() };
};

test('an open invitation tells the first name, the amount, the code and that it is open', async () => {
  const { url, code, inviterUma } = await givenInvitation(service.platform, { firstName: 'Grace', amountToSend: 1250 });
  const { status, headers, html } = await visit(url);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(headers.get('cache-control'), 'no-store');
  for (const text of ['Grace, you are invited', '12.50 USD', code, inviterUma, 'The invitation is open.'])
    assert.ok(html.includes(text), text);
  assert.match(html, /^<!doctype html>\n<html lang="en">/);
  assert.match(html, /<title>[^<]+<\/title>/);
  assert.match(html, /<main><h1>/);
});

test('the page has no script, loads nothing and may not be framed', async () => {
  const { headers, html } = await visit((await givenInvitation(service.platform)).url);
  assert.doesNotMatch(html, /<script|<img|<link|javascript:|\son\w+=/i);
  const policy = headers.get('content-security-policy') ?? '';
  const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
  assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`), policy);
  for (const part of ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(part), part);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

test('claimed, cancelled and expired invitations say so and show no code', async () => {
  const claimed = await givenInvitation(service.platform);
  await expectStatus(200, claim(service.platform, claimed.code, (await given(service.platform).customer()).umaAddress));
  const cancelled = await givenInvitation(service.platform);
  await expectStatus(200, cancel(service.platform, cancelled.code));
  const now = await service.platform.clock.freeze();
  const expired = await givenInvitation(service.platform, { expiresAt: new Date(now.getTime() + 1).toISOString() });
  await service.platform.clock.advance(1);
  for (const [{ url, code }, text] of [
    [claimed, 'The invitation was claimed.'],
    [cancelled, 'The invitation was cancelled.'],
    [expired, 'The invitation has expired.'],
  ] as const) {
    const { status, html } = await visit(url);
    assert.equal(status, 200);
    assert.ok(html.includes(text), text);
    assert.ok(!html.includes(code));
  }
  await service.platform.clock.resume();
});

test('text of the caller is escaped', async () => {
  const { url } = await givenInvitation(service.platform, { firstName: `<img src=x onerror="alert('1')">&` });
  const { html } = await visit(url);
  assert.doesNotMatch(html, /<img/);
  assert.ok(html.includes('&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;'));
});

test('404 for a code that is unknown or malformed, also as a page', async () => {
  for (const code of ['222222222222', 'x', '%3Cscript%3E', '%00']) {
    const { status, headers, html } = await visit(`${service.url}/i/${code}`);
    assert.equal(status, 404);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.ok(html.includes('There is no such invitation'));
    assert.doesNotMatch(html, /<script/);
  }
});

test('other methods are 405, and the page is not part of the API document', async () => {
  const { url } = await givenInvitation(service.platform);
  assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
  assert.equal('/i/{code}' in document.paths, false);
});
