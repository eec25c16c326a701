// Work that is due for card transactions: scheduled messages and expiries.

import type { Tx } from '../../../db/pool.js';
import { type DueRun, type WorkDeps, workOff } from '../../../db/work-off.js';
import { assert } from '../../../kernel/errors.js';
import { newUuid } from '../../../kernel/ids.js';
import { findPlaces, gatherFacts, getOwnTransaction, independent, lockDecidedCard, together } from '../authorizations/actions.js';
import { apply, type MessageDeps } from './apply.js';
import { leftToClear } from './rules.js';
import { type Due, findDueMessages, findExpired, takeDueMessage } from './store.js';

export type DueDeps = MessageDeps & WorkDeps;

/** Expires authorizations whose hold has lasted long enough: those of different accounts together. */
export function expireAuthorizations(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  const expire = async (tx: Tx, { id, cardId }: Due): Promise<boolean> => {
    const locked = await lockDecidedCard(tx, platformId, cardId);
    const transaction = await getOwnTransaction(tx, platformId, cardId, id);
    if (transaction.expiresAt === null || transaction.expiresAt > now) return false;
    const facts = await gatherFacts(tx, platformId, locked, transaction);
    await apply(deps, tx, platformId, facts, { kind: 'AUTHORIZATION_EXPIRY', token: newUuid() });
    return true;
  };
  return workOff(deps, run, {
    noun: 'card transaction',
    find: (excluded, limit) => findExpired(deps.db, platformId, now, excluded, limit),
    work: expire,
    together: async (due) => {
      const places = await findPlaces(
        deps.db,
        platformId,
        due.map(({ id }) => id),
      );
      const done = await together(
        deps.db,
        platformId,
        independent(due, ({ id }) => places.get(id)),
        expire,
      );
      return new Set([...done].flatMap(([piece, isDone]) => (isDone ? [piece] : [])));
    },
  });
}

/** Carries out the messages that waited for a delayed pull. */
export function applyDueMessages(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  return workOff(deps, run, {
    noun: 'card transaction',
    find: (excluded, limit) => findDueMessages(deps.db, platformId, now, excluded, limit),
    work: async (tx, { id, cardId, token, kind }) => {
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
  });
}
