// The architecture as a test: who may import whom, where the time may be read, which folder names the driver and the framework.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MODULES } from '../src/app.js';
import { projectRoot } from '../src/root.js';

type Source = { readonly path: string; readonly text: string; readonly imports: readonly string[] };

const src = join(projectRoot, 'src');

const sources: Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map((match) => {
      const target = match[1] as string;
      return target.startsWith('.') ? normalize(join(dirname(path), target)).replace(/\.js$/, '.ts') : target;
    });
    return { path, text, imports };
  });

const under = (folder: string): Source[] => sources.filter(({ path }) => path.startsWith(folder));
const isOurs = (target: string): boolean => target.endsWith('.ts');

/** No source below `folder` imports a project file that `allowed` does not accept. */
function onlyImports(folder: string, allowed: (target: string, path: string) => boolean): void {
  const wrong = under(folder).flatMap(({ path, imports }) =>
    imports.filter((target) => isOurs(target) && !allowed(target, path)).map((target) => `${path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
}

describe('folders', () => {
  test('kernel imports nothing of ours', () => onlyImports('kernel/', (target) => target.startsWith('kernel/')));
  test('db stands on the kernel', () => onlyImports('db/', (target) => /^(kernel|db)\/|^root\.ts$/.test(target)));
  test('providers stand on kernel and db', () => onlyImports('providers/', (target) => /^(kernel|db|providers)\//.test(target)));
  test('http knows no domain', () => onlyImports('http/', (target) => /^(kernel|db|http|providers)\/|^root\.ts$/.test(target)));
  test('only db names the driver', () => {
    assert.deepEqual(
      sources.filter(({ path, imports }) => imports.includes('pg') && !path.startsWith('db/')).map(({ path }) => path),
      [],
    );
  });
  test('only http names the framework; compose.ts names its type', () => {
    const naming = sources.filter(
      ({ path, imports }) => imports.some((target) => /^@?fastify/.test(target)) && !path.startsWith('http/') && path !== 'compose.ts',
    );
    assert.deepEqual(
      naming.map(({ path }) => path),
      [],
    );
  });
});

test('the client stands alone, the command line on the client, and the service on neither', () => {
  const importsOf = (folder: string) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) =>
        [...readFileSync(join(projectRoot, folder, path), 'utf8').matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g)].map(
          ([, target = '']) => ({
            path: `${folder}/${path}`,
            target: target.startsWith('.') ? normalize(join(folder, dirname(path), target)) : target,
          }),
        ),
      );
  const ours = ['@hpke/core', '@noble/curves/', '@noble/hashes/', '@scure/base', 'client/'];
  assert.deepEqual(
    importsOf('client').filter(({ target }) => !ours.some((start) => target.startsWith(start))),
    [],
  );
  assert.deepEqual(
    importsOf('cli').filter(
      ({ path, target }) =>
        !/^(node:|cli\/|client\/)/.test(target) && !(path === 'cli/commands/mcp.ts' && target.startsWith('@modelcontextprotocol/sdk/')),
    ),
    [],
  );
  assert.deepEqual(
    importsOf('src').filter(({ path, target }) => /^(client|cli)\//.test(target) && path !== 'src/testing.ts'),
    [],
  );
});

/** Dependency order of the domains, as app.ts lists their modules. */
const ORDER = MODULES.map(({ name }) => name);

describe('domains', () => {
  /** Group and domain of a file: `cards/disputes`, or `ledger` where a group is one domain. */
  const domainOf = (path: string): string => ORDER.find((name) => path.startsWith(`domains/${name}/`)) ?? '';

  test('app.ts lists every domain', () => {
    const unlisted = under('domains/').filter(({ path }) => domainOf(path) === '');
    assert.deepEqual(
      unlisted.map(({ path }) => path),
      [],
    );
  });

  /** The noun is the file that holds the domain's types: `cards/card`, `webhooks/event`. */
  const NOUNS = new Set([
    'agent',
    'card',
    'card-transaction',
    'credential',
    'customer',
    'delegated-key',
    'dispute',
    'event',
    'external-account',
    'internal-account',
    'issuer-credential',
    'ledger',
    'lookup',
    'network-message',
    'payment',
    'payment-document',
    'platform',
    'sca',
    'price',
    'quote',
    'session',
    'signed-request',
    'uma',
    'verification',
  ]);
  const isInterface = (target: string): boolean => {
    const [, file = ''] = /\/([\w-]+)\.ts$/.exec(target) ?? [];
    return file === 'actions' || file === 'hooks' || file.endsWith('schemas') || NOUNS.has(file);
  };

  test('a domain imports only those above it, and only their actions, hooks, nouns and schemas', () => {
    const wrong = under('domains/').flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith('domains/') && domainOf(target) !== domainOf(path))
        .filter((target) => ORDER.indexOf(domainOf(target)) >= ORDER.indexOf(domainOf(path)) || !isInterface(target))
        .map((target) => `${path} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('rules are pure: no I/O, no time, no randomness', () => {
    const impure = /\basync\b|\bawait\b|Math\.random|randomBytes|randomUUID|newUuid\(|newId\(|process\.|console\./;
    const rules = under('domains/').filter(({ path }) => /\/([\w-]*rules|authorization|lifecycle|moves|requirements)\.ts$/.test(path));
    assert.ok(rules.length > 50);
    // Rules about operations know them, and rules about rails the words of a rail.
    const knowsOperations = (path: string): boolean => /(sandbox\/\w+|rail)-rules\.ts$/.test(path);
    const forbidden = (path: string): RegExp => (knowsOperations(path) ? /^(db\/|node:fs)/ : /^(db\/|http\/|providers\/|node:fs)/);
    assert.deepEqual(
      rules
        .filter(({ path, text, imports }) => impure.test(text) || imports.some((target) => forbidden(path).test(target)))
        .map(({ path }) => path),
      [],
    );
  });

  test('SQL stands in store files only', () => {
    const elsewhere = under('domains/').filter(({ path, text }) => /\bsql`/.test(text) && !/(store|clock)[\w-]*\.ts$/.test(path));
    assert.deepEqual(
      elsewhere.map(({ path }) => path),
      [],
    );
  });

  test('only routes and schemas know of HTTP; others know at most operations, who calls, what was signed, exchanges, streams and faults', () => {
    const wrong = under('domains/')
      .filter(({ path }) => !/\/(routes|[\w-]*schemas|module)\.ts$/.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            (target) =>
              target.startsWith('http/') &&
              !/^http\/(operation|call-operation|command|authenticate|exchange|event-stream|faults)\.ts$/.test(target),
          )
          .map((target) => `${path} imports ${target}`),
      );
    assert.deepEqual(wrong, []);
  });

  test('nothing reads the time but the clock', () => {
    const readers = [...under('domains/'), ...under('kernel/').filter(({ path }) => path !== 'kernel/ids.ts')].filter(({ text }) =>
      /Date\.now\(\)|new Date\(\)/.test(text),
    );
    assert.deepEqual(
      readers.map(({ path }) => path),
      [],
    );
  });
});

describe('all sources', () => {
  test('leave nothing for later', () => {
    assert.deepEqual(
      sources
        .filter(({ text }) => /\bTODO\b|\bFIXME\b|not implemented/i.test(text.replaceAll('NOT_IMPLEMENTED', '')))
        .map(({ path }) => path),
      [],
    );
  });

  test('every dependency of the service is used by it or by its command line', () => {
    const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const cli = readdirSync(join(projectRoot, 'cli'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({ text: readFileSync(join(projectRoot, 'cli', path), 'utf8') }));
    const unused = Object.keys(dependencies).filter(
      (name) => ![...sources, ...cli].some(({ text }) => new RegExp(`'${name}['/]`).test(text)),
    );
    assert.deepEqual(unused, []);
  });

  test('migrations are numbered from 0001 without gaps, and leave transactions to the migrator', () => {
    const folder = join(projectRoot, 'migrations');
    for (const [i, name] of readdirSync(folder).sort().entries()) {
      assert.match(name, /^\d{4}_\w+\.sql$/, 'the migrator ignores files with other names');
      assert.equal(Number(name.slice(0, 4)), i + 1, name);
      const text = readFileSync(join(folder, name), 'utf8');
      assert.doesNotMatch(text, /^\s*(begin|start transaction|commit|rollback)\s*;/im, `${name}: transaction control`);
    }
  });

  test('every primary key begins with platform_id', () => {
    const folder = join(projectRoot, 'migrations');
    const unowned = new Set(['platforms', 'platform_keys', 'service_secrets', 'schema_migrations']);
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      for (const [, table = '', body = ''] of text.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)) {
        if (!unowned.has(table))
          assert.match(
            body,
            /platform_id uuid[^\n]* primary key|primary key \(platform_id\b/,
            `${relative(projectRoot, join(folder, name))}: ${table}`,
          );
      }
    }
  });
});

test('the console stays small: page, script and fonts', () => {
  const folder = join(projectRoot, 'dist/console');
  const size = (pattern: RegExp) =>
    readdirSync(folder)
      .filter((name) => pattern.test(name))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const page = readFileSync(join(folder, 'sandbox.html'), 'utf8');
  const first = size(new RegExp(`^(?:${[...page.matchAll(/[\w-]+\.js(?=")/g)].map(([name]) => name).join('|')})\\.gz$`));
  const sizes = { first, script: size(/\.js\.gz$/), page: gzipSync(page).length, fonts: size(/\.woff2$/) };
  assert.ok(sizes.first > 0 && sizes.first <= 45 * 1024, `scripts of the first page ${sizes.first}`);
  assert.ok(sizes.script <= 120 * 1024, `all scripts ${sizes.script}`);
  assert.ok(sizes.page <= 8 * 1024, `page with its style ${sizes.page}`);
  assert.ok(sizes.fonts > 0 && sizes.fonts <= 90 * 1024, `fonts ${sizes.fonts}`);
});

test('every invariant that npm run prove repeats exists', () => {
  const folder = join(projectRoot, 'test/prove');
  const named = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/\bfile: '([^']+)'/g)]);
  const missing = named.map(([, file]) => `test/invariants/${file}.test.ts`).filter((path) => !existsSync(join(projectRoot, path)));
  assert.ok(named.length > 0);
  assert.deepEqual(missing, []);
});

test('every invariant whose rounds can be raised is repeated by npm run prove, with more rounds', () => {
  const folder = join(projectRoot, 'test/prove');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const invariants = join(projectRoot, 'test/invariants');
  const counted = readdirSync(invariants, { recursive: true, encoding: 'utf8' }).flatMap((path) =>
    path.endsWith('.test.ts')
      ? [...readFileSync(join(invariants, path), 'utf8').matchAll(/Number\(process\.env\['(\w+)'\] \?\? \d/g)].map(([, rounds]) => ({
          path,
          rounds,
        }))
      : [],
  );
  assert.ok(counted.length > 10);
  const lost = counted.filter(
    ({ path, rounds }) =>
      !texts.some((text) => text.includes(`file: '${path.replace('.test.ts', '')}'`) && new RegExp(`\\b${rounds}\\b`).test(text)),
  );
  assert.deepEqual(lost, []);
});
