// Opens and closes internal accounts, and receives deposits.
import { lockName } from '../../../db/named-locks.js';
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import {
  type CustomerId,
  type InternalAccountId,
  idOf,
  newId,
  newUuid,
  type PlatformId,
  parseId,
  type TransactionId,
  uuidOf,
} from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { DepositProvider } from '../../../providers/deposits.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { NewEvent } from '../../core/webhooks/event.js';
import { isReadyToPay } from '../../identity/agreements/actions.js';
import { findCustomer, lockCustomerForShare } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { AccountsRequired } from '../../identity/customers/hooks.js';
import {
  insertAccounts as insertLedgerAccounts,
  lockBalances,
  moveMoney,
  type OutstandingOn,
  serviceAccountId,
} from '../../ledger/actions.js';
import type { Balance, Move } from '../../ledger/ledger.js';
import { accountsClosed, accountsOpened, depositReceived, outsideSweeps } from './hooks.js';
import type { CardCapabilitiesFor, InternalAccount, InternalAccountDraft, NewInternalAccount } from './internal-account.js';
import {
  changedAccounts,
  checkDraft,
  closeEmptyAccounts,
  type DepositFacts,
  type DepositStep,
  decideDeposit,
  isPaid,
  newOwnAccount,
  newRuleBasedAccount,
} from './rules.js';
import { renderInternalAccount } from './schemas.js';
import {
  findCardFunders,
  findOwnAccounts,
  getInternalAccount,
  insertInternalAccounts,
  lockAgainstClosing,
  lockOpenAccounts,
  saveInternalAccount,
} from './store.js';

export {
  findInternalAccounts,
  findOwnAccounts,
  getInternalAccount,
  holderOf,
  listCustomerAccounts,
  lockAgainstClosing,
  lockInternalAccount,
  lockOpenAccounts,
  saveInternalAccount,
} from './store.js';

// ---- events

/** The account with its balance after money was moved. */
export const withBalance = (
  account: InternalAccount,
  { available, total, owed }: Pick<Balance, 'available' | 'total' | 'owed'>,
): InternalAccount => ({ ...account, available, total, owed });

/** To be queued in the transaction that moved the money. */
export const balanceUpdatedEvent = (account: InternalAccount, cardCapabilitiesFor: CardCapabilitiesFor): NewEvent => ({
  type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
  objectId: account.id,
  data: renderInternalAccount(account, cardCapabilitiesFor),
});

// ---- opening

export type Holder = {
  readonly platformId: PlatformId;
  /** Null for the platform itself. */
  readonly customerId: CustomerId | null;
  readonly currencies: readonly CurrencyCode[];
  readonly now: Date;
};

/** Opens the own account of each holder in each of its currencies. The holders are of one platform. */
export function openOwnAccounts(tx: Tx, deposits: DepositProvider, platformId: PlatformId, holders: readonly Holder[]): void {
  const accounts = holders.flatMap(({ customerId, currencies, now }) =>
    currencies.map((currency): NewInternalAccount => {
      const accountUuid = newUuid();
      const fundingInstructions = deposits.instructionsFor({ accountUuid, currency });
      return newOwnAccount({ id: idOf('InternalAccount', accountUuid), customerId, currency, fundingInstructions, now });
    }),
  );
  insertAccounts(tx, platformId, accounts);
}

/** As `openOwnAccounts`, for a holder that may have some of them already. Returns whether any was missing. */
export async function openMissingAccounts(tx: Tx, deposits: DepositProvider, holder: Holder): Promise<boolean> {
  if (holder.currencies.length === 0) return false;
  // A refund opens accounts without a lock of their holder.
  lockName(tx, holder.platformId, `accounts of ${holder.customerId ?? 'the platform'}`);
  const existing = new Set((await findOwnAccounts(tx, holder.platformId, holder.customerId)).map(({ currency }) => currency));
  const currencies = [...new Set(holder.currencies)].filter((currency) => !existing.has(currency));
  openOwnAccounts(tx, deposits, holder.platformId, [{ ...holder, currencies }]);
  return currencies.length > 0;
}

/** Opens the accounts that customers of one platform require and do not have, all at the same time. */
export async function openAccountsOf(
  tx: Tx,
  { deposits, hooks }: { readonly deposits: DepositProvider; readonly hooks: Hooks },
  required: readonly AccountsRequired[],
): Promise<void> {
  const holderOf = ({ platformId, customer, currencies, now }: AccountsRequired): Holder => ({
    platformId,
    customerId: customer.id,
    currencies,
    now,
  });
  const [first] = required;
  if (!first) return;
  const opened = required.filter(({ isNew }) => isNew);
  openOwnAccounts(tx, deposits, first.platformId, opened.map(holderOf));
  for (const one of required) if (!one.isNew && (await openMissingAccounts(tx, deposits, holderOf(one)))) opened.push(one);
  const customers = opened.map(({ customer }) => customer);
  if (customers.length > 0) for (const react of hooks.all(accountsOpened)) await react(tx, first.platformId, customers, first.now);
}

/** Opens the platform's own account in each of its currencies. */
export async function openPlatformAccounts(tx: Tx, deposits: DepositProvider, platform: Platform, now: Date): Promise<void> {
  const currencies = platform.config.supportedCurrencies.map(({ currencyCode }) => currencyCode);
  await openMissingAccounts(tx, deposits, { platformId: platform.id, customerId: null, currencies, now });
}

/** The ledger account of an internal account has its id. */
function insertAccounts(tx: Tx, platformId: PlatformId, accounts: readonly NewInternalAccount[]): void {
  if (accounts.length === 0) return;
  insertLedgerAccounts(
    tx,
    platformId,
    accounts.map(({ id, customerId, currency, type }) => ({
      id: uuidOf(id),
      kind: customerId === null ? 'PLATFORM' : 'CUSTOMER',
      currency,
      underHolderKey: type === 'EMBEDDED_WALLET',
    })),
  );
  insertInternalAccounts(tx, platformId, accounts);
}

/** Creates a rule-based account: money that arrives on it is swept to the destination of its rule. */
export async function createInternalAccount(
  tx: Tx,
  { deposits, hooks }: { readonly deposits: DepositProvider; readonly hooks: Hooks },
  { platformId, draft, now }: { platformId: PlatformId; draft: InternalAccountDraft; now: Date },
): Promise<InternalAccount> {
  const platform = await getPlatform(tx, platformId);
  const sweepRule = checkDraft(draft, platform);
  const customerId = await liveCustomer(tx, platformId, draft.customerId);
  const onBehalfOfCustomerId = await liveCustomer(tx, platformId, draft.onBehalfOfCustomerId);
  const { accountId } = sweepRule.destination;
  const isOutside = accountId.startsWith('ExternalAccount:');
  const destination = isOutside ? undefined : await getInternalAccount(tx, platformId, parseId('InternalAccount', accountId));
  const isPayment = isPaid(sweepRule, destination);
  const bounds = isPayment
    ? await hooks.only(outsideSweeps).boundsOf(tx, { platformId, holder: customerId, destination: sweepRule.destination, now })
    : undefined;
  const own = await findOwnAccount(tx, platformId, customerId, 'USD');
  const accountUuid = newUuid();
  const fundingInstructions = deposits.instructionsFor({ accountUuid, currency: draft.currency });

  const id = idOf('InternalAccount', accountUuid);
  const account = newRuleBasedAccount({
    id,
    customerId,
    onBehalfOfCustomerId,
    draft,
    sweepRule,
    destination,
    bounds,
    own,
    fundingInstructions,
    now,
  });

  insertAccounts(tx, platformId, [account]);
  return { ...account, available: 0n, total: 0n, owed: 0n, cardProgram: platform.cardProgram };
}

async function liveCustomer(tx: Tx, platformId: PlatformId, text: string | undefined): Promise<CustomerId | null> {
  if (text === undefined) return null;
  const id = parseId('Customer', text);
  if (!id || !(await lockCustomerForShare(tx, platformId, id))) throw new ApiError('CUSTOMER_NOT_FOUND');
  return id;
}

const findOwnAccount = async (tx: Tx, platformId: PlatformId, holder: CustomerId | null, currency: CurrencyCode) =>
  (await findOwnAccounts(tx, platformId, holder)).find((account) => account.currency === currency && account.status !== 'CLOSED');

// ---- deposits

export type Deposit = {
  readonly platformId: PlatformId;
  readonly accountId: InternalAccountId | undefined;
  readonly amount: bigint;
  readonly description?: string | undefined;
  readonly remittanceInformation?: string | undefined;
  readonly now: Date;
};

export type DepositDeps = {
  readonly hooks: Hooks;
  readonly cardCapabilitiesFor: CardCapabilitiesFor;
  readonly outstandingOn: OutstandingOn;
};

/** Money from outside arrives on an account, as its bank or chain has confirmed. Returns the account with its balance after the deposit. */
export async function receiveDeposit(
  tx: Tx,
  { hooks, cardCapabilitiesFor, outstandingOn }: DepositDeps,
  { platformId, accountId, now, amount, description, remittanceInformation }: Deposit,
): Promise<InternalAccount> {
  const { accounts, ...facts } = await gatherDeposit(tx, platformId, await getInternalAccount(tx, platformId, accountId));
  const transactionId = newId('Transaction');

  const post = async (isWithoutRoom: boolean) => {
    const decided = decideDeposit({ amount, description, ...facts, isWithoutRoom });
    const receivedAs = decided.steps.some(({ isReceived }) => isReceived) ? newId('Transaction') : undefined;
    const moves = decided.steps.map((step) => toMove(platformId, facts.account.currency, { transactionId, receivedAs }, step));
    return { decided, receivedAs, balances: await moveMoney(tx, platformId, moves, outstandingOn) };
  };
  const { decided, receivedAs, balances } = await post(false).catch((error: unknown) => {
    // Decided before anything was written. What a rule cannot bring to its destination stays with the holder.
    if (!facts.sweep || !(error instanceof ApiError) || error.code !== 'AMOUNT_OUT_OF_RANGE') throw error;
    return post(true);
  });
  const { steps } = decided;
  const goingOn = steps.find(({ isReceived }) => isReceived);
  const after = (id: InternalAccountId): InternalAccount => {
    const account = accounts.get(id);
    const balance = balances.get(uuidOf(id));
    assert(account && balance, 'every account of a deposit was read and has a balance');
    return withBalance(account, balance);
  };
  const events = [...changedAccounts(steps)].map((id) => balanceUpdatedEvent(after(id), cardCapabilitiesFor));
  enqueueEvents(tx, platformId, now, events);
  const unswept = decided.unswept ?? (await pay(tx, hooks, { platformId, ...facts }, decided.toPay, now));
  const { account, sweep } = facts;
  const receiver = goingOn && accounts.get(goingOn.to);
  const received = {
    platformId,
    transactionId,
    account,
    throughId: sweep?.own.id,
    forwarded: receivedAs && receiver && { transactionId: receivedAs, account: receiver, amount: goingOn.amount },
    amount,
    description,
    remittanceInformation,
    unswept,
    now,
  };
  await hooks.only(depositReceived)(tx, received);
  return after(facts.account.id);
}

/** Pays what a rule sends out of the service or into another currency. A payment that cannot be made leaves the money with the holder. */
async function pay(
  tx: Tx,
  hooks: Hooks,
  { platformId, account, sweep }: Pick<DepositFacts, 'account' | 'sweep'> & { readonly platformId: PlatformId },
  amount: bigint | undefined,
  now: Date,
): Promise<'SWEEP_QUOTE_FAILED' | undefined> {
  if (amount === undefined || !account.sweepRule || !sweep) return undefined;
  const { own } = sweep;
  const payment = { platformId, rule: account.sweepRule, ruleBasedAccountId: account.id, own, amount, now };
  return (await hooks.only(outsideSweeps).sweep(tx, payment)) ? undefined : 'SWEEP_QUOTE_FAILED';
}

/** The account and, if it has a rule, the accounts that the money is swept through. None of them closes until the transaction ends. */
async function gatherDeposit(
  tx: Tx,
  platformId: PlatformId,
  account: InternalAccount,
): Promise<Pick<DepositFacts, 'account' | 'sweep'> & { accounts: ReadonlyMap<InternalAccountId, InternalAccount> }> {
  const ownAccount = account.sweepRule ? await findOwnAccount(tx, platformId, account.customerId, account.currency) : undefined;
  const fees = account.sweepRule ? await findOwnAccount(tx, platformId, null, account.currency) : undefined;
  // The accounts of a deleted customer are closed, this one as well. There is no account to sweep through, and the rules refuse the deposit.
  const rule = ownAccount && fees ? account.sweepRule : undefined;
  const named = rule ? parseId('InternalAccount', rule.destination.accountId) : undefined;
  // The customer is locked before accounts are: the sweep may be a payment of the customer.
  const isHolderReady = rule !== undefined && rule !== null && (await isReady(tx, platformId, account.customerId));
  const ids = { own: ownAccount?.id, fees: fees?.id, destination: named };
  const accounts = await lockAgainstClosing(tx, platformId, [account.id, ...Object.values(ids).filter((id) => id !== undefined)]);
  const locked = (id: InternalAccountId | undefined): InternalAccount => {
    const found = id && accounts.get(id);
    assert(found, 'the accounts of a deposit exist');
    return found;
  };
  const facts = { account: locked(account.id), accounts };
  if (!rule) return facts;
  const balances = await lockBalances(tx, platformId, [...accounts.keys()].map(uuidOf));
  const own = locked(ids.own);
  const owed = balances.get(uuidOf(own.id))?.owed ?? 0n;
  const destination = named && locked(named);
  const isMoved = destination?.currency === account.currency;
  return {
    ...facts,
    sweep: { own: { ...own, owed }, fees: locked(ids.fees), destination: isMoved ? destination : undefined, isHolderReady },
  };
}

/** Whether the holder may pay. A customer is locked: so it stays until the transaction ends. */
async function isReady(tx: Tx, platformId: PlatformId, holder: CustomerId | null): Promise<boolean> {
  if (holder === null) return true;
  const isLive = await lockCustomerForShare(tx, platformId, holder);
  const customer = isLive ? await findCustomer(tx, platformId, holder) : undefined;
  return customer !== undefined && isReadyToPay(customer, await getPlatform(tx, platformId));
}

const toMove = (
  platformId: PlatformId,
  currency: CurrencyCode,
  { transactionId, receivedAs }: { readonly transactionId: TransactionId; readonly receivedAs: TransactionId | undefined },
  { from, to, amount, cause, isReceived }: DepositStep,
): Move => ({
  kind: 'POST',
  transfer: {
    id: newUuid(),
    from: from ? uuidOf(from) : serviceAccountId(platformId, 'FUNDING', currency),
    to: uuidOf(to),
    amount,
    currency,
    cause,
    transactionId: uuidOf(transactionId),
    ...(isReceived && receivedAs && { receivedAs: uuidOf(receivedAs) }),
  },
});

// ---- closing

/** Closes the accounts of a deleted customer, as far as `closeEmptyAccounts` allows. */
export async function closeAccountsOf(
  tx: Tx,
  { hooks, cardCapabilitiesFor }: { readonly hooks: Hooks; readonly cardCapabilitiesFor: CardCapabilitiesFor },
  platformId: PlatformId,
  customer: Customer,
  now: Date,
): Promise<void> {
  const open = await lockOpenAccounts(tx, platformId, customer.id);
  const ids = open.map(({ id }) => id);
  const [balances, cardFunders] = await Promise.all([lockBalances(tx, platformId, ids.map(uuidOf)), findCardFunders(tx, platformId, ids)]);

  const closed = closeEmptyAccounts(open, balances, cardFunders, now);

  for (const account of closed) saveInternalAccount(tx, platformId, account);
  enqueueEvents(
    tx,
    platformId,
    now,
    closed.map((account) => ({
      type: 'INTERNAL_ACCOUNT.STATUS_UPDATED',
      objectId: account.id,
      data: renderInternalAccount(account, cardCapabilitiesFor),
    })),
  );
  for (const listener of hooks.all(accountsClosed)) await listener(tx, platformId, customer, now);
}
