// Accounts with a history of any shape, written straight into the ledger, and readers of their windows through the API.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.js';
import { lockHolds, moveMoney, serviceAccountId } from '../../../src/domains/ledger/actions.js';
import type { Move } from '../../../src/domains/ledger/ledger.js';
import { type InternalAccountId, idOf, newUuid, uuidOf } from '../../../src/kernel/ids.js';
import { requestCard } from '../cards.js';
import { type Client, expectStatus } from '../client.js';
import { given } from '../given.js';
import { move, openAccount } from '../ledger.js';
import type { TestService } from '../service.js';
import { platformIdOf } from '../webhooks/platform.js';

export async function historyOf(service: TestService, platform: Client) {
  const { db } = service;
  const platformId = await platformIdOf(service, platform);
  const outside = serviceAccountId(platformId, 'FUNDING', 'USD');
  const holders = new Map<InternalAccountId, string>();
  const transfer = (from: string, to: string, amount: number) => ({
    id: newUuid(),
    from,
    to,
    amount: BigInt(amount),
    currency: 'USD',
    cause: 'TEST',
    transactionId: newUuid(),
  });

  /** Money in (positive) or out (negative), from or to the outside. */
  const change = (account: InternalAccountId, amount: number): Move => ({
    kind: 'POST',
    transfer: amount > 0 ? transfer(outside, uuidOf(account), amount) : transfer(uuidOf(account), outside, -amount),
  });
  const moveAll = (...moves: Move[]) => move(db, platformId, ...moves);

  return {
    platformId,
    change,
    move: moveAll,

    /** Money from one account to another. */
    between: (from: InternalAccountId, to: InternalAccountId, amount: number): Move => ({
      kind: 'POST',
      transfer: transfer(uuidOf(from), uuidOf(to), amount),
    }),

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
      const id = await openAccount(db, platformId, currency);
      await db.run(sql`
        insert into internal_accounts (platform_id, id, customer_id, type, status, currency, created_at, updated_at)
        values (${uuidOf(platformId)}, ${id}, ${uuidOf(customer.id)}, ${type}, 'ACTIVE', ${currency}, now(), now())`);
      return idOf('InternalAccount', id);
    },

    /** Money in or out, one posting each. */
    async post(account: InternalAccountId, ...amounts: number[]): Promise<void> {
      for (const amount of amounts) await moveAll(change(account, amount));
    },

    /** Holds money. Returns the function that resolves the hold. */
    async hold(account: InternalAccountId, amount: number): Promise<(outcome: 'POSTED' | 'VOIDED' | 'EXPIRED') => Promise<unknown>> {
      const held = transfer(uuidOf(account), outside, amount);
      await moveAll({ kind: 'HOLD', transfer: held });
      return (outcome) =>
        db.transaction(async (tx) => {
          const holds = await lockHolds(tx, platformId, [held.transactionId]);
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

    /** The receipt of a period, if there is one. */
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

/** Reads every page of a window and checks that it adds up. */
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
