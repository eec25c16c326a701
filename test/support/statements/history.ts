// Accounts with a history of any shape, written straight into the ledger, and readers of their windows through the API.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.js';
import { insertAccount, lockHolds, moveMoney, serviceAccountId } from '../../../src/domains/ledger/actions.js';
import type { Move } from '../../../src/domains/ledger/ledger.js';
import { type InternalAccountId, idOf, newUuid, type PlatformId, uuidOf } from '../../../src/kernel/ids.js';
import { requestCard } from '../cards.js';
import { type Client, expectStatus } from '../client.js';
import { given } from '../given.js';
import type { TestService } from '../service.js';

export async function historyOf({ db }: TestService, platform: Client) {
  const found = await db.one<{ platform_id: string }>(sql`select platform_id from api_tokens where client_id = ${platform.tokenId}`);
  assert.ok(found);
  const platformId: PlatformId = idOf('Platform', found.platform_id);
  const holders = new Map<InternalAccountId, string>();
  const funding = (currency: string) => serviceAccountId(platformId, 'FUNDING', currency);

  /** Money in (positive) or out (negative), to or from the outside. */
  const change = (account: InternalAccountId, amount: number, transactionId: string = newUuid()): Move => {
    const [outside, inside] = [funding('USD'), uuidOf(account)];
    const [from, to] = amount > 0 ? [outside, inside] : [inside, outside];
    return {
      kind: 'POST',
      transfer: { id: newUuid(), from, to, amount: BigInt(Math.abs(amount)), currency: 'USD', cause: 'test', transactionId },
    };
  };
  const move = (...moves: Move[]) => db.transaction((tx) => moveMoney(tx, platformId, moves));

  return {
    platformId,
    change,
    move,

    /** A fresh customer's own USD account. */
    async account(): Promise<InternalAccountId> {
      const { id, customerId } = await given(platform).fundedAccount('USD', 0);
      holders.set(id, customerId);
      return id;
    },

    /** A customer's account of any kind, also of kinds the API opens only in passing. */
    async accountOf(type: string, currency: string): Promise<InternalAccountId> {
      const customer = await given(platform).customer();
      const own = await given(platform).account(customer, currency);
      if (own?.type === type) return own.id;
      const id = newUuid();
      await db.transaction(async (tx) => {
        await insertAccount(tx, platformId, { id, kind: 'CUSTOMER', currency });
        await tx.run(sql`
          insert into internal_accounts (platform_id, id, customer_id, type, status, currency, created_at, updated_at)
          values (${uuidOf(platformId)}, ${id}, ${uuidOf(customer.id)}, ${type}, 'ACTIVE', ${currency}, now(), now())`);
      });
      return idOf('InternalAccount', id);
    },

    /** The platform's own USD account. */
    async platformAccount(): Promise<InternalAccountId> {
      const { data } = await expectStatus(200, platform.get('/platform/internal-accounts?currency=USD'));
      return data[0].id;
    },

    /** Money in or out, one posting each. */
    async post(account: InternalAccountId, ...amounts: number[]): Promise<void> {
      for (const amount of amounts) await move(change(account, amount));
    },

    /** Reserves money; answers what ends the hold. */
    async hold(account: InternalAccountId, amount: number): Promise<(outcome: 'POSTED' | 'VOIDED' | 'EXPIRED') => Promise<unknown>> {
      const transactionId = newUuid();
      const transfer = {
        id: newUuid(),
        from: uuidOf(account),
        to: funding('USD'),
        amount: BigInt(amount),
        currency: 'USD',
        cause: 'test',
        transactionId,
      };
      await move({ kind: 'HOLD', transfer });
      return (outcome) =>
        db.transaction(async (tx) => {
          const holds = await lockHolds(tx, platformId, [transactionId]);
          return moveMoney(
            tx,
            platformId,
            holds.map((hold) => ({ kind: 'RESOLVE', hold, outcome })),
          );
        });
    },

    /** A card that the account funds from now on. */
    bindToCard: (account: InternalAccountId) =>
      expectStatus(201, requestCard(platform, { customerId: holders.get(account), fundingSource: account })),

    /** What the account's receipts table holds: nothing, or the record of one period. */
    receipts: (account: InternalAccountId) =>
      db.many<{ period_start: string; fetched_at: Date | null; delivered_at: Date | null }>(sql`
        select period_start, fetched_at, delivered_at from statement_receipts
        where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(account)} order by period_start`),
  };
}

export type History = Awaited<ReturnType<typeof historyOf>>;

type Instant = Date | string;
const wire = (at: Instant): string => (typeof at === 'string' ? at : at.toISOString());

export const windowPath = (id: string, startDate: Instant, endDate: Instant, more: Record<string, string | number> = {}): string =>
  `/internal-accounts/${id}/balance-changes?${new URLSearchParams({
    startDate: wire(startDate),
    endDate: wire(endDate),
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])),
  })}`;

export type ReadWindow = {
  readonly opening: number;
  readonly closing: number;
  readonly changes: readonly { id: string; transactionId?: string; amount: number; effectiveAt: string }[];
};

/** Reads every page of a window and holds it to what a statement promises. */
export async function readWindow(platform: Client, id: string, start: Instant, end: Instant, limit = 200): Promise<ReadWindow> {
  const changes: { id: string; transactionId?: string; amount: { amount: number }; effectiveAt: string }[] = [];
  let head: Record<string, unknown> | undefined;
  let cursor: string | undefined;
  do {
    const path = windowPath(id, start, end, { limit, ...(cursor === undefined ? {} : { cursor }) });
    const { data, hasMore, nextCursor, ...rest } = await expectStatus(200, platform.get(path));
    assert.equal(hasMore, nextCursor !== undefined);
    assert.equal(data.length, Math.min(limit, rest.totalCount - changes.length), 'every page but the last is full');
    assert.deepEqual(rest, head ?? rest, 'the window is the same on every page');
    head = rest;
    changes.push(...data);
    cursor = nextCursor;
  } while (cursor !== undefined);

  const { openingBalance, closingBalance, totalCount } = head as Record<string, { amount: number }> & { totalCount: number };
  const [opening, closing] = [openingBalance?.amount as number, closingBalance?.amount as number];
  assert.equal(
    opening + changes.reduce((sum, { amount }) => sum + amount.amount, 0),
    closing,
    'openingBalance + Σ amount == closingBalance',
  );
  assert.equal(changes.length, totalCount);
  assert.equal(new Set(changes.map((change) => change.id)).size, changes.length, 'no change is read twice');
  const times = changes.map(({ effectiveAt }) => effectiveAt);
  assert.deepEqual(times, [...times].sort(), 'in the order the money moved');
  for (const time of times) assert.ok(new Date(time) >= new Date(start) && new Date(time) < new Date(end), `${time} lies in the window`);
  return { opening, closing, changes: changes.map(({ amount, ...change }) => ({ ...change, amount: amount.amount })) };
}
