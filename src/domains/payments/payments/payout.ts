// Orders to rails: the payout of a payment to an account outside the service, and the debit of an account that provides its money.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type ExternalAccountId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { RailProvider, ScheduledMessage, TravelRuleData } from '../../../providers/rails.js';
import type { RateProvider } from '../../../providers/rates.js';
import { findExternalAccount, identifierOf, isWalletType, paymentRailsOf } from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import { getPlatform } from '../../core/platform/actions.js';
import { findCustomer } from '../../identity/customers/actions.js';
import { equivalentOf } from '../rates/actions.js';
import type { UmaPayout } from './hooks.js';
import type { IncomingPayment, OutgoingPayment, Payment } from './payment.js';
import { isInstant, needsTravelRule, orderKindOf, railDetailsFor, railsByPreference, travelRuleOf } from './rail-rules.js';
import { insertMessages } from './store.js';

export type RailDeps = {
  readonly rails: RailProvider;
  readonly rates: RateProvider;
  /** Undefined as long as no domain pays to UMA addresses. */
  readonly payToUma: () => UmaPayout | undefined;
};

const externalId = (accountId: string): ExternalAccountId | undefined => parseId('ExternalAccount', accountId);

async function findOutside(tx: Tx, platformId: PlatformId, id: ExternalAccountId | undefined) {
  const found = id && (await findExternalAccount(tx, platformId, id));
  assert(found, 'the external account of a payment exists, deleted or not');
  return found;
}

const externalAccountOf = async (tx: Tx, platformId: PlatformId, id: ExternalAccountId | undefined): Promise<ExternalAccount> =>
  (await findOutside(tx, platformId, id)).account;

/** Money that has arrived meanwhile is not paid to an account that was deleted or found invalid after the payment was made. */
const isGone = ({ account, isDeleted }: { readonly account: ExternalAccount; readonly isDeleted: boolean }): boolean =>
  isDeleted || account.status === 'INACTIVE';

const failing = (reason: string): readonly ScheduledMessage[] => [{ id: 'FAILED', kind: 'FAILED', reason, afterMs: 0 }];

/** The identifier that a payment goes to; empty where no rail carries it: within the service, and to a UMA address. */
export async function payoutIdentifierOf(tx: Tx, platformId: PlatformId, { destination }: Pick<Payment, 'destination'>): Promise<string> {
  const id = destination.type === 'ACCOUNT' ? externalId(destination.accountId) : undefined;
  return id ? identifierOf((await externalAccountOf(tx, platformId, id)).accountInfo) : '';
}

/** When the rail will have an outcome; undefined for a rail that does not say. */
const outcomeAfter = (messages: readonly ScheduledMessage[]): number | undefined =>
  messages.length > 0 ? Math.max(...messages.filter(({ kind }) => kind !== 'RETURNED').map(({ afterMs }) => afterMs)) : undefined;

function withTimeline(payment: OutgoingPayment, messages: readonly ScheduledMessage[], now: Date): OutgoingPayment {
  const afterMs = outcomeAfter(messages);
  if (payment.paymentRail === null || isInstant(payment.paymentRail) || afterMs === undefined) return payment;
  return { ...payment, expectedSettlementAt: plusMs(now, afterMs), settlementSeconds: Math.round(afterMs / 1000) };
}

/**
 * Hands the payout to the rail of its destination. The payment is locked and its money is in clearing. Returns the payment with its rail,
 * to be saved by the caller. `known` is the destination, if the caller has read it.
 */
export async function submitPayout(
  deps: RailDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  now: Date,
  known?: ExternalAccount,
): Promise<OutgoingPayment> {
  const { destination } = payment;
  if (destination.type === 'UMA_ADDRESS') {
    const payToUma = deps.payToUma();
    if (!payToUma) throw new ApiError('NOT_IMPLEMENTED');
    insertMessages(tx, platformId, payment.id, await payToUma(tx, { platformId, payment, now }), now);
    return payment;
  }
  const found = known ? { account: known, isDeleted: false } : await findOutside(tx, platformId, externalId(destination.accountId));
  const { account } = found;
  const messages = isGone(found) ? failing('ACCOUNT_INVALID') : await submitToRail(deps, tx, platformId, payment, account, now);
  insertMessages(tx, platformId, payment.id, messages, now);
  const rail = railDetailsFor(payment.id, payment.paymentRail, account);
  return withTimeline({ ...payment, destination: { ...destination, rail } }, messages, now);
}

async function submitToRail(
  deps: RailDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  account: ExternalAccount,
  now: Date,
): Promise<readonly ScheduledMessage[]> {
  const { received } = payment;
  return deps.rails.submit(tx, {
    platformId,
    paymentId: payment.id,
    kind: orderKindOf(payment),
    amount: received.amount,
    currency: received.currency,
    paymentRail: payment.paymentRail,
    identifier: identifierOf(account.accountInfo),
    remittanceInformation: payment.remittanceInformation ?? undefined,
    purposeOfPayment: payment.purposeOfPayment ?? undefined,
    travelRule: isWalletType(account.accountInfo.accountType)
      ? await gatherTravelRule(deps, tx, platformId, payment, account, now)
      : undefined,
  });
}

/** Names both parties of a transfer to a wallet where the travel rule asks for them. */
async function gatherTravelRule(
  { rates }: RailDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  account: ExternalAccount,
  now: Date,
): Promise<TravelRuleData | undefined> {
  const [platform, customer, market] = await Promise.all([
    getPlatform(tx, platformId),
    payment.customerId === null ? undefined : findCustomer(tx, platformId, payment.customerId),
    rates.marketAt(tx, platformId, now),
  ]);
  if (!needsTravelRule(platform, equivalentOf(market, payment.sent, 'USD'))) return undefined;
  return travelRuleOf({ platform, customer, payment, account });
}

/** Hands money that has arrived for a receiver to the rail of the account that it is paid to. Where there is none any more, it goes back. */
export async function forward({ rails }: RailDeps, tx: Tx, platformId: PlatformId, payment: IncomingPayment, now: Date): Promise<void> {
  const { creditTo, received } = payment;
  const id = creditTo === null ? undefined : externalId(creditTo);
  const found = id && (await findOutside(tx, platformId, id));
  if (!found || isGone(found)) return insertMessages(tx, platformId, payment.id, failing('OFFRAMP_FAILED'), now);
  const { accountInfo } = found.account;
  const [paymentRail = null] = railsByPreference(paymentRailsOf(accountInfo), accountInfo);
  const identifier = identifierOf(accountInfo);
  const messages = await rails.submit(tx, { platformId, paymentId: payment.id, kind: 'FORWARD', ...received, paymentRail, identifier });
  insertMessages(tx, platformId, payment.id, messages, now);
}

/** Hands the debit of an external account to its rail. The payout follows when the debit has settled. */
export async function startCollection<P extends Payment>(
  { rails }: RailDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: P,
  now: Date,
): Promise<P> {
  const { source, sent } = payment;
  assert(source.type === 'ACCOUNT', 'a debit has an account');
  const account = await externalAccountOf(tx, platformId, externalId(source.accountId));
  const messages = await rails.collect(tx, {
    platformId,
    paymentId: payment.id,
    kind: orderKindOf(payment),
    amount: sent.amount,
    currency: sent.currency,
    paymentRail: DEBIT_RAIL,
    identifier: identifierOf(account.accountInfo),
    remittanceInformation: payment.remittanceInformation ?? undefined,
  });
  insertMessages(tx, platformId, payment.id, messages, now);
  return { ...payment, source: { ...source, rail: railDetailsFor(payment.id, DEBIT_RAIL, account) } };
}

/** Asks the rail to stop the order of a payment. Whether it does. */
export async function cancelOrder({ rails }: RailDeps, tx: Tx, platformId: PlatformId, payment: Payment): Promise<boolean> {
  const identifier = await outsideIdentifierOf(tx, platformId, payment);
  return rails.cancel(tx, { platformId, paymentId: payment.id, identifier, ...payment.sent });
}

/** The identifier of the account that a rail pays or debits. */
async function outsideIdentifierOf(tx: Tx, platformId: PlatformId, payment: Payment): Promise<string> {
  if (payment.type === 'OUTGOING') return payoutIdentifierOf(tx, platformId, payment);
  const id = payment.source.type === 'ACCOUNT' ? externalId(payment.source.accountId) : undefined;
  return id ? identifierOf((await externalAccountOf(tx, platformId, id)).accountInfo) : '';
}

/** Debits are collected over ACH. */
export const DEBIT_RAIL = 'ACH';
