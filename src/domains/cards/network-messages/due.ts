// Work that is due for card transactions: scheduled messages and expiries.
import type { Logger } from 'pino';
import type { FailedRecently } from '../../../db/job.js';
import { isTimeout, type Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { newUuid, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { gatherFacts, getOwnTransaction, lockDecidedCard } from '../authorizations/actions.js';
import { apply, type MessageDeps } from './apply.js';
import { leftToClear } from './rules.js';
import { type Due, findDueMessages, findExpired, takeDueMessage } from './store.js';

const BATCH = 100;

export type DueDeps = MessageDeps & { readonly log: Pick<Logger, 'error'> };

/** One run of a platform's due work. `failed`: the transactions whose work failed in recent runs. */
export type DueRun = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly isOver: () => boolean;
  readonly failed: FailedRecently;
};

/**
 * Does what is due, each piece in its own transaction. A card transaction whose work fails is skipped for a while, so that it does not
 * block others. `work` returns whether there was anything left to do.
 */
async function workOff<Piece extends Due>(
  { db, log }: DueDeps,
  { failed, isOver }: DueRun,
  find: (excluded: readonly string[]) => Promise<Piece[]>,
  work: (tx: Tx, piece: Piece) => Promise<boolean>,
): Promise<number> {
  const excluded = new Set(failed.ids());
  let done = 0;
  for (;;) {
    const due = await find([...excluded]);
    for (const piece of due) {
      const uuid = uuidOf(piece.id);
      if (excluded.has(uuid)) continue;
      try {
        if (await db.transaction((tx) => work(tx, piece))) done += 1;
      } catch (error) {
        // Without the database all other work would fail as well; a card that stays locked concerns only its own work.
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE' && !isTimeout(error)) throw error;
        const errorMessage = error instanceof Error ? error.message : String(error);
        log.error({ transactionId: piece.id, errorMessage }, 'due work of a card transaction failed');
        excluded.add(uuid);
        failed.add(uuid);
      }
    }
    if (due.length < BATCH || isOver()) return done;
  }
}

/** Expires authorizations whose hold has lasted long enough. */
export function expireAuthorizations(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  return workOff(
    deps,
    run,
    (excluded) => findExpired(deps.db, platformId, now, excluded, BATCH),
    async (tx, { id, cardId }) => {
      const locked = await lockDecidedCard(tx, platformId, cardId);
      const transaction = await getOwnTransaction(tx, platformId, cardId, id);
      if (transaction.expiresAt === null || transaction.expiresAt > now) return false;
      const facts = await gatherFacts(tx, platformId, locked, transaction);
      await apply(deps, tx, platformId, facts, { kind: 'AUTHORIZATION_EXPIRY', token: newUuid() });
      return true;
    },
  );
}

/** Carries out the messages that waited for a delayed pull. */
export function applyDueMessages(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  return workOff(
    deps,
    run,
    (excluded) => findDueMessages(deps.db, platformId, now, excluded, BATCH),
    async (tx, { id, cardId, token, kind }) => {
      const locked = await lockDecidedCard(tx, platformId, cardId);
      const message = await takeDueMessage(tx, platformId, token, kind);
      if (!message) return false;
      const transaction = await getOwnTransaction(tx, platformId, cardId, id);
      let { amount } = message;
      // A clearing under the transaction's own token was scheduled by the request, which may have been reversed since.
      if (kind === 'CLEARING' && token === transaction.issuerToken) {
        assert(amount !== undefined, 'a scheduled clearing has an amount');
        amount = leftToClear(transaction, amount);
        if (amount === undefined) return true;
      }
      await apply(deps, tx, platformId, await gatherFacts(tx, platformId, locked, transaction), { ...message, amount });
      return true;
    },
  );
}
