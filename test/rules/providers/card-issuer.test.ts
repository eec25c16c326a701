import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../src/kernel/ids.js';
import { type CardIssuer, IssuerSilent, noCardIssuer, withDeadline } from '../../../src/providers/card-issuer.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';
import { openPagePass, sandboxCardIssuer } from '../../../src/providers/sandbox-card-issuer.js';

const custody = createKeyCustody([Buffer.alloc(32, 7)]);
const issuer = sandboxCardIssuer(custody);
const card = (program = 'service_full') => ({ id: newId('Card'), program, version: 3 });
const now = new Date('2031-02-03T04:05:06Z');

describe('deadline of issuer calls', () => {
  test('a call without an answer fails with IssuerSilent', async () => {
    const deaf: CardIssuer = { ...noCardIssuer, instruct: () => new Promise(() => {}) };
    await assert.rejects(withDeadline(deaf, 5).instruct({ card: card() }), IssuerSilent);
  });

  test('an answer or error before the deadline is passed on', async () => {
    const strict = withDeadline(issuer, 10_000);
    assert.equal(await strict.instruct({ card: card() }), undefined);
    await assert.rejects(strict.instruct({ card: card('sandbox_issuer_silent') }), IssuerSilent);
  });
});

describe('sandbox issuer', () => {
  const order = { brand: 'VISA', needsPassword: false, repeated: false, orderedAt: new Date(0) } as const;

  test('a repeated order gives the same card', async () => {
    const one = card();
    const [first, again] = await Promise.all([
      issuer.order({ ...order, card: one }, now),
      issuer.order({ ...order, card: one, repeated: true }, now),
    ]);
    assert.deepEqual(first, again);
    assert.equal(first.kind, 'MADE');
    if (first.kind === 'MADE') assert.deepEqual([first.details.expMonth, first.details.expYear], [2, 2035]);
  });

  test('a repeated order without its 3-D Secure password is rejected', async () => {
    const secret = { ...order, card: card('service_3ds'), needsPassword: true };
    assert.equal((await issuer.order({ ...secret, threeDSecurePassword: 'x' }, now)).kind, 'MADE');
    assert.equal((await issuer.order({ ...secret, repeated: true }, now)).kind, 'REJECTED');
  });

  test('a page token opens only its own page; a changed token or a token of another key opens none', async () => {
    const visit = { platformId: newId('Platform'), card: card(), serviceUrl: 'http://x' };
    const { url, expiresAt } = await issuer.openDetailsPage({ ...visit, cssUrl: null }, now);
    const token = new URL(url).searchParams.get('token') as string;
    const pass = openPagePass(custody, 'details', token);
    assert.deepEqual([pass?.cardId, pass?.expiresAt], [visit.card.id, expiresAt]);
    assert.equal(openPagePass(custody, 'pin', token), undefined);
    assert.equal(openPagePass(createKeyCustody([Buffer.alloc(32, 8)]), 'details', token), undefined);
    assert.equal(openPagePass(custody, 'details', `${token.slice(0, -2)}AA`), undefined);
  });
});
