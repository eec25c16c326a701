// Due work of operations: the provider is asked how far an order is, outside any transaction, and what it says is applied to the locked row.
import type { Logger } from 'pino';
import type { Tx } from '../../../db/pool.js';
import { newId, newUuid, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { FundingInstructions, OrderReport } from '../../../providers/stablecoin-issuer.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { findCustomer } from '../../identity/customers/actions.js';
import { moveMoney, serviceAccountId } from '../../ledger/actions.js';
import { applyIncoming, insertPayment, type PaymentDeps } from '../payments/actions.js';
import type { IncomingPayment } from '../payments/payment.js';
import { accountOf, destroyUnused, type IssuerDeps } from './links.js';
import { getLink } from './links-store.js';
import { lockOperation, saveOperation } from './operations-store.js';
import { drop, giveOrder, orderOf } from './orders.js';
import { acceptedOperation, afterReport, isOver, RETRY_MS } from './rules.js';
import type { OperationId, StablecoinOperation } from './stablecoin.js';
import { getStablecoin } from './store.js';

export type FollowDeps = IssuerDeps & { readonly payments: PaymentDeps; readonly log: Pick<Logger, 'warn'> };

/** What came of asking the provider. */
type Outcome =
  | { readonly kind: 'REPORT'; readonly report: OrderReport; readonly fundingInstructions?: FundingInstructions | undefined }
  | { readonly kind: 'NOT_TAKEN' | 'CANCELLED' | 'NO_ANSWER' };

/** Does what is due for one operation. False when there was nothing to do, or the provider gave no answer. */
export async function workOnOperation(deps: FollowDeps, platformId: PlatformId, id: OperationId, now: Date): Promise<boolean> {
  const { db, log } = deps;
  const operation = await db.transaction((tx) => lease(tx, platformId, id, now));
  if (!operation) return false;
  const outcome = await askAbout(deps, platformId, operation, now).catch((error: unknown): Outcome => {
    const errorMessage = error instanceof Error ? error.message : String(error);
    log.warn({ operationId: id, errorMessage }, 'the stablecoin issuer gave no answer; it will be asked again');
    return { kind: 'NO_ANSWER' };
  });
  if (outcome.kind === 'NO_ANSWER') return false;
  await db.transaction((tx) => apply(tx, deps, platformId, id, outcome, now));
  return true;
}

/** Other processes leave the operation alone meanwhile. After a crash, and without an answer, it is due again. */
async function lease(tx: Tx, platformId: PlatformId, id: OperationId, now: Date): Promise<StablecoinOperation | undefined> {
  const operation = await lockOperation(tx, platformId, id);
  if (!operation?.dueAt || operation.dueAt > now) return undefined;
  saveOperation(tx, platformId, { ...operation, dueAt: plusMs(now, RETRY_MS) });
  return operation;
}

async function askAbout(deps: FollowDeps, platformId: PlatformId, operation: StablecoinOperation, now: Date): Promise<Outcome> {
  const { db, stablecoinIssuer } = deps;
  const link = await getLink(db, platformId, operation.linkId);
  const account = accountOf(deps, platformId, link);
  if (operation.isAbandoned) {
    await stablecoinIssuer.cancel(account, uuidOf(operation.id));
    return { kind: 'CANCELLED' };
  }
  if (operation.status !== 'CREATED') return { kind: 'REPORT', report: await stablecoinIssuer.follow(account, uuidOf(operation.id), now) };
  const stablecoin = await getStablecoin(db, platformId, operation.stablecoinId);
  const answer = await giveOrder(deps, platformId, link, orderOf(operation, stablecoin));
  if (answer.kind === 'ACCEPTED') return { ...answer, kind: 'REPORT' };
  // Rejected credentials say nothing about the order. The provider is asked again once the account is linked with others.
  return { kind: answer.kind === 'REFUSED' ? 'NOT_TAKEN' : 'NO_ANSWER' };
}

async function apply(
  tx: Tx,
  deps: FollowDeps,
  platformId: PlatformId,
  id: OperationId,
  outcome: Exclude<Outcome, { kind: 'NO_ANSWER' }>,
  now: Date,
): Promise<void> {
  const operation = await lockOperation(tx, platformId, id);
  if (!operation || isOver(operation.status)) return;
  if (outcome.kind === 'CANCELLED') {
    // A repeat of the request may have taken the order up again.
    if (operation.isAbandoned) await drop(tx, platformId, operation);
    return;
  }
  const report: OrderReport = outcome.kind === 'REPORT' ? outcome.report : { stage: 'FAILED' };
  const next =
    operation.status === 'CREATED'
      ? acceptedOperation(operation, report, outcome.kind === 'REPORT' ? outcome.fundingInstructions : undefined, now)
      : afterReport(operation, report, now);
  const transactionId = next.status === 'COMPLETED' ? await creditProceeds(tx, deps, platformId, next, now) : null;
  saveOperation(tx, platformId, { ...next, transactionId });
  if (isOver(next.status)) await destroyUnused(tx, platformId, next.linkId);
}

// ---- proceeds that stay in the service

/** The dollars of a burn arrive on an account in the service like a bank deposit. */
async function creditProceeds(
  tx: Tx,
  { payments, log }: FollowDeps,
  platformId: PlatformId,
  operation: StablecoinOperation,
  now: Date,
): Promise<IncomingPayment['id'] | null> {
  const id = operation.type === 'BURN' ? parseId('InternalAccount', operation.destination.accountId) : undefined;
  const [account] = id ? await findInternalAccounts(tx, platformId, [id]) : [];
  if (!account) return null;
  const payment = await proceedsOf(tx, platformId, operation, account, now);
  if (account.status === 'CLOSED') {
    log.warn({ operationId: operation.id, accountId: account.id }, 'the proceeds of a burn are in suspense: the account is closed');
    await suspend(tx, platformId, payment);
    return null;
  }
  insertPayment(tx, platformId, payment);
  await applyIncoming(payments, tx, platformId, payment, { event: 'CREDITED', now });
  return payment.id;
}

/** The money has arrived, and nobody can have it: an operator decides. */
const suspend = (tx: Tx, platformId: PlatformId, { received: { amount, currency } }: IncomingPayment) =>
  moveMoney(tx, platformId, [
    {
      kind: 'POST',
      transfer: {
        id: newUuid(),
        from: serviceAccountId(platformId, 'FUNDING', currency),
        to: serviceAccountId(platformId, 'SUSPENSE', currency),
        amount,
        currency,
        cause: 'DEPOSIT_SUSPENDED',
      },
    },
  ]);

async function proceedsOf(
  tx: Tx,
  platformId: PlatformId,
  { cents, description }: StablecoinOperation,
  { id, customerId, currency }: InternalAccount,
  now: Date,
): Promise<IncomingPayment> {
  const customer = customerId && (await findCustomer(tx, platformId, customerId));
  return {
    type: 'INCOMING',
    state: 'PROCESSING',
    id: newId('Transaction'),
    customerId,
    platformCustomerId: customer ? customer.platformCustomerId : platformId,
    quoteId: null,
    source: { type: 'REALTIME_FUNDING' },
    destination: { type: 'ACCOUNT', accountId: id },
    sent: { amount: cents, currency },
    received: { amount: cents, currency },
    fees: 0n,
    platformFees: 0n,
    exchangeRate: '1',
    rateDetails: null,
    fundedAmount: null,
    paymentRail: null,
    railSelection: null,
    failureReason: null,
    pendingReason: null,
    refund: null,
    description,
    remittanceInformation: null,
    purposeOfPayment: null,
    counterpartyInformation: null,
    feeAccountId: null,
    counterpartId: null,
    ruleBasedAccountId: null,
    agentId: null,
    settledAt: null,
    expectedSettlementAt: null,
    settlementSeconds: null,
    receiptConfirmedAt: null,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
