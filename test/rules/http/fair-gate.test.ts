// Work of many platforms in one process: bounded per platform and in all, and whoever waits is served in turn.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairGate } from '../../../src/http/fair-gate.js';

/** A gate with work that ends when the test says so; `started` lists what was begun, in order. */
function gateOf(bounds: { alone: number; besideOthers?: number; total: number }) {
  let now = 0;
  const gate = createFairGate({ besideOthers: bounds.alone, ...bounds }, () => now);
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const enter = (platform: string, name: string) =>
    gate.enter(platform, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await nextTurn();
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { enter, end, pass, started, noteActivity: gate.noteActivity };
}

describe('fair gate', () => {
  test('a platform has at most so many requests in work; the rest wait in the order they came', async () => {
    const { enter, end, started } = gateOf({ alone: 2, total: 10 });
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => enter('a', name));
    await nextTurn();
    assert.deepEqual(started, ['a1', 'a2']);
    await end('a2');
    assert.deepEqual(started, ['a1', 'a2', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await end(name);
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4']);
  });

  test('200 requests of one platform do not keep one of another waiting', async () => {
    const { enter, started } = gateOf({ alone: 8, total: 32 });
    for (let i = 0; i < 200; i += 1) void enter('a', `a${i}`);
    void enter('b', 'b');
    await nextTurn();
    assert.equal(started.length, 9);
    assert.equal(started.at(-1), 'b');
  });

  test('when all places are taken, platforms are served in turn, however many requests each has waiting', async () => {
    const { enter, end, started } = gateOf({ alone: 2, total: 3 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter('a', name);
    for (const name of ['b1', 'b2', 'b3']) void enter('b', name);
    for (const name of ['c1', 'c2']) void enter('c', name);
    await nextTurn();
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
    for (const name of ['a1', 'a2', 'b1', 'b2', 'c1']) await end(name);
    assert.deepEqual(started.slice(3), ['a3', 'b2', 'c1', 'a4', 'b3']);
  });

  test('beside an active platform a burst shrinks, until that platform was quiet for a second', async () => {
    const { enter, end, pass, started, noteActivity } = gateOf({ alone: 3, besideOthers: 1, total: 10 });
    for (let i = 1; i <= 8; i += 1) void enter('a', `a${i}`);
    await nextTurn();
    assert.deepEqual(started, ['a1', 'a2', 'a3']);
    noteActivity('b');
    await end('a1');
    await end('a2');
    assert.deepEqual(started.length, 3, 'one is in work');
    await end('a3');
    assert.deepEqual(started.slice(3), ['a4']);
    pass(999);
    await end('a4');
    assert.deepEqual(started.slice(3), ['a4', 'a5']);
    pass(1);
    await end('a5');
    assert.deepEqual(started.slice(3), ['a4', 'a5', 'a6', 'a7', 'a8']);
  });

  test('work that fails frees its place, and its error reaches the caller', async () => {
    const { enter, end, started } = gateOf({ alone: 1, total: 1 });
    const failing = enter('a', 'a1');
    const next = enter('b', 'b1');
    await nextTurn();
    await Promise.all([assert.rejects(failing, /broken/), end('a1', new Error('broken'))]);
    assert.deepEqual(started, ['a1', 'b1']);
    await end('b1');
    assert.equal(await next, 'b1');
  });
});
