// Messages of an issuer's processor that arrive while others are in flight are recorded together. Those that cannot be are recorded alone.
import type { Tx } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import {
  addChange,
  factsNow,
  findPlacesByToken,
  firstOfEach,
  gatherTogether,
  isOfProgram,
  MAX_TOGETHER,
  type Place,
  type PlannedChange,
  type TransactionFacts,
  writeTogether,
} from '../authorizations/actions.js';
import { findDisputed } from '../disputes/actions.js';
import { type MessageDeps, type Recorded, recordMessage } from './actions.js';
import { isPlanned, planInstruction } from './apply.js';
import type { IssuerMessage } from './network-message.js';
import { refuseMessage } from './rules.js';
import { findMessageTransactions, insertMessages, messageKey, type NewMessage } from './store.js';

/** A message and the request that brought it: the cause of its events. */
type Sent = { readonly message: IssuerMessage; readonly requestId: string };

export type RecordMessage = (platformId: PlatformId, sent: Sent) => Promise<Recorded>;

/** `undefined`: to be recorded alone. */
type Queue = { readonly record: (sent: Sent) => Promise<Recorded | undefined>; open: number };

export function createBatchedRecord(deps: MessageDeps): RecordMessage {
  const queues = new Map<PlatformId, Queue>();
  return async (platformId, sent) => {
    const queue = queues.get(platformId) ?? {
      record: batched((all) => recordTogether(deps, platformId, all), { max: MAX_TOGETHER }),
      open: 0,
    };
    queues.set(platformId, queue);
    queue.open += 1;
    try {
      const { message, requestId } = sent;
      const recorded = await queue.record(sent);
      return recorded ?? (await deps.db.transaction((tx) => recordMessage(deps, tx, platformId, message), { requestId }));
    } finally {
      queue.open -= 1;
      if (queue.open === 0) queues.delete(platformId);
    }
  };
}

/** Nothing is recorded if the transaction fails: each is then recorded alone, which finds out what is wrong with it. */
async function recordTogether(deps: MessageDeps, platformId: PlatformId, all: readonly Sent[]): Promise<(Recorded | undefined)[]> {
  const tokens = all.map(({ message }) => message.issuerToken);
  const places = await findPlacesByToken(deps.db, platformId, tokens);
  const items = firstOfEach(all, ({ message: { kind, issuerToken, cardId } }) => {
    const place = places.get(issuerToken);
    return isPlanned(kind) && (cardId === undefined || cardId === place?.cardId) ? place : undefined;
  });
  if (items.length === 0) return all.map(() => undefined);
  const done = await deps.db.transaction((tx) => recordItems(tx, platformId, items)).catch(() => new Map<Sent, Recorded>());
  return all.map((sent) => done.get(sent));
}

type Item = { readonly item: Sent; readonly place: Place };

async function recordItems(tx: Tx, platformId: PlatformId, items: readonly Item[]): Promise<Map<Sent, Recorded>> {
  const purchases = items.flatMap(({ item, place }) => (item.message.kind === 'RETURN' ? [place.id] : []));
  const [together, known, disputed] = await Promise.all([
    gatherTogether(
      tx,
      platformId,
      items.map(({ place }) => place),
    ),
    findMessageTransactions(
      tx,
      platformId,
      items.map(({ item }) => item.message),
    ),
    purchases.length > 0 ? findDisputed(tx, platformId, purchases) : new Map<TransactionId, bigint>(),
  ]);

  const recorded = new Map<Sent, Recorded>();
  const taken: NewMessage[] = [];
  for (const { item, place } of items) {
    const { message, requestId } = item;
    const facts = factsNow(together, place.id);
    if (!facts || !isOfProgram(facts.card, message.program)) continue;
    const earlier = known.get(messageKey(message));
    if (earlier !== undefined) {
      // A return answers with its own row, which is not read here.
      if (earlier === place.id && message.kind !== 'RETURN') recorded.set(item, { transaction: facts.transaction, duplicate: true });
      continue;
    }
    try {
      const planned = planMessage(platformId, facts, message, disputed.get(place.id) ?? 0n);
      if (!planned) continue;
      addChange(platformId, together, planned, { requestId });
      taken.push({ token: message.token, kind: message.kind, transactionId: place.id, amount: message.amount });
      recorded.set(item, { transaction: planned.transaction, duplicate: false });
    } catch {
      // Refused. It is recorded alone, which answers why.
    }
  }

  if (taken.length > 0) insertMessages(tx, platformId, taken, together.now);
  writeTogether(tx, platformId, together);
  return recorded;
}

/** Undefined for a message that waits for a delayed pull or that needs more facts. */
function planMessage(platformId: PlatformId, facts: TransactionFacts, message: IssuerMessage, disputed: bigint): PlannedChange | undefined {
  const { transaction, card } = facts;
  const { kind, amount } = message;
  if (!isPlanned(kind) || transaction.pullDueAt !== null) return undefined;
  refuseMessage(kind, { transaction, amount, cardClosed: card.status === 'CLOSED', waiting: 0n, disputed });
  return planInstruction(platformId, facts, { ...message, kind });
}
