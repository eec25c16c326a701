// The sandbox issuer of stablecoins. The last three characters of what it is given decide what it does; the platform's clock does the rest.
import { createHash } from 'node:crypto';
import { bech32m } from '@scure/base';
import type { Db, Tx } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { assert } from '../kernel/errors.js';
import { type PlatformId, uuidOf } from '../kernel/ids.js';
import { MINUTE_MS } from '../kernel/time.js';
import {
  type FundingInstructions,
  type Issuance,
  type IssuerAccount,
  type IssuerOrder,
  IssuerUnreachable,
  type OrderReport,
  type StablecoinIssuer,
  type TokenReference,
} from './stablecoin-issuer.js';

const endingOf = (text: string): string => text.slice(-3);

const isRejected = ({ credentials }: IssuerAccount): boolean => endingOf(credentials.apiClientSecret) === '005';
const REJECTED = { kind: 'CREDENTIALS_REJECTED' } as const;

// ---- tokens

/** The statuses of an issuance, a minute each, and the last for good. */
const ISSUANCES: Readonly<Record<string, readonly Issuance['issuanceStatus'][]>> = {
  '003': ['PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED'],
  '004': ['PENDING_REVIEW', 'REJECTED'],
  '005': ['PROVISIONING', 'FAILED'],
};

const DECIMALS = 6;
/** 100 to 118 are tokens with 0 to 18 decimals. */
const decimalsOf = (identifier: string): number => {
  const ending = Number(/1\d\d$/.exec(identifier)?.[0] ?? 'NaN') - 100;
  return ending >= 0 && ending <= 18 ? ending : DECIMALS;
};

function issuanceAt({ providerTokenIdentifier }: TokenReference, elapsedMs: number): Issuance {
  const statuses = ISSUANCES[endingOf(providerTokenIdentifier)] ?? ['PROVISIONED'];
  const passed = Math.max(0, Math.floor(elapsedMs / MINUTE_MS));
  const step = Math.min(passed, statuses.length - 1);
  const issuanceStatus = statuses[step];
  assert(issuanceStatus, 'every issuance has a status');
  return { issuanceStatus, checkAfterMs: step === statuses.length - 1 ? undefined : (step + 1) * MINUTE_MS - elapsedMs };
}

// ---- orders

type Outcome = 'COMPLETES' | 'TRANSFER_FAILS' | 'NEVER_FUNDED' | 'INSUFFICIENT_BALANCE';

type OrderRow = {
  token: string;
  amount: string;
  is_funded: boolean;
  outcome: Outcome;
  /** The amount was taken from the balance at the provider and not given back. */
  is_taken: boolean;
  canceled: boolean;
  created_at: Date;
};

const INITIAL_TOKENS = 1_000_000n;

const outcomeOf = ({ cents, funding }: IssuerOrder, isCovered: boolean): Outcome => {
  if (!isCovered) return 'INSUFFICIENT_BALANCE';
  const ending = endingOf(String(cents));
  if (ending === '002') return 'TRANSFER_FAILS';
  return ending === '005' && funding === 'FUNDED' ? 'NEVER_FUNDED' : 'COMPLETES';
};

/** The stages of an order, a minute each, and the last for good. */
function stagesOf({ is_funded: isFunded, outcome }: OrderRow): readonly OrderReport[] {
  if (outcome === 'NEVER_FUNDED') return [{ stage: 'FUNDING' }];
  if (outcome === 'INSUFFICIENT_BALANCE') return [{ stage: 'QUEUED' }, { stage: 'FAILED', failure: 'PROVIDER_INSUFFICIENT_BALANCE' }];
  const end: OrderReport = outcome === 'COMPLETES' ? { stage: 'COMPLETED' } : { stage: 'FAILED', failure: 'PROVIDER_TRANSFER_FAILED' };
  return [...(isFunded ? [{ stage: 'FUNDING' } as const] : []), { stage: 'QUEUED' }, { stage: 'PROCESSING' }, end];
}

function reportAt(order: OrderRow, now: Date): OrderReport {
  if (order.canceled) return { stage: 'CANCELED' };
  const stages = stagesOf(order);
  const elapsedMs = Math.max(0, now.getTime() - order.created_at.getTime());
  const step = Math.min(Math.floor(elapsedMs / MINUTE_MS), stages.length - 1);
  const report = stages[step];
  assert(report, 'every order has a stage');
  return step === stages.length - 1 ? report : { ...report, checkAfterMs: (step + 1) * MINUTE_MS - elapsedMs };
}

const keyOf = (account: IssuerAccount, token: TokenReference): string => `${account.providerAccountId} ${token.providerTokenIdentifier}`;

/** What the platform holds at the provider. Locked: orders that spend it wait for each other. */
async function lockBalance(tx: Tx, { platformId }: IssuerAccount, token: string, decimals: number): Promise<bigint> {
  const platform = uuidOf(platformId);
  await tx.run(sql`
    insert into sandbox_issuer_balances (platform_id, token, available)
    values (${platform}, ${token}, ${(INITIAL_TOKENS * 10n ** BigInt(decimals)).toString()}) on conflict do nothing`);
  const row = await tx.one<{ available: string }>(sql`
    select available from sandbox_issuer_balances where platform_id = ${platform} and token = ${token} for update`);
  assert(row, 'the balance was just opened');
  return BigInt(row.available);
}

const addToBalance = (tx: Tx, platformId: PlatformId, token: string, amount: string): void =>
  tx.send(sql`
    update sandbox_issuer_balances set available = available + ${amount}::numeric where platform_id = ${uuidOf(platformId)} and token = ${token}`);

function giveBack(tx: Tx, platformId: PlatformId, orderId: string, { token, amount }: OrderRow): void {
  tx.send(sql`update sandbox_issuer_orders set is_taken = false where platform_id = ${uuidOf(platformId)} and id = ${orderId}`);
  addToBalance(tx, platformId, token, amount);
}

const lockOrder = (tx: Tx, platformId: PlatformId, id: string): Promise<OrderRow | undefined> =>
  tx.one<OrderRow>(sql`
    select token, amount, is_funded, outcome, is_taken, is_canceled as canceled, created_at from sandbox_issuer_orders
    where platform_id = ${uuidOf(platformId)} and id = ${id} for update`);

/** The order as first given. A repeat finds it, also one that arrives at the same time. */
async function placeOrder(tx: Tx, account: IssuerAccount, order: IssuerOrder): Promise<OrderRow> {
  const { platformId } = account;
  const token = keyOf(account, order.token);
  const spendsBalance = order.funding === 'PROVIDER_BALANCE';
  const balance = spendsBalance ? await lockBalance(tx, account, token, order.token.decimals) : 0n;
  const isCovered = !spendsBalance || balance >= order.amount;
  const isTaken = spendsBalance && isCovered;
  const inserted = await tx.run(sql`
    insert into sandbox_issuer_orders (platform_id, id, token, amount, is_funded, outcome, is_taken, created_at)
    values (${uuidOf(platformId)}, ${order.id}, ${token}, ${order.amount.toString()}, ${order.funding === 'FUNDED'}, ${outcomeOf(order, isCovered)},
      ${isTaken}, ${order.createdAt})
    on conflict do nothing`);
  if (inserted === 1 && isTaken) addToBalance(tx, platformId, token, (-order.amount).toString());
  const placed = await lockOrder(tx, platformId, order.id);
  assert(placed, 'the order was just written');
  return placed;
}

const digest = (id: string, what: string): Buffer => createHash('sha256').update(`${what} ${id}`).digest();
const digits = (id: string, what: string, length: number): string =>
  (BigInt(`0x${digest(id, what).toString('hex')}`) % 10n ** BigInt(length)).toString().padStart(length, '0');

/** Derived from the order, so that a repeat shows the same. Nothing sent there arrives. */
function instructionsFor({ id, type, token, cents }: IssuerOrder): FundingInstructions {
  if (type === 'MINT')
    return {
      rail: 'WIRE',
      beneficiaryName: 'Sandbox Issuer',
      bankName: 'Sandbox Bank',
      accountNumber: `9${digits(id, 'account', 11)}`,
      routingNumber: '110000000',
      reference: `SC${id.replaceAll('-', '').toUpperCase()}`,
      amount: String(cents),
      currency: 'USD',
    };
  return {
    rail: 'SPARK',
    network: 'SPARK',
    // A regtest address: a compressed key as member 1 of a protobuf message.
    address: bech32m.encode('sparkrt', bech32m.toWords(Buffer.concat([Buffer.of(0x0a, 33, 0x02), digest(id, 'spark')])), 120),
    valueType: token.providerTokenIdentifier,
  };
}

export const sandboxStablecoinIssuer = (db: Db): StablecoinIssuer => ({
  async verify({ apiClientId, apiClientSecret }, providerAccountId) {
    const ending = endingOf(apiClientSecret);
    if (ending === '003') throw new IssuerUnreachable('the provider cannot be reached');
    if (ending === '002' || (providerAccountId !== undefined && endingOf(providerAccountId) === '002')) return { kind: 'REFUSED' };
    if (providerAccountId !== undefined) return { kind: 'VERIFIED', providerAccountId };
    if (endingOf(apiClientId) === '004') return { kind: 'SEVERAL_ACCOUNTS' };
    return { kind: 'VERIFIED', providerAccountId: `acct-${apiClientId}` };
  },

  async findToken(account, token) {
    if (isRejected(account)) return REJECTED;
    const { providerTokenIdentifier: symbol } = token;
    if (endingOf(symbol) === '002' || endingOf(token.networkTokenIdentifier) === '002') return { kind: 'UNKNOWN' };
    const about = { name: `${symbol} Dollar`, symbol, baseCurrency: 'USD', decimals: decimalsOf(symbol) };
    return { kind: 'FOUND', token: { ...about, ...issuanceAt(token, 0) } };
  },

  followToken: async (_account, token, { since, now }) => issuanceAt(token, now.getTime() - since.getTime()),

  linkAccount: async (account, { accountNumber = '' }) =>
    isRejected(account) ? REJECTED : { kind: endingOf(accountNumber) === '008' ? 'REFUSED' : 'LINKED' },

  async order(account, order) {
    if (isRejected(account)) return REJECTED;
    if (endingOf(account.credentials.apiClientSecret) === '006') throw new IssuerUnreachable('the provider cannot be reached');
    const placed = await db.transaction((tx) => placeOrder(tx, account, order));
    const fundingInstructions = order.funding === 'FUNDED' ? instructionsFor(order) : undefined;
    return { kind: 'ACCEPTED', report: reportAt(placed, order.createdAt), fundingInstructions };
  },

  follow: ({ platformId }, orderId, now) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, platformId, orderId);
      if (!order) return { stage: 'CANCELED' };
      const report = reportAt(order, now);
      if (order.is_taken && report.stage === 'FAILED') giveBack(tx, platformId, orderId, order);
      return report;
    }),

  cancel: ({ platformId }, orderId) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, platformId, orderId);
      if (!order || order.canceled) return;
      await tx.run(sql`
        update sandbox_issuer_orders set is_canceled = true where platform_id = ${uuidOf(platformId)} and id = ${orderId}`);
      if (order.is_taken) giveBack(tx, platformId, orderId, order);
    }),
});
