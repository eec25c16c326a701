// Due work of operations: the provider is asked how far an order is, outside any transaction, and what it says is applied to the locked row.
import type { Logger } from 'pino';
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newUuid, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { FundingInstructions, OrderReport } from '../../../providers/stablecoin-issuer.js';
import { type DepositDeps, receiveDeposit } from '../../accounts/internal-accounts/actions.js';
import { moveMoney, serviceAccountId } from '../../ledger/actions.js';
import { accountOf, destroyUnused, type IssuerDeps } from './links.js';
import { getLink } from './links-store.js';
import { lockOperation, saveOperation } from './operations-store.js';
import { drop, giveOrder, orderOf } from './orders.js';
import { acceptedOperation, afterReport, isOver, RETRY_MS } from './rules.js';
import type { OperationId, StablecoinOperation } from './stablecoin.js';
import { getStablecoin } from './store.js';

export type FollowDeps = IssuerDeps & { readonly deposits: DepositDeps; readonly log: Pick<Logger, 'warn'> };

/** Burns pay out US dollars. */
const PROCEEDS = 'USD';

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
  if (next.status === 'COMPLETED') await creditProceeds(tx, deps, platformId, next, now);
  saveOperation(tx, platformId, next);
  if (isOver(next.status)) await destroyUnused(tx, platformId, next.linkId);
}

// ---- proceeds that stay in the service

/** The dollars of a burn arrive on an account in the service like a bank deposit, with its transaction and its events. */
async function creditProceeds(
  tx: Tx,
  { deposits, log }: FollowDeps,
  platformId: PlatformId,
  { id, type, destination, cents, description }: StablecoinOperation,
  now: Date,
): Promise<void> {
  const accountId = type === 'BURN' ? parseId('InternalAccount', destination.accountId) : undefined;
  if (!accountId) return;
  try {
    await receiveDeposit(tx, deposits, { platformId, accountId, amount: cents, description: description ?? undefined, now });
  } catch (error) {
    // The account is closed, or has no room. Both are decided before anything is written.
    if (!(error instanceof ApiError) || !error.isPermanent) throw error;
    log.warn({ operationId: id, accountId, errorMessage: error.message }, 'the proceeds of a burn are in suspense');
    await suspend(tx, platformId, cents);
  }
}

/** The money has arrived, and nobody can have it: an operator decides. */
const suspend = (tx: Tx, platformId: PlatformId, amount: bigint) =>
  moveMoney(tx, platformId, [
    {
      kind: 'POST',
      transfer: {
        id: newUuid(),
        from: serviceAccountId(platformId, 'FUNDING', PROCEEDS),
        to: serviceAccountId(platformId, 'SUSPENSE', PROCEEDS),
        amount,
        currency: PROCEEDS,
        cause: 'DEPOSIT_SUSPENDED',
      },
    },
  ]);
