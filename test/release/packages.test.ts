// What a release contains: the package of the service, packed and started. test/client/package.test.ts has that of the client.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { projectRoot } from '../../src/root.js';
import { createEmptyDatabase } from '../support/database.js';
import { temporaryDirectory } from '../support/temporary.js';

const run = promisify(execFile);
const folder = temporaryDirectory({ after });

/** Unpacks a package and returns the names of its files. */
async function unpack(tarball: string, into: string): Promise<string[]> {
  mkdirSync(into, { recursive: true });
  await run('tar', ['xzf', tarball, '-C', into, '--strip-components=1']);
  return readdirSync(into, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(into, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** Names of files, and texts in files, that have no place in a release. */
function unwanted(root: string, files: readonly string[]): string[] {
  const names = files.filter((path) =>
    /(^|\/)(test|bench|tour|\.data|\.git|node_modules)\/|\.(env|pem|key|tsbuildinfo|sqlite)$|\.test\.[cm]?[jt]s$/.test(path),
  );
  const texts = files
    .filter((path) => /\.(js|cjs|mjs|json|md|ya?ml|sql|txt|html)$/.test(path))
    .filter((path) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{32}/.test(readFileSync(join(root, path), 'utf8')));
  return [...names, ...texts];
}

describe('the package of the service', () => {
  const root = join(folder, 'service');
  let files: string[];
  before(async () => {
    const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: projectRoot });
    files = await unpack(join(folder, stdout.trim().split('\n').at(-1) as string), root);
  });

  test('the package has what the service needs, and nothing else', () => {
    const FOLDERS = ['bin', 'dist/cli', 'dist/client', 'dist/console', 'dist/src', 'docs', 'fixtures', 'migrations', 'recipes'];
    const FILES = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    const others = files.filter((path) => !FILES.includes(path) && !FOLDERS.some((name) => path.startsWith(`${name}/`)));
    assert.deepEqual(others, []);
    for (const name of [
      ...FILES,
      'dist/src/main.js',
      'dist/cli/main.cjs',
      'dist/client/client.js',
      'dist/console/sign-in.html',
      'dist/console/NOTICES.txt',
    ])
      assert.ok(files.includes(name), name);
    for (const name of ['migrations', 'recipes', 'fixtures', 'docs/guides', 'docs/reference/examples'])
      assert.deepEqual(
        files
          .filter((path) => path.startsWith(`${name}/`) && !path.slice(name.length + 1).includes('/'))
          .map((path) => path.slice(name.length + 1)),
        readdirSync(join(projectRoot, name), { withFileTypes: true })
          .filter((each) => each.isFile())
          .map((each) => each.name)
          .sort(),
        name,
      );
    assert.deepEqual(unwanted(root, files), []);
  });

  test('packing builds first: a clean checkout has no compiled code', () => {
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    assert.equal(scripts['prepack'], 'npm run -s build');
  });

  test('it starts on an empty database and serves the API, the reference and the console; its command line answers', async () => {
    symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
    const database = await createEmptyDatabase();
    const [id, secret] = ['release', randomBytes(18).toString('base64url')];
    const child = spawnService(
      { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data'), BOOTSTRAP_TOKEN: `${id}:${secret}` },
      relative(projectRoot, join(root, 'dist/src/main.js')),
    );
    try {
      const baseUrl = await whenReady(child);
      const { origin } = new URL(baseUrl);
      const get = async (url: string) => {
        const answer = await fetch(url, { headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } });
        return [answer.status, (await answer.text()).length > 0];
      };
      for (const url of [`${baseUrl}/config`, `${origin}/readyz`, `${origin}/openapi.json`, `${origin}/docs`, `${origin}/console`])
        assert.deepEqual(await get(url), [200, true], url);
    } finally {
      await stopChild(child);
      await database.drop();
    }
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    const { stdout } = await run(process.execPath, [join(root, 'dist/cli/main.cjs'), '--version']);
    assert.ok(stdout.includes(version), stdout);
  });
});

test('what is installed is what the lock file says', () => {
  const manifestOf = (path: string): { version: string } | undefined =>
    existsSync(join(projectRoot, path, 'package.json'))
      ? JSON.parse(readFileSync(join(projectRoot, path, 'package.json'), 'utf8'))
      : undefined;
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; optional?: boolean }>;
  };
  const others = Object.entries(lock.packages).flatMap(([path, { version, optional }]) => {
    const installed = manifestOf(path)?.version;
    return installed === version || (installed === undefined && optional) ? [] : [`${path}: ${installed} instead of ${version}`];
  });
  assert.deepEqual(others, []);
});
