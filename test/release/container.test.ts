// The container file, read as text: an engine to build it is not everywhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/root.js';
import { temporaryDirectory } from '../support/temporary.js';

const read = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');

type Instruction = { readonly name: string; readonly text: string };

/** The instructions of each stage. */
const stages: Instruction[][] = [];
for (const line of read('Dockerfile').replaceAll('\\\n', ' ').split('\n')) {
  const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
  if (name === 'FROM') stages.push([]);
  if (name !== '') stages.at(-1)?.push({ name, text });
}
const [build = [], final = []] = stages;
const all = (instructions: readonly Instruction[], name: string): string[] =>
  instructions.filter((each) => each.name === name).map(({ text }) => text);

/** Sources of the COPY instructions, without those of another stage. */
const copied = (instructions: readonly Instruction[]): string[] =>
  all(instructions, 'COPY')
    .filter((text) => !text.includes('--from='))
    .flatMap((text) =>
      text
        .split(/\s+/)
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    );

describe('the container file', () => {
  test('has two stages of one base image, named by version and system', () => {
    const images = stages.flatMap((stage) => all(stage, 'FROM').map((text) => text.split(' ')[0]));
    assert.equal(stages.length, 2);
    assert.equal(new Set(images).size, 1);
    assert.match(images[0] ?? '', /^node:\d+-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    assert.equal(/node:(\d+)/.exec(images[0] ?? '')?.[1], /\d+/.exec(engines.node)?.[0], 'the version that package.json asks for');
  });

  test('installs what the lock file says', () => {
    assert.ok(copied(build).includes('package-lock.json') && copied(build).includes('.npmrc'));
    assert.deepEqual(
      all(build, 'RUN').filter((text) => /npm (i|install)\b/.test(text)),
      [],
    );
    assert.ok(all(build, 'RUN').includes('npm ci'));
    assert.ok(all(build, 'RUN').some((text) => text.includes('npm prune --omit=dev')));
  });

  test('the build has every folder that a build reads', () => {
    const watched = /const watched = \[([\s\S]*?)\]/.exec(read('scripts/build.mjs'))?.[1] ?? '';
    const folders = [...watched.matchAll(/'([^']+)'/g)].map(([, name = '']) => name.split('/')[0] as string);
    assert.ok(folders.length > 5);
    for (const name of new Set(folders)) assert.ok(copied(build).includes(name), `COPY ${name}`);
  });

  test('the image has what the service reads, and neither tests nor benchmarks', () => {
    const compiled = all(final, 'COPY')
      .filter((text) => text.includes('--from=build'))
      .map((text) => text.split(/\s+/).at(-2));
    for (const name of [
      '/app/package.json',
      '/app/node_modules',
      '/app/dist/src',
      '/app/dist/client',
      '/app/dist/cli',
      '/app/dist/console',
    ])
      assert.ok(compiled.includes(name), name);
    assert.ok(!compiled.includes('/app/dist'));
    // Folders beside the code that the service reads: join(projectRoot, '…').
    const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const needed = sources.flatMap((path) =>
      [...read(join('src', path)).matchAll(/join\(projectRoot, '([a-z]+)/g)].map(([, name = '']) => name),
    );
    assert.ok(needed.includes('migrations'));
    for (const name of new Set(needed)) if (name !== 'dist' && name !== 'package') assert.ok(copied(final).includes(name), `COPY ${name}`);
    for (const name of ['test', 'bench', 'src', '.']) assert.ok(!copied(final).includes(name), `COPY ${name}`);
  });

  test('runs as a user without rights, with a health check, and holds no secret', () => {
    const instructions = final.map(({ name }) => name);
    assert.deepEqual(all(final, 'USER'), ['node']);
    assert.ok(instructions.indexOf('USER') < instructions.indexOf('CMD'));
    assert.equal(all(final, 'HEALTHCHECK').length, 1);
    assert.match(all(final, 'HEALTHCHECK')[0] ?? '', /\/readyz/);
    assert.deepEqual(all(final, 'STOPSIGNAL'), ['SIGTERM']);
    const settings = all(final, 'ENV').join(' ');
    assert.doesNotMatch(settings, /TOKEN|SECRET|PASSWORD|KEY|DATABASE_URL/);
    assert.deepEqual([...all(build, 'ARG'), ...all(final, 'ARG'), ...all(final, 'ADD')], []);
    assert.match(all(final, 'CMD')[0] ?? '', /^\["node", /, 'no shell between the engine and the service');
  });

  test('the commands that the guides name run in the image, which has no sources to build', async (t) => {
    const folder = temporaryDirectory(t);
    for (const text of all(final, 'COPY')) {
      const source = (text.split(/\s+/).at(-2) ?? '').replace(/^\/app\//, '');
      mkdirSync(dirname(join(folder, source)), { recursive: true });
      if (source === 'package.json') copyFileSync(join(projectRoot, source), join(folder, source));
      else symlinkSync(join(projectRoot, source), join(folder, source));
    }
    const run = promisify(execFile);
    const steps = all(build, 'RUN').flatMap((text) => text.split(' && '));
    for (const step of steps.filter((each) => each.startsWith('npm pkg set '))) await run('npm', step.split(' ').slice(1), { cwd: folder });
    const env = { PATH: process.env['PATH'], HOME: folder, PORT: '0', METRICS_PORT: 'off', DATA_DIR: temporaryDirectory(t) };
    assert.match((await run('npm', ['run', '-s', 'doctor'], { cwd: folder, env })).stdout, /^ {2}ok {4}DATA_DIR/m);
  });

  test('an empty PORT or METRICS_PORT is an unset one, for the health check as for the service', async () => {
    const [, code = ''] = /CMD \["node", "-e", "(.*)"\]$/.exec(all(final, 'HEALTHCHECK')[0] ?? '') ?? [];
    const asked = `globalThis.fetch = async (url) => { console.log(url); return { ok: true }; };`;
    for (const [env, url] of [
      [{ PORT: '' }, 'http://127.0.0.1:8080/readyz'],
      [{ PORT: '80' }, 'http://127.0.0.1:80/readyz'],
      [{ ROLE: 'worker', METRICS_PORT: '', PORT: '80' }, 'http://127.0.0.1:9464/readyz'],
      [{ ROLE: 'worker', PORT: '80' }, 'http://127.0.0.1:9464/readyz'],
      [{ ROLE: 'worker', METRICS_PORT: 'off' }, ''],
    ] as const)
      assert.equal((await promisify(execFile)(process.execPath, ['-e', asked + code], { env })).stdout.trim(), url);
  });

  test('neither what was built nor data of this machine goes to the engine', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['node_modules', 'dist', '.data', '.git']) assert.ok(ignored.includes(name), name);
  });
});
