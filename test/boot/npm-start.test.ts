// `npm start` as an operator runs it: signals, stops during the start, two starts at once.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../src/root.js';
import { temporaryDirectory } from '../support/temporary.js';

/** As root, PostgreSQL runs under another account, which must be able to reach the directory. */
function dataDirectory(owner: Parameters<typeof temporaryDirectory>[0]): string {
  const path = temporaryDirectory(owner);
  chmodSync(path, 0o711);
  return path;
}

type Started = { readonly child: ChildProcess; readonly output: () => string };

function npmStart(owner: { after(work: () => void): void }, dataDir: string): Started {
  // The build is current. The environment contains no variables of the npm process that runs the tests.
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    PORT: '0',
    METRICS_PORT: 'off',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
  };
  const child = spawn('npm', ['start'], { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
  owner.after(() => void child.kill('SIGTERM'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
  return { child, output: () => text };
}

const ended = async ({ child }: Started) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Polls, because the processes are not children of the test. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 60_000; !holds(); await sleep(20))
    assert.ok(performance.now() < deadline, `${what} within a minute`);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** The postmaster of an embedded database, undefined before it has written its pid file and while the new cluster is moved to its place. */
function postmasterOf(dataDir: string): number | undefined {
  try {
    const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('postmaster.pid'));
    return file === undefined ? undefined : Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0]) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

describe('npm start', { concurrency: false }, () => {
  test('SIGTERM to npm stops the service and its database', { timeout: 120_000 }, async (t) => {
    const dataDir = dataDirectory(t);
    const service = npmStart(t, dataDir);
    await until('ready', () => service.output().includes('Switchyard is ready'));
    assert.ok(
      service.output().includes(`set -a; . ${dataDir}/sandbox.env; set +a`),
      'the command line does not look into this directory, so the message says how it finds the service',
    );
    const postmaster = postmasterOf(dataDir);
    assert.ok(postmaster && isAlive(postmaster), 'the database runs');
    service.child.kill('SIGTERM');
    await ended(service);
    await until('the database has stopped', () => !isAlive(postmaster));
  });

  test('SIGTERM during the start also stops the database', { timeout: 120_000 }, async (t) => {
    const dataDir = dataDirectory(t);
    const service = npmStart(t, dataDir);
    let postmaster: number | undefined;
    await until('the database starts', () => {
      postmaster = postmasterOf(dataDir);
      return postmaster !== undefined;
    });
    service.child.kill('SIGTERM');
    await ended(service);
    await until('the database has stopped', () => !isAlive(Number(postmaster)));
    assert.doesNotMatch(service.output(), /is ready/);
  });

  test('Ctrl-C, which the terminal sends to the service and npm passes on, stops the service cleanly', { timeout: 120_000 }, async (t) => {
    const dataDir = dataDirectory(t);
    const env = { ...{ PATH: process.env['PATH'], PORT: '0', METRICS_PORT: 'off' }, DATA_DIR: dataDir, SHUTDOWN_DELAY: '1s' };
    const child = spawn(process.execPath, [join(projectRoot, 'dist/src/main.js')], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (/finishing the requests/.test(String(chunk))) child.kill('SIGINT');
    });
    await until('ready', () => text.includes('Switchyard is ready'));
    child.kill('SIGINT');
    await ended({ child, output: () => text });
    assert.deepEqual([child.exitCode, child.signalCode], [0, null]);
  });

  test('a log on a full disk and a terminal that is gone neither end the service nor hold up its stop', {
    timeout: 120_000,
    skip: !existsSync('/dev/full'),
  }, async (t) => {
    const dataDir = dataDirectory(t);
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', METRICS_PORT: 'off', DATA_DIR: dataDir };
    const child = spawn(process.execPath, [join(projectRoot, 'dist/src/main.js')], {
      env,
      stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
    });
    t.after(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout?.on('data', (chunk) => (text += chunk));
    await until('ready', () => text.includes('README.md and docs/guides'));
    const url = /Docs +(\S+)\/docs/.exec(text)?.[1] ?? assert.fail(text);
    // More than the log keeps before it writes.
    for (let i = 0; i < 60; i += 1) assert.equal((await fetch(`${url}/healthz`)).status, 200);
    child.stdout?.destroy();
    child.kill('SIGTERM');
    await ended({ child, output: () => text });
    assert.deepEqual([child.exitCode, child.signalCode], [0, null]);
  });

  test('of two concurrent starts on a new directory one serves and the other is refused', { timeout: 120_000 }, async (t) => {
    const dataDir = dataDirectory(t);
    const both = [npmStart(t, dataDir), npmStart(t, dataDir)];
    const refused = Promise.race(both.map(async (one) => ended(one).then(() => one)));
    const loser = await refused;
    const winner = both.find((one) => one !== loser) as Started;
    await until('the other start is ready', () => winner.output().includes('Switchyard is ready'));
    assert.notEqual(loser.child.exitCode, 0);
    assert.match(loser.output(), /another|already/i);
    winner.child.kill('SIGTERM');
    await ended(winner);
  });
});
