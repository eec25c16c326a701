// The wallet signer in isolation: it executes only payloads that an active and permitted key of the wallet signed, each once, and money
// leaves a wallet in no other way.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { moveMoney, serviceAccountId } from '../../../src/domains/ledger/actions.js';
import { type Id, idOf, newId, newUuid, type PlatformId, uuidOf } from '../../../src/kernel/ids.js';
import { plusMs } from '../../../src/kernel/time.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';
import {
  ACTIVITY_TYPES,
  type ActivityType,
  describeActivity,
  describeTransfer,
  type Parameters,
} from '../../../src/providers/wallet-signer/activity.js';
import { generateP256KeyPair, type P256KeyPair } from '../../../src/providers/wallet-signer/p256.js';
import { createWalletSigner, type SignedPayload, type WalletRef } from '../../../src/providers/wallet-signer/signer.js';
import { parseStamp, type Stamp } from '../../../src/providers/wallet-signer/stamp.js';
import { changesNothing } from '../../support/fingerprint.js';
import { given } from '../../support/given.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { makeStamp } from '../../support/stamps.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const quorum = generateP256KeyPair();
const signer = createWalletSigner({
  custody: createKeyCustody([Buffer.alloc(32, 7)]),
  quorumKey: () => quorum,
  cardSettlementAccount: (platformId, currency) => serviceAccountId(platformId, 'CARD_SETTLEMENT', currency),
});

const now = new Date('2026-03-01T12:00:00Z');
const later = (ms: number) => plusMs(now, ms);

type Held = { readonly ref: WalletRef; readonly session: P256KeyPair & { readonly id: Id<'Session'> } };

/** A funded wallet with one session of 15 minutes. */
async function heldWallet(amount = 1_000): Promise<Held> {
  const account = await given(service.platform).fundedAccount('USDB', amount);
  const row = await service.db.one<{ platform_id: string }>(
    sql`select platform_id from internal_accounts where id = ${uuidOf(account.id)}`,
  );
  const ref: WalletRef = { platformId: idOf('Platform', row?.platform_id ?? ''), accountId: account.id };
  const session = { ...generateP256KeyPair(), id: newId('Session') };
  await service.db.transaction(async (tx) => {
    await signer.createWallet(tx, ref, now);
    await signer.addSession(tx, ref, { ...session, expiresAt: later(15 * 60_000) }, now);
  });
  return { ref, session };
}

const text = (pair: P256KeyPair, payload: string): SignedPayload => ({ payload, stamp: parseStamp(makeStamp(pair, payload)) as Stamp });
const activity = ({ ref }: Held, type: ActivityType, parameters: Parameters, at = now): string =>
  describeActivity({ type, accountId: ref.accountId, parameters, at });
const submit = ({ ref }: Held, signed: SignedPayload, at = now) =>
  service.db.transaction((tx) => signer.submit(tx, ref.platformId, signed, at));

type Delegated = P256KeyPair & { readonly id: Id<'DelegatedKey'> };

/** A delegated signer; without policies it is that of a PENDING key. */
async function delegated(held: Held, { granted = true } = {}): Promise<Delegated> {
  const key = { ...generateP256KeyPair(), id: newId('DelegatedKey') };
  const parameters = { signerId: key.id, publicKey: key.publicKey };
  const create = await submit(held, text(held.session, activity(held, ACTIVITY_TYPES.createSigner, parameters)));
  assert.ok(typeof create !== 'string', String(create));
  if (granted)
    assert.ok(typeof (await submit(held, text(held.session, activity(held, ACTIVITY_TYPES.grantPolicies, parameters)))) !== 'string');
  return key;
}

const settlement = ({ platformId }: WalletRef) => serviceAccountId(platformId, 'CARD_SETTLEMENT', 'USDB');
const transferOf = (held: Held, changes: { to?: string; amount?: bigint; id?: string } = {}) => ({
  transferId: changes.id ?? newUuid(),
  accountId: held.ref.accountId,
  to: changes.to ?? settlement(held.ref),
  amount: changes.amount ?? 100n,
  currency: 'USDB',
  cause: 'CARD_AUTHORIZATION',
});
type Transfer = ReturnType<typeof transferOf>;

const authorize = ({ ref }: Held, texts: readonly SignedPayload[], at = now) =>
  service.db.transaction((tx) => signer.authorizeTransfers(tx, ref.platformId, texts, at));
const post = (platformId: PlatformId, { transferId, accountId, to, amount, currency, cause }: Transfer) => ({
  platformId,
  moves: [{ kind: 'POST' as const, transfer: { id: transferId, from: uuidOf(accountId), to, amount, currency, cause } }],
});

/** Authorizes and moves in one transaction, as a card authorization does. */
const pull = (held: Held, key: P256KeyPair, transfer: Transfer, moved = transfer) =>
  service.db.transaction(async (tx) => {
    const [verdict] = await signer.authorizeTransfers(tx, held.ref.platformId, [text(key, describeTransfer(transfer, now))], now);
    const { platformId, moves } = post(held.ref.platformId, moved);
    await moveMoney(tx, platformId, moves);
    return verdict;
  });

describe('who may move money', () => {
  test("the owner's session, and a delegated key with the policy; the activity log records which", async () => {
    const held = await heldWallet();
    const key = await delegated(held);
    const [bySession, byKey] = [transferOf(held, { amount: 300n }), transferOf(held, { amount: 200n })];
    await pull(held, held.session, bySession);
    await pull(held, key, byKey);
    const balance = await service.db.one(sql`select available, total from ledger_accounts where id = ${uuidOf(held.ref.accountId)}`);
    assert.deepEqual(balance, { available: 500n, total: 500n });
    const log = await service.db.many(sql`
      select transfer_id, signer_id, public_key, amount from wallet_activities where account_id = ${uuidOf(held.ref.accountId)} and transfer_id is not null order by id`);
    assert.deepEqual(log, [
      { transfer_id: bySession.transferId, signer_id: uuidOf(held.session.id), public_key: held.session.publicKey, amount: 300n },
      { transfer_id: byKey.transferId, signer_id: uuidOf(key.id), public_key: key.publicKey, amount: 200n },
    ]);
  });

  test('a PENDING key cannot sign: its signer has no policies', async () => {
    const held = await heldWallet();
    const key = await delegated(held, { granted: false });
    const asked = text(key, describeTransfer(transferOf(held), now));
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [asked])), ['POLICY_DENIED']);
  });

  test('a REVOKED key cannot sign: its signer was deleted', async () => {
    const held = await heldWallet();
    const key = await delegated(held);
    const remove = text(key, activity(held, ACTIVITY_TYPES.deleteSigner, { signerId: key.id, publicKey: key.publicKey }));
    assert.ok(typeof (await submit(held, remove)) !== 'string');
    const asked = text(key, describeTransfer(transferOf(held), now));
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [asked])), ['KEY_UNKNOWN']);
  });

  test('a delegated key pays for cards and nothing else', async () => {
    const held = await heldWallet();
    const key = await delegated(held);
    const elsewhere = transferOf(held, { to: serviceAccountId(held.ref.platformId, 'FUNDING', 'USDB') });
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [text(key, describeTransfer(elsewhere, now))])), [
      'POLICY_DENIED',
    ]);
    const [byOwner] = await authorize(held, [text(held.session, describeTransfer(elsewhere, now))]);
    assert.notEqual(typeof byOwner, 'string');
  });

  test('nobody else: an unknown key, an expired session, a removed session, the signer of another wallet', async () => {
    const [held, other] = [await heldWallet(), await heldWallet()];
    const payload = describeTransfer(transferOf(held), now);
    const strangers = [text(generateP256KeyPair(), payload), text(other.session, payload)];
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, strangers)), ['KEY_UNKNOWN', 'KEY_UNKNOWN']);
    const late = describeTransfer(transferOf(held), later(15 * 60_000));
    assert.deepEqual(await authorize(held, [text(held.session, late)], later(15 * 60_000)), ['KEY_EXPIRED']);
    await service.db.transaction((tx) => signer.removeSessions(tx, held.ref, [held.session.id], now));
    assert.deepEqual(await authorize(held, [text(held.session, payload)]), ['KEY_UNKNOWN']);
  });
});

describe('what is signed', () => {
  test('refused: a signature over another payload, an expired payload, one from the future, one that is not an activity', async () => {
    const held = await heldWallet();
    const payload = describeTransfer(transferOf(held), now);
    const forged: SignedPayload = { payload, stamp: text(held.session, `${payload} `).stamp };
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [forged])), ['SIGNATURE_INVALID']);
    assert.deepEqual(await authorize(held, [text(held.session, payload)], later(5 * 60_000)), ['PAYLOAD_EXPIRED']);
    assert.deepEqual(await authorize(held, [text(held.session, describeTransfer(transferOf(held), later(1)))]), ['PAYLOAD_EXPIRED']);
    for (const none of [
      '',
      '{}',
      '[]',
      payload.replace('USDB', 'USDB"'),
      payload.replace(/"type":"[^"]+"/, '"type":"ACTIVITY_TYPE_OTHER"'),
    ]) {
      assert.deepEqual(await authorize(held, [text(held.session, none)]), ['PAYLOAD_UNKNOWN'], none);
    }
    assert.notEqual(typeof (await authorize(held, [text(held.session, payload)], later(5 * 60_000 - 1)))[0], 'string');
  });

  test('a payload is executed once, also when it is twice in one batch', async () => {
    const held = await heldWallet();
    const asked = text(held.session, describeTransfer(transferOf(held), now));
    const verdicts = await authorize(held, [asked, asked]);
    assert.deepEqual(verdicts.map((verdict) => (typeof verdict === 'string' ? verdict : 'ALLOWED')).sort(), ['ALLOWED', 'PAYLOAD_USED']);
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [asked])), ['PAYLOAD_USED']);
  });

  test('one transfer id moves money once, even if it is signed again', async () => {
    const held = await heldWallet();
    const id = newUuid();
    await pull(held, held.session, transferOf(held, { id }));
    const again = text(held.session, describeTransfer(transferOf(held, { id, amount: 200n }), now));
    assert.deepEqual(await changesNothing(service.db, () => authorize(held, [again])), ['PAYLOAD_USED']);
  });

  test('policies are granted to the signer and key that the payload names, and by the owner only', async () => {
    const held = await heldWallet();
    const key = await delegated(held, { granted: false });
    const other = generateP256KeyPair();
    const grant = (parameters: Parameters) => activity(held, ACTIVITY_TYPES.grantPolicies, parameters);
    const wrongKey = text(held.session, grant({ signerId: key.id, publicKey: other.publicKey }));
    await assert.doesNotReject(async () => assert.equal(await submit(held, wrongKey), 'PAYLOAD_UNKNOWN'));
    const itself = text(key, grant({ signerId: key.id, publicKey: key.publicKey }));
    assert.equal(await changesNothing(service.db, () => submit(held, itself)), 'POLICY_DENIED');
  });

  test('a delegated signer may delete itself, not another, and may do nothing else', async () => {
    const held = await heldWallet();
    const [key, other] = [await delegated(held), await delegated(held)];
    const asks = [
      activity(held, ACTIVITY_TYPES.deleteSigner, { signerId: other.id, publicKey: other.publicKey }),
      activity(held, ACTIVITY_TYPES.exportWallet, { targetPublicKey: key.publicKey }),
      activity(held, ACTIVITY_TYPES.createSession, { targetPublicKey: key.publicKey }),
      activity(held, ACTIVITY_TYPES.createSigner, { signerId: newId('DelegatedKey'), publicKey: key.publicKey }),
    ];
    for (const asked of asks) assert.equal(await changesNothing(service.db, () => submit(held, text(key, asked))), 'POLICY_DENIED');
  });
});

describe('the ledger takes no money out of a wallet without authorization of the signer', () => {
  const refused = /needs the signer/;
  const move = (held: Held, transfer: Transfer, kind: 'POST' | 'HOLD' = 'POST') =>
    service.db.transaction((tx) => {
      const { platformId, moves } = post(held.ref.platformId, transfer);
      return moveMoney(
        tx,
        platformId,
        moves.map((each) => ({ ...each, kind })),
      );
    });

  test('neither by a transfer nor by a hold, provisioned wallet or not', async () => {
    const held = await heldWallet();
    await changesNothing(service.db, async () => {
      await assert.rejects(move(held, transferOf(held)), refused);
      await assert.rejects(move(held, transferOf(held), 'HOLD'), refused);
    });
    const account = await given(service.platform).fundedAccount('USDB', 1_000);
    const bare: Held = { ...held, ref: { ...held.ref, accountId: account.id } };
    await assert.rejects(move(bare, transferOf(bare)), refused);
  });

  test('not for another amount or to another account than authorized', async () => {
    const held = await heldWallet();
    const transfer = transferOf(held);
    await changesNothing(service.db, async () => {
      await assert.rejects(pull(held, held.session, transfer, { ...transfer, amount: 101n }), refused);
      await assert.rejects(
        pull(held, held.session, transfer, { ...transfer, to: serviceAccountId(held.ref.platformId, 'FUNDING', 'USDB') }),
        refused,
      );
    });
    await pull(held, held.session, transfer);
  });

  test('credits to a wallet and debits of other accounts need no authorization', async () => {
    const held = await heldWallet(0);
    const from = serviceAccountId(held.ref.platformId, 'FUNDING', 'USDB');
    await service.db.transaction((tx) =>
      moveMoney(tx, held.ref.platformId, [
        { kind: 'POST', transfer: { id: newUuid(), from, to: uuidOf(held.ref.accountId), amount: 5n, currency: 'USDB', cause: 'DEPOSIT' } },
      ]),
    );
  });

  test('the activity log cannot be changed', async () => {
    const held = await heldWallet();
    await pull(held, held.session, transferOf(held));
    for (const statement of [
      sql`update wallet_activities set public_key = ''`,
      sql`delete from wallet_activities`,
      sql`truncate wallet_activities`,
    ]) {
      await assert.rejects(service.db.run(statement), /append-only/);
    }
  });
});
