// The daily limit of a corridor, counted in parts: exact whatever the order, and whatever part a payment is counted in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToParts, fits, PARTS, partOf, type VolumePart } from '../../../../src/domains/payments/payments/volume-rules.js';

const empty = (): VolumePart[] => Array.from({ length: PARTS }, (_, part) => ({ part, sent: 0n, most: 0n, limit: 0n }));
const sentOf = (parts: readonly VolumePart[]): bigint => parts.reduce((sum, { sent }) => sum + sent, 0n);
const mostOf = (parts: readonly VolumePart[]): bigint => parts.reduce((sum, { most }) => sum + most, 0n);

test('the last hexadecimal digit of the payment chooses the part', () => {
  assert.deepEqual(
    [...'0123456789abcdef'].map((digit) => partOf(`01900000-0000-7000-8000-00000000000${digit}`)),
    empty().map(({ part }) => part),
  );
  assert.equal(partOf('01900000-0000-7000-8000-0000000000f3'), 3, 'one digit alone');
});

test('exactly the limit is allowed, one unit more is not', () => {
  const filled = addToParts(empty(), { part: 3, amount: 100n, limit: 100n, isForced: false });
  assert.equal(filled && sentOf(filled), 100n);
  assert.equal(addToParts(empty(), { part: 3, amount: 101n, limit: 100n, isForced: false }), undefined);
  assert.equal(filled && addToParts(filled, { part: 5, amount: 1n, limit: 100n, isForced: false }), undefined);
});

test('a part takes what it has room for, under the limit that was shared out', () => {
  const part = { part: 0, sent: 5n, most: 10n, limit: 100n };
  assert.deepEqual(
    [fits(part, 5n, 100n), fits(part, 6n, 100n), fits(part, 5n, 99n), fits(undefined, 1n, 100n)],
    [true, false, false, false],
  );
});

test('random payments are accepted exactly as one sum would accept them, and the parts never promise more than the limit', () => {
  let seed = 42;
  const next = (bound: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * bound);
  };
  for (let round = 0; round < 200; round += 1) {
    let parts = empty();
    let sum = 0n;
    let limit = BigInt(1_000 + next(10_000));
    for (let i = 0; i < 60; i += 1) {
      if (next(20) === 0) limit = BigInt(1_000 + next(10_000));
      const amount = BigInt(1 + next(400));
      const own = next(PARTS);
      const isForced = next(15) === 0;
      const isAllowed = isForced || sum + amount <= limit;
      const part = parts[own] as VolumePart;
      if (!isForced && fits(part, amount, limit)) {
        assert.ok(isAllowed, 'a part alone never takes what the sum would not');
        parts = parts.with(own, { ...part, sent: part.sent + amount });
      } else {
        const added = addToParts(parts, { part: own, amount, limit, isForced });
        assert.equal(added !== undefined, isAllowed);
        parts = added ?? parts;
        if (added) assert.equal(mostOf(added), sum + amount > limit ? sum + amount : limit);
      }
      if (isAllowed) sum += amount;
      assert.equal(sentOf(parts), sum);
    }
  }
});

test('money that has arrived is counted beyond the limit, and leaves no part any room', () => {
  const full = addToParts(empty(), { part: 3, amount: 100n, limit: 100n, isForced: false });
  assert.ok(full);
  const forced = addToParts(full, { part: 5, amount: 50n, limit: 100n, isForced: true });
  assert.ok(forced);
  assert.deepEqual(
    forced.map(({ part, sent, most }) => `${part} ${sent} ${most}`).filter((row) => !/ 0 0$/.test(row)),
    ['3 100 100', '5 50 50'],
  );
});
