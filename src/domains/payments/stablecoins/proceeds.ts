// What the end of an operation brings: proceeds that stay in the service, and credentials that are no longer used.
import type { Logger } from 'pino';
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newUuid, type PlatformId, parseId } from '../../../kernel/ids.js';
import { type DepositDeps, receiveDeposit } from '../../accounts/internal-accounts/actions.js';
import { moveMoney, serviceAccountId } from '../../ledger/actions.js';
import { destroyUnused } from './links.js';
import { saveOperation } from './operations-store.js';
import { isOver } from './rules.js';
import type { StablecoinOperation } from './stablecoin.js';

export type ProceedsDeps = { readonly deposits: DepositDeps; readonly log: Pick<Logger, 'warn'> };

/** Burns pay out US dollars. */
const PROCEEDS = 'USD';

/** Writes a locked operation as the provider's report leaves it, and once what its end brings. */
export async function saveReported(
  tx: Tx,
  deps: ProceedsDeps,
  platformId: PlatformId,
  before: StablecoinOperation,
  next: StablecoinOperation,
  now: Date,
): Promise<void> {
  const ends = isOver(next.status) && !isOver(before.status);
  if (ends && next.status === 'COMPLETED') await creditProceeds(tx, deps, platformId, next, now);
  saveOperation(tx, platformId, next);
  if (ends) await destroyUnused(tx, platformId, next.linkId);
}

/** The dollars of a burn arrive on an account in the service like a bank deposit, with its transaction and its events. */
async function creditProceeds(
  tx: Tx,
  { deposits, log }: ProceedsDeps,
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
