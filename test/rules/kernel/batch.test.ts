// Batches: what arrives while one is in flight forms the next, each item gets its own result, and the next batch does not wait for the callers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batched } from '../../../src/kernel/batch.js';

/** A batch function whose batches end when the test says so. */
function controlled() {
  const begun: { readonly items: readonly string[]; end(results: readonly (string | Error)[] | Error): void }[] = [];
  const log: string[] = [];
  const add = batched<string, string>((items) => {
    log.push(`begun ${items.join('')}`);
    return new Promise((resolve, reject) => {
      begun.push({ items, end: (results) => (results instanceof Error ? reject(results) : resolve(results)) });
    });
  });
  const ask = (item: string): Promise<string> =>
    add(item).then(
      (result) => {
        log.push(`got ${result}`);
        return result;
      },
      (error: Error) => {
        log.push(`refused ${item}: ${error.message}`);
        return error.message;
      },
    );
  return { ask, begun, log };
}

test('items of one turn are a batch; those that arrive meanwhile are the next, which begins before the callers go on', async () => {
  const { ask, begun, log } = controlled();
  const answers = [ask('a'), ask('b')];
  await nextTurn();
  answers.push(ask('c'), ask('d'));
  await nextTurn();
  assert.deepEqual(log, ['begun ab']);
  begun[0]?.end(['A', 'B']);
  await Promise.all(answers.slice(0, 2));
  assert.deepEqual(log, ['begun ab', 'begun cd', 'got A', 'got B']);
  begun[1]?.end(['C', 'D']);
  assert.deepEqual(await Promise.all(answers), ['A', 'B', 'C', 'D']);
});

test('an error is the result of its item alone; a batch that fails refuses all of its items, and the next one is not affected', async () => {
  const { ask, begun } = controlled();
  const first = [ask('a'), ask('b')];
  await nextTurn();
  const second = [ask('c'), ask('d')];
  begun[0]?.end(['A', new Error('not b')]);
  assert.deepEqual(await Promise.all(first), ['A', 'not b']);
  const third = ask('e');
  begun[1]?.end(new Error('broken'));
  assert.deepEqual(await Promise.all(second), ['broken', 'broken']);
  begun[2]?.end(['E']);
  assert.equal(await third, 'E');
});
