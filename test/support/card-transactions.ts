// Builders for funded cards, and a client of the simulated card network.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Db } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { chooseProgram, givenCard, provisioned, requestCard, type Wanted } from './cards.js';
import { type Answer, type Client, expectStatus } from './client.js';
import { given } from './given.js';
import { issuerPost } from './issuer.js';
import { assertLedgerHolds, balanceOf } from './ledger.js';
import { delegate, type Wallet, wallet } from './wallet.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const DAY = 24 * 60 * 60 * 1000;

export const USD = { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 };

export const merchant = (descriptor = 'CORNER SHOP') => ({ descriptor, mcc: '5411', city: 'London', country: 'GB' });

export const purchaseOf = (amount: number, descriptor?: string) => ({ amount, currency: USD, merchant: merchant(descriptor) });

/** An ACTIVE card on a USD account with this balance. */
export async function fundedCard(
  platform: Client,
  funds: number,
  wanted: Wanted = {},
): Promise<{ card: Resource; account: Resource; customer: Resource }> {
  const { card, usd, customer } = await givenCard(platform, wanted);
  return { card, customer, account: funds > 0 ? await given(platform).fund(usd, funds) : usd };
}

/** An ACTIVE card on the USDB wallet of an end user who delegated a key to it. */
export async function walletCard(
  platform: Client,
  funds: number,
): Promise<{ card: Resource; account: Resource; customer: Resource; owner: Wallet; key: Resource }> {
  await chooseProgram(platform, 'service_full');
  const owner = await wallet(platform);
  const { id } = await expectStatus(201, requestCard(platform, { customerId: owner.customer.id, fundingSource: owner.account.id }));
  await provisioned(platform, id);
  const key = await delegate(owner, { id });
  const account = await given(platform).fund(owner.account, funds);
  const card = await expectStatus(200, platform.get(`/cards/${id}`));
  assert.equal(card.status, 'ACTIVE');
  return { card, account, customer: owner.customer, owner, key };
}

const KINDS = {
  clearing: 'clearing',
  advise: 'authorization_advice',
  reverse: 'authorization_reversal',
  expire: 'authorization_expiry',
  takeReturnBack: 'return_reversal',
} as const;

/** The simulated network for one card. A message has been applied when its response arrives. */
export function networkOf(platform: Client, card: { readonly id: string }) {
  const send = (name: string, body: unknown): Promise<Answer> => platform.post(`/sandbox/cards/${card.id}/simulate/${name}`, body);
  const read = (id: string): Promise<Resource> => expectStatus(200, platform.get(`/transactions/${id}`));
  const open = async (name: string, amount: number, descriptor?: string): Promise<Resource> => {
    const { issuerTransactionToken } = await expectStatus(202, send(name, purchaseOf(amount, descriptor)));
    return byToken(platform, issuerTransactionToken);
  };
  const follow = async (kind: keyof typeof KINDS, transaction: Resource, amount?: number): Promise<Resource> => {
    const body = { cardTransactionId: transaction.id, ...(amount === undefined ? {} : { amount }) };
    const { issuerTransactionToken } = await expectStatus(202, send(KINDS[kind], body));
    assert.equal(issuerTransactionToken, transaction.issuerTransactionToken);
    return read(transaction.id);
  };
  return {
    send,
    read,
    open,
    authorize: (amount: number, descriptor?: string): Promise<Resource> => open('authorization', amount, descriptor),
    clear: (transaction: Resource, amount: number): Promise<Resource> => follow('clearing', transaction, amount),
    advise: (transaction: Resource, amount: number): Promise<Resource> => follow('advise', transaction, amount),
    reverse: (transaction: Resource, amount?: number): Promise<Resource> => follow('reverse', transaction, amount),
    expire: (transaction: Resource): Promise<Resource> => follow('expire', transaction),
    takeReturnBack: (returned: Resource): Promise<Resource> => follow('takeReturnBack', returned),
    /** Returns the credit transaction. */
    giveBack: async (transaction: Resource, amount: number): Promise<Resource> =>
      byToken(platform, (await expectStatus(202, send('return', { cardTransactionId: transaction.id, amount }))).issuerTransactionToken),
  };
}

export type Network = ReturnType<typeof networkOf>;

export async function byToken(platform: Client, token: string): Promise<Resource> {
  const { data, totalCount } = await expectStatus(200, platform.get(`/transactions?reference=${token}`));
  assert.equal(totalCount, 1, `one transaction for ${token}`);
  return data[0];
}

/** The fields of a transaction that most tests compare. */
export const gist = ({ status, authorizedAmount, settledAmount, refundedAmount, cardDeclinedReason }: Resource) => ({
  status,
  authorized: authorizedAmount.amount,
  ...(settledAmount === undefined ? {} : { settled: settledAmount.amount }),
  ...(refundedAmount === undefined ? {} : { refunded: refundedAmount.amount }),
  ...(cardDeclinedReason === undefined ? {} : { declined: cardDeclinedReason }),
});

/** The total and the available balance of the account. */
export async function moneyOn(db: Db, account: { readonly id: string }): Promise<{ available: number; total: number }> {
  const { available, total } = await balanceOf(db, account.id.slice(account.id.indexOf(':') + 1));
  return { available: Number(available), total: Number(total) };
}

export async function platformOf(db: Db, card: { readonly id: string }): Promise<PlatformId> {
  const row = await db.one<{ id: string }>(sql`select platform_id as id from cards where id = ${uuidOf(card.id as `Card:${string}`)}`);
  assert.ok(row);
  return idOf('Platform', row.id);
}

/** What the holders of the platform's accounts owe. */
export async function owedOn(db: Db, platformId: PlatformId): Promise<number> {
  const row = await db.one<{ sum: bigint }>(
    sql`select coalesce(sum(owed), 0)::bigint as sum from ledger_accounts where platform_id = ${uuidOf(platformId)}`,
  );
  return Number(row?.sum);
}

/** What was taken from wallets for purchases that have not settled yet. An advice takes at most what the wallet holds. */
export async function pulledAhead(db: Db, platformId: PlatformId): Promise<number> {
  const row = await db.one<{ sum: bigint }>(sql`
    select coalesce(sum(pulled + shortfall - settled + refunded), 0)::bigint as sum from card_transactions
    where platform_id = ${uuidOf(platformId)} and direction = 'DEBIT'`);
  return Number(row?.sum);
}

/** The amount that the service's reserve has lent to holders of the platform, minus amounts returned to it. */
export async function lentByReserve(db: Db, platformId: PlatformId): Promise<number> {
  const row = await db.one<{ sum: bigint }>(sql`
    select coalesce(-sum(e.amount), 0)::bigint as sum from entries e
    join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id
    where e.platform_id = ${uuidOf(platformId)} and a.purpose = 'RESERVE'`);
  return Number(row?.sum);
}

/** The ledger balances, and the holds equal the held amounts of the transactions. */
export async function assertAtRest(db: Db, platformId: PlatformId): Promise<void> {
  await assertLedgerHolds(db, platformId);
  const unbacked = await db.many(sql`
    select t.id, t.held, h.amount as reserved, t.expires_at, h.expires_at as hold_expires_at
    from (select * from card_transactions where platform_id = ${uuidOf(platformId)}) t
    full join (select * from holds where platform_id = ${uuidOf(platformId)} and expires_at is not null) h
      on h.transaction_id = t.id and h.owner_id = t.card_id
    where t.held is distinct from coalesce(h.amount, 0) or t.expires_at is distinct from h.expires_at`);
  assert.deepEqual(unbacked, [], 'an open transaction has a hold of its held amount with its expiry, and any other has none');
}

// ---- the issuer's interface

export type AuthorizationRequest = {
  readonly token?: string;
  readonly amount: number;
  readonly kind?: string;
  readonly currency?: string;
  readonly network?: string;
};

/** The processor of a program's issuer, about one card. */
export function issuerOf(platform: Client, card: { readonly id: string }, program = 'service_full') {
  return {
    ask: ({ token = randomUUID(), amount, kind, currency = 'USD', network }: AuthorizationRequest): Promise<Answer> =>
      issuerPost(
        platform,
        '/issuer/authorizations',
        {
          cardId: card.id,
          issuerTransactionToken: token,
          amount,
          currency,
          merchant: merchant(),
          ...(kind === undefined ? {} : { kind }),
          ...(network === undefined ? {} : { network }),
        },
        { program },
      ),
    tell: (
      kind: string,
      token: string,
      fields: { amount?: number; messageToken?: string; cardId?: string; merchant?: unknown } = {},
    ): Promise<Answer> =>
      issuerPost(platform, '/issuer/messages', { kind, issuerTransactionToken: token, messageToken: randomUUID(), ...fields }, { program }),
  };
}
