// Tells the parent process what the test runner of Node.js reports.
import { inspect } from 'node:util';

const PASSED_ON = new Set(['test:dequeue', 'test:start', 'test:pass', 'test:fail', 'test:diagnostic']);

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (!PASSED_ON.has(type)) continue;
    const { name, nesting, message, details } = data;
    const failure = details?.error;
    const told = {
      type,
      name,
      nesting,
      message,
      isSkipped: data.skip !== undefined || data.todo !== undefined,
      isSuite: details?.type === 'suite',
      ms: details?.duration_ms,
      // A suite whose tests failed is no failure of its own.
      error: failure && failure.failureType !== 'subtestsFailed' ? inspect(failure.cause ?? failure) : undefined,
    };
    process.send(told, undefined, undefined, () => {}); // a parent that is gone needs no report
  }
  yield '';
}
