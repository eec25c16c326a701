// UMA messages as text: what one side writes the other reads, and nothing but a fault comes of a message that is broken.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  readLookup,
  readLookupAnswer,
  readPayAnswer,
  readPayRequest,
  readPublicKeys,
  writeLookup,
  writeLookupAnswer,
  writePayAnswer,
  writePayRequest,
  writePublicKeys,
} from '../../../src/providers/uma/messages.js';
import { isSettlementSigned, readNotice, writeNotice } from '../../../src/providers/uma/notices.js';
import { isFresh, isSignedBy, newUmaKeys, umaPublicKeys } from '../../../src/providers/uma/signatures.js';
import { UmaFault } from '../../../src/providers/uma/uma.js';
import { EXPIRED_LEAF, LEAF, OTHER_ROOT, ROOT } from '../../support/uma-certificates.js';

const keys = newUmaKeys();
const { signing } = umaPublicKeys(keys);
const stranger = umaPublicKeys(newUmaKeys());
const [PAYER, PAYEE] = ['$ada@alpha.example', '$grace@beta.example'];

const lookup = () => writeLookup(keys, { receiver: PAYEE, domain: 'alpha.example' });
const lookupAnswer = () =>
  writeLookupAnswer(keys, {
    receiver: PAYEE,
    callback: 'https://beta.example/uma/pay-requests/%24grace',
    currencies: [{ code: 'EUR', multiplier: 1_305.7, min: 1, max: 10_000 }],
    payerFields: [{ name: 'birthDate', mandatory: true }],
    version: '1.0',
  });
const payRequest = () =>
  writePayRequest(keys, {
    payer: PAYER,
    currency: 'EUR',
    amount: 2_500,
    payerData: { name: 'Ada Lovelace' },
    payeeFields: [{ name: 'name', mandatory: true }],
    callback: 'https://alpha.example/uma/payments/1',
    version: '1.0',
  });
const payAnswer = () =>
  writePayAnswer(keys, {
    invoice: 'invoice-1',
    currency: 'EUR',
    amount: 2_500,
    callback: 'https://beta.example/uma/invoices/1',
    payer: PAYER,
    payee: PAYEE,
    multiplier: 1_305.7,
    version: '1.0',
  });
const SETTLEMENT = { invoice: 'invoice-1', amount: '2500', currency: 'EUR', outcome: 'PAID' } as const;

describe('what is written is read, signed by its sender and by nobody else', () => {
  test('public keys', async () => {
    assert.deepEqual(await readPublicKeys(writePublicKeys(stranger)), stranger);
  });

  test('keys in certificates: each is issued by the next, none has expired, and the leaf has the key', async () => {
    const withChain = (signingCertChain: unknown) => JSON.stringify({ signingCertChain, encryptionPubKey: stranger.encryption });
    const faultOf = (text: string) =>
      readPublicKeys(text).then(
        () => 'no fault',
        (error: unknown) => (error instanceof UmaFault ? error.code : String(error)),
      );
    const { signing: ofLeaf, encryption } = await readPublicKeys(withChain([LEAF, ROOT]));
    assert.match(ofLeaf, /^04[0-9a-f]{128}$/);
    assert.equal(encryption, stranger.encryption);
    assert.equal((await readPublicKeys(withChain([LEAF]))).signing, ofLeaf, 'nobody vouches for the last certificate');
    for (const chain of [[LEAF, OTHER_ROOT], [ROOT, LEAF], [LEAF, 'ff'], ['ff'], [7], [], LEAF, 7])
      assert.equal(await faultOf(withChain(chain)), 'CERT_CHAIN_INVALID', JSON.stringify(chain));
    assert.equal(await faultOf(withChain([EXPIRED_LEAF, ROOT])), 'CERT_CHAIN_EXPIRED');
    assert.equal(await faultOf(JSON.stringify({ signingPubKey: '04ff', encryptionPubKey: stranger.encryption })), 'INVALID_PUBKEY_FORMAT');
  });

  test('a look-up', async () => {
    const read = await readLookup(await lookup());
    assert.deepEqual([read.receiver, read.domain, read.version], [PAYEE, 'alpha.example', '1.0']);
    assert.ok(isSignedBy(read.signed, signing) && !isSignedBy(read.signed, stranger.signing) && isFresh(read.signed));
  });

  test('its answer', async () => {
    const read = await readLookupAnswer(await lookupAnswer());
    assert.deepEqual(read.currencies, [{ code: 'EUR', multiplier: 1_305.7, min: 1, max: 10_000 }]);
    assert.deepEqual(read.payerFields, [{ name: 'birthDate', mandatory: true }]);
    assert.ok(isSignedBy(read.signed, signing) && !isSignedBy(read.signed, stranger.signing));
  });

  test('a pay request', async () => {
    const { signed, ...read } = await readPayRequest(await payRequest());
    assert.deepEqual(read, {
      payer: PAYER,
      currency: 'EUR',
      amount: 2_500,
      payerData: { name: 'Ada Lovelace' },
      payeeFields: [{ name: 'name', mandatory: true }],
      callback: 'https://alpha.example/uma/payments/1',
      version: '1.0',
    });
    assert.ok(isSignedBy(signed, signing) && !isSignedBy(signed, stranger.signing));
  });

  test('its answer, bound to both parties', async () => {
    const { signed, ...read } = await readPayAnswer(await payAnswer(), PAYER, PAYEE);
    assert.deepEqual(read, { invoice: 'invoice-1', currency: 'EUR', amount: 2_500, callback: 'https://beta.example/uma/invoices/1' });
    assert.ok(isSignedBy(signed, signing));
    assert.ok(!isSignedBy((await readPayAnswer(await payAnswer(), '$eve@alpha.example', PAYEE)).signed, signing));
  });

  test('a notice, for one provider only and with this content only', async () => {
    const notice = await readNotice(writeNotice(keys, 'alpha.example', 'beta.example', SETTLEMENT));
    assert.deepEqual([notice.domain, notice.settlement], ['alpha.example', SETTLEMENT]);
    const own = umaPublicKeys(keys);
    assert.ok(isSignedBy(notice.signed, signing) && isSettlementSigned(notice, 'beta.example', own));
    assert.ok(!isSettlementSigned(notice, 'gamma.example', own));
    assert.ok(!isSettlementSigned(notice, 'beta.example', stranger));
    for (const change of [{ amount: '2501' }, { invoice: 'invoice-2' }, { currency: 'USD' }, { outcome: 'SETTLED' as const }])
      assert.ok(!isSettlementSigned({ ...notice, settlement: { ...SETTLEMENT, ...change } }, 'beta.example', own));
  });
});

describe('a broken message is a fault and nothing else', () => {
  const faults = async (read: (text: string) => Promise<unknown>, text: string) => {
    await read(text).catch((error: unknown) => assert.ok(error instanceof UmaFault, `${text.slice(0, 60)}: ${error}`));
  };

  /** The text with each member left out, and with each member of another type. */
  function* broken(text: string): Generator<string> {
    const whole = JSON.parse(text) as Record<string, unknown>;
    for (const name of Object.keys(whole)) {
      const { [name]: value, ...rest } = whole;
      yield JSON.stringify(rest);
      for (const other of [null, 1, -1, 1.5, 1e308, '', 'x', '\u0000', [], {}, true]) yield JSON.stringify({ ...rest, [name]: other });
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        for (const inner of broken(JSON.stringify(value))) yield JSON.stringify({ ...rest, [name]: JSON.parse(inner) });
    }
  }

  test('answers, pay requests, keys and notices with any member missing or of another type', async () => {
    for (const [read, text] of [
      [readLookupAnswer, await lookupAnswer()],
      [readPayRequest, await payRequest()],
      [(body: string) => readPayAnswer(body, PAYER, PAYEE), await payAnswer()],
      [readPublicKeys, writePublicKeys(stranger)],
      [readNotice, writeNotice(keys, 'alpha.example', 'beta.example', SETTLEMENT)],
    ] as const) {
      for (const other of broken(text)) await faults(read, other);
      for (const other of ['', '{', 'null', '[]', '"x"', '0', text.slice(0, -5)]) await faults(read, other);
    }
  });

  test('a look-up that is unsigned, of another version, or not a look-up', async () => {
    const url = new URL(await lookup());
    for (const name of [...url.searchParams.keys()]) {
      for (const value of [undefined, '', 'x', '9'.repeat(400)]) {
        const other = new URL(url);
        if (value === undefined) other.searchParams.delete(name);
        else other.searchParams.set(name, value);
        await faults(readLookup, other.toString());
      }
    }
    for (const text of ['', 'x', 'https://beta.example/', 'https://beta.example/.well-known/lnurlp/a b']) await faults(readLookup, text);
    const newer = new URL(url);
    newer.searchParams.set('umaVersion', '2.0');
    await assert.rejects(
      readLookup(newer.toString()),
      (fault) =>
        fault instanceof UmaFault && fault.code === 'UNSUPPORTED_UMA_VERSION' && fault.beside['supportedMajorVersions'] !== undefined,
    );
  });

  test('a message of another time is not fresh', () => {
    const now = Math.floor(Date.now() / 1000);
    assert.deepEqual(
      [0, 590, -590, 620, -620, Number.NaN].map((seconds) => isFresh({ nonce: 'x', timestamp: now + seconds })),
      [true, true, true, false, false, false],
    );
  });
});
