// Due work of operations: the provider is asked how far an order is, outside any transaction, and what it says is applied to the locked row.
import type { Tx } from '../../../db/pool.js';
import { messageForLog } from '../../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { FundingInstructions, OrderReport } from '../../../providers/stablecoin-issuer.js';
import { accountOf } from './links.js';
import { getLink } from './links-store.js';
import { lockOperation, saveOperation } from './operations-store.js';
import { drop, giveOrder, isUntouched, type OrderDeps, orderOf } from './orders.js';
import { saveReported } from './proceeds.js';
import { acceptedOperation, afterReport, isOver, RETRY_MS, silenceMs } from './rules.js';
import type { OperationId, StablecoinOperation } from './stablecoin.js';
import { getStablecoin } from './store.js';

/** What came of asking the provider. */
type Outcome =
  | { readonly kind: 'REPORT'; readonly report: OrderReport; readonly fundingInstructions?: FundingInstructions | undefined }
  | { readonly kind: 'NOT_TAKEN' | 'CANCELLED' | 'NO_ANSWER' };

/** Does what is due for one operation. False when there was nothing to do, or the provider gave no answer. */
export async function workOnOperation(deps: OrderDeps, platformId: PlatformId, id: OperationId, now: Date): Promise<boolean> {
  const { db, log } = deps;
  const operation = await db.transaction((tx) => lease(tx, platformId, id, now));
  if (!operation) return false;
  const outcome = await askAbout(deps, platformId, operation, now).catch((error: unknown): Outcome => {
    const errorMessage = messageForLog(error);
    log.warn({ operationId: id, errorMessage }, 'the stablecoin issuer gave no answer; it will be asked again');
    return { kind: 'NO_ANSWER' };
  });
  if (outcome.kind === 'NO_ANSWER') {
    await db.transaction((tx) => askLater(tx, platformId, operation, now));
    return false;
  }
  await db.transaction((tx) => apply(tx, deps, platformId, operation, outcome, now));
  return true;
}

/** A provider that stays silent is asked ever more rarely. An operation that somebody else has moved meanwhile is left as it is. */
async function askLater(tx: Tx, platformId: PlatformId, { id, status, isAbandoned }: StablecoinOperation, now: Date): Promise<void> {
  const operation = await lockOperation(tx, platformId, id);
  if (operation?.status !== status || operation.isAbandoned !== isAbandoned) return;
  saveOperation(tx, platformId, { ...operation, dueAt: plusMs(now, silenceMs(operation, now)) });
}

/** Other processes leave the operation alone meanwhile. After a crash it is due again. */
async function lease(tx: Tx, platformId: PlatformId, id: OperationId, now: Date): Promise<StablecoinOperation | undefined> {
  const operation = await lockOperation(tx, platformId, id);
  if (!operation?.dueAt || operation.dueAt > now) return undefined;
  const leased: StablecoinOperation = { ...operation, dueAt: plusMs(now, RETRY_MS) };
  saveOperation(tx, platformId, leased);
  return leased;
}

async function askAbout(deps: OrderDeps, platformId: PlatformId, operation: StablecoinOperation, now: Date): Promise<Outcome> {
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
  deps: OrderDeps,
  platformId: PlatformId,
  leased: StablecoinOperation,
  outcome: Exclude<Outcome, { kind: 'NO_ANSWER' }>,
  now: Date,
): Promise<void> {
  const operation = await lockOperation(tx, platformId, leased.id);
  if (!operation || isOver(operation.status)) return;
  if (outcome.kind === 'CANCELLED') {
    // A repeat of the request may have taken the order up again, and given it after the cancellation.
    if (operation.isAbandoned && isUntouched(operation, leased)) await drop(tx, platformId, operation);
    return;
  }
  // Another call of the order was taken, or may be.
  if (outcome.kind === 'NOT_TAKEN' && (operation.status !== 'CREATED' || !isUntouched(operation, leased))) return;
  const report: OrderReport = outcome.kind === 'REPORT' ? outcome.report : { stage: 'FAILED' };
  const next =
    operation.status === 'CREATED'
      ? acceptedOperation(operation, report, outcome.kind === 'REPORT' ? outcome.fundingInstructions : undefined, now)
      : afterReport(operation, report, now);
  await saveReported(tx, deps, platformId, operation, next, now);
}
