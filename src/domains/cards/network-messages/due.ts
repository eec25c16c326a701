// Work that is due for card transactions: scheduled messages and expiries.

import type { Db, Tx } from '../../../db/pool.js';
import { type DueRun, type WorkDeps, workOff } from '../../../db/work-off.js';
import { assert } from '../../../kernel/errors.js';
import { newUuid } from '../../../kernel/ids.js';
import {
  addChange,
  factsNow,
  findPlaces,
  firstOfEach,
  gatherFacts,
  gatherTogether,
  getOwnTransaction,
  lockDecidedCard,
  writeTogether,
} from '../authorizations/actions.js';
import type { CardTransaction } from '../authorizations/card-transaction.js';
import { apply, type MessageDeps, planInstruction } from './apply.js';
import { leftToClear } from './rules.js';
import { type Due, findDueMessages, findExpired, takeDueMessage } from './store.js';

export type DueDeps = MessageDeps & WorkDeps;

/** Expires authorizations whose hold has lasted long enough, as many together as are found. */
export function expireAuthorizations(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  const expire = async (tx: Tx, { id, cardId }: Due): Promise<boolean> => {
    const locked = await lockDecidedCard(tx, platformId, cardId);
    const transaction = await getOwnTransaction(tx, platformId, cardId, id);
    if (!isExpired(transaction, now)) return false;
    const facts = await gatherFacts(tx, platformId, locked, transaction);
    await apply(deps, tx, platformId, facts, { kind: 'AUTHORIZATION_EXPIRY', token: newUuid() });
    return true;
  };
  return workOff(deps, run, {
    noun: 'card transaction',
    find: (excluded, limit) => findExpired(deps.db, platformId, now, excluded, limit),
    work: expire,
    together: (due) => expireTogether(deps.db, run, due),
  });
}

/** None has expired if the transaction fails: each is then expired alone, which finds out what is wrong with it. */
async function expireTogether(db: Db, { platformId, now }: DueRun, due: readonly Due[]): Promise<ReadonlySet<Due>> {
  const ids = due.map(({ id }) => id);
  const places = await findPlaces(db, platformId, ids);
  const items = firstOfEach(due, ({ id }) => places.get(id));
  if (items.length === 0) return new Set();
  const expire = async (tx: Tx): Promise<Set<Due>> => {
    const together = await gatherTogether(
      tx,
      platformId,
      items.map(({ place }) => place),
    );

    const expired = new Set<Due>();
    for (const { item, place } of items) {
      const facts = factsNow(together, place.id);
      if (!facts || !isExpired(facts.transaction, now)) continue;
      addChange(platformId, together, planInstruction(platformId, facts, { kind: 'AUTHORIZATION_EXPIRY', token: newUuid() }));
      expired.add(item);
    }

    writeTogether(tx, platformId, together);
    return expired;
  };
  return db.transaction(expire).catch(() => new Set());
}

const isExpired = ({ expiresAt }: CardTransaction, now: Date): boolean => expiresAt !== null && expiresAt <= now;

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
