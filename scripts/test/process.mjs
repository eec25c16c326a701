// A runner process of `npm test`, seen from the parent: it is handed file after file, and whatever breaks it is a failure of the file it ran.
import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Silence of this length is a hang: no single test takes as long, on the busiest machine. */
const SILENCE_MS = 600_000;
const ENDING_MS = 60_000;

/**
 * Runs the files that `next` answers in one process, until there are no more or the process breaks.
 * `onFailure` receives each failure as it is known, `onFile` each file at its end.
 */
export function runFiles({ next, onFile, onFailure, flags, env, aborted }) {
  return new Promise((resolve) => {
    const child = fork(join(import.meta.dirname, 'runner.mjs'), {
      execArgv: ['--enable-source-maps', `--test-reporter=${join(import.meta.dirname, 'reporter.mjs')}`, ...flags],
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    /** Files that were handed out and whose end is not reported yet. The reports of one file come before those of the next. */
    const running = [];
    let lastFile = 'no file yet';
    let failures = 0;
    let spentBefore = 0;
    let isBroken = false;
    let silence;

    const fail = (name, error, file = running[0]?.file ?? lastFile) => {
      failures += 1;
      onFailure({ file, name, error });
    };
    const openTest = () => running[0]?.open.slice(1).join(' › ') || 'the whole file';
    const begin = (file) => {
      lastFile = file;
      running.push({
        file,
        startedAt: performance.now(),
        lines: [],
        tests: 0,
        passed: 0,
        skipped: 0,
        processorSeconds: 0,
        begun: [],
        open: [],
      });
    };
    const end = () => {
      const { begun, open, startedAt, ...result } = running.shift();
      onFile({ ...result, seconds: (performance.now() - startedAt) / 1000 });
    };
    const breakOff = (error) => {
      fail(openTest(), error);
      isBroken = true;
      child.kill('SIGKILL');
    };
    const onAbort = () => breakOff('the run was ended by a signal');
    aborted.addEventListener('abort', onAbort);
    const allow = (ms, error) => {
      clearTimeout(silence);
      silence = setTimeout(() => breakOff(error), ms);
    };

    const onEvent = ({ type, name, nesting, message, ms, isSuite, isSkipped, error }) => {
      const [current] = running;
      if (type === 'test:diagnostic') {
        // At the end of the process Node.js tells of errors that came after their test had ended, and where that test is.
        const [, file] = /^(?:Error|Warning): .* at (?:dist\/)?test\/(\S+)\.[jt]s:/.exec(message) ?? [];
        if (/^(Error|Warning): /.test(message)) fail('after a test had ended', message, file && `${file}.js`);
        else current?.lines.push({ nesting, message });
      } else if (type === 'test:dequeue') {
        current.open.splice(nesting, current.open.length, name);
      } else if (type === 'test:start') {
        current.begun[nesting] = { nesting, name };
        current.lines.push(current.begun[nesting]);
      } else {
        Object.assign(current.begun[nesting], { ms, isSuite, isSkipped, hasFailed: type === 'test:fail' });
        if (error !== undefined) fail(nesting === 0 ? 'the whole file' : name, error);
        // A suite that is skipped as a whole reports itself and not its tests.
        if (!isSuite || isSkipped) current.tests += 1;
        if (!isSuite && isSkipped) current.skipped += 1;
        else if (!isSuite && type === 'test:pass') current.passed += 1;
        if (nesting === 0) end();
      }
    };

    child.on('message', (message) => {
      allow(SILENCE_MS, `nothing happened for ${SILENCE_MS / 1000} s, and its process was ended`);
      if (message.type === 'open') {
        breakOff(`its process does not end by itself; still open: ${message.resources.join(', ')}`);
      } else if (message.type === 'next') {
        if (running.length > 0) running.at(-1).processorSeconds = message.processorSeconds - spentBefore;
        spentBefore = message.processorSeconds;
        const file = next();
        if (file === undefined) allow(ENDING_MS, 'its process does not end by itself');
        else begin(file);
        child.send(file ?? 'end');
      } else onEvent(message);
    });
    child.on('exit', (code, signal) => {
      clearTimeout(silence);
      aborted.removeEventListener('abort', onAbort);
      // Node.js ends with 1 after a failed test.
      const isExpected = running.length === 0 && (code === 0 || failures > 0);
      if (!isExpected && !isBroken) fail(openTest(), `its process ended with ${signal ?? `code ${code}`}`);
      while (running.length > 0) end();
      resolve();
    });
    allow(SILENCE_MS, 'the runner process does not start');
  });
}
