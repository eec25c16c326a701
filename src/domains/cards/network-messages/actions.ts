// Receiving network messages. Every message: lock the card, judge the message, record it, carry it out.
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { CardId, PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import {
  findByToken,
  gatherFacts,
  getOwnTransaction,
  type LockedCard,
  lockDecidedCard,
  openUnrequested,
  tokenOfAnotherCard,
} from '../authorizations/actions.js';
import type { CardTransaction } from '../authorizations/card-transaction.js';
import type { DelayedPull } from '../authorizations/hooks.js';
import { findDisputed } from '../disputes/actions.js';
import { apply, type MessageDeps } from './apply.js';
import type { IssuerMessage, NetworkMessage, SimulatedMessage } from './network-message.js';
import { dueAt, type MessageFacts, refuseMessage, refuseSimulation, scheduledBy } from './rules.js';
import { findMessageTransactions, findWaitingClearings, insertMessage, messageKey } from './store.js';

export type { MessageDeps } from './apply.js';
export { applyDueMessages, type DueDeps, expireAuthorizations } from './due.js';
export { findNetworkHistory } from './store.js';

/** Plays the network: refuses a message that a network could not send, then takes it. Returns the issuer's token. */
export async function simulateMessage(deps: MessageDeps, tx: Tx, platformId: PlatformId, message: SimulatedMessage): Promise<string> {
  const locked = await lockDecidedCard(tx, platformId, message.cardId);
  const transaction = await getOwnTransaction(tx, platformId, locked.card.id, message.transactionId);

  refuseSimulation(message.kind, await gatherMessageFacts(tx, platformId, locked, transaction, message));

  return (await takeMessage(deps, tx, platformId, locked, transaction, message)).issuerToken;
}

export type Recorded = { readonly transaction: CardTransaction; readonly duplicate: boolean };

/** Takes a message of a real network. Messages may arrive in any order and more than once. */
export async function recordMessage(deps: MessageDeps, tx: Tx, platformId: PlatformId, message: IssuerMessage): Promise<Recorded> {
  const byToken = () => findByToken(tx, platformId, message.issuerToken);
  const locked = await lockDecidedCard(tx, platformId, message.cardId ?? (await byToken())?.cardId, message.program);
  // Read again under the lock: it may have changed or have been opened meanwhile.
  const [known, messages] = await Promise.all([byToken(), findMessageTransactions(tx, platformId, [message])]);
  if (known && known.cardId !== locked.card.id) throw tokenOfAnotherCard();
  const earlier = messages.get(messageKey(message));
  if (earlier) {
    if (earlier !== known?.id) throw usedForAnother();
    // A repeat gets the answer of the first, also when the message would be refused by now. A return answers with its own row.
    const returned = message.kind === 'RETURN' ? await findByToken(tx, platformId, message.token) : undefined;
    return { transaction: returned ?? known, duplicate: true };
  }
  const transaction = known ?? (await openByMessage(deps, tx, platformId, locked, message));

  refuseMessage(message.kind, await gatherMessageFacts(tx, platformId, locked, transaction, message));

  return { transaction: await takeMessage(deps, tx, platformId, locked, transaction, message), duplicate: false };
}

const usedForAnother = () => new ApiError('CONFLICT', undefined, { reason: 'The messageToken was used for another transaction.' });

async function gatherMessageFacts(
  tx: Tx,
  platformId: PlatformId,
  { card }: LockedCard,
  transaction: CardTransaction,
  { kind, amount }: NetworkMessage,
): Promise<MessageFacts> {
  const mayWait = kind === 'CLEARING' && transaction.pullDueAt !== null;
  const waiting = mayWait ? await findWaitingClearings(tx, platformId, transaction.id) : 0n;
  const disputed = kind === 'RETURN' ? await findDisputed(tx, platformId, [transaction.id]) : undefined;
  return { transaction, amount, cardClosed: card.status === 'CLOSED', waiting, disputed: disputed?.get(transaction.id) ?? 0n };
}

/** A clearing or an advice may arrive before any authorization request; other messages need a transaction. */
function openByMessage(
  { holdLifeMs }: MessageDeps,
  tx: Tx,
  platformId: PlatformId,
  locked: LockedCard,
  { kind, issuerToken, merchant, amount }: IssuerMessage,
): Promise<CardTransaction> {
  // A clearing of 0 is an expiry.
  if ((kind !== 'CLEARING' || amount === 0n) && kind !== 'AUTHORIZATION_ADVICE') throw new ApiError('TRANSACTION_NOT_FOUND');
  if (!merchant) throw invalidField('merchant', 'is required when the transaction is unknown');
  return openUnrequested(tx, platformId, locked, { kind, issuerToken, merchant, expiresAt: plusMs(locked.now, holdLifeMs) });
}

/** Records a new message, and carries it out unless it has to wait. */
async function takeMessage(
  deps: MessageDeps,
  tx: Tx,
  platformId: PlatformId,
  locked: LockedCard,
  transaction: CardTransaction,
  message: NetworkMessage,
): Promise<CardTransaction> {
  const { token, kind, amount } = message;
  const due = dueAt(kind, transaction, locked.now);
  const isNew = await insertMessage(tx, platformId, { token, kind, transactionId: transaction.id, amount, dueAt: due }, locked.now);
  // Messages of one transaction are serialized by its card, so a conflict comes from a message of another transaction.
  if (!isNew) throw usedForAnother();
  return due ? transaction : apply(deps, tx, platformId, await gatherFacts(tx, platformId, locked, transaction), message);
}

/** Schedules what a delayed pull leaves to be done, under the token of its transaction. */
export async function schedulePull(tx: Tx, platformId: PlatformId, pull: DelayedPull, now: Date): Promise<void> {
  const { id: transactionId, issuerToken: token, pullDueAt } = pull.transaction;
  for (const { kind, amount } of scheduledBy(pull))
    await insertMessage(tx, platformId, { token, kind, transactionId, amount, dueAt: pullDueAt ?? undefined }, now);
}

/** A balance inquiry moves and records nothing; the card must be one whose authorizations the service decides. */
export const inquireBalance = async (tx: Tx, platformId: PlatformId, cardId: CardId | undefined): Promise<void> =>
  void (await lockDecidedCard(tx, platformId, cardId));
