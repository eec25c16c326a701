// Types of network messages about card transactions.
import type { CardId, TransactionId } from '../../../kernel/ids.js';
import type { Merchant } from '../authorizations/card-transaction.js';

/** Messages about a transaction that exists. */
export const FOLLOW_UP_KINDS = [
  'AUTHORIZATION_ADVICE',
  'CLEARING',
  'AUTHORIZATION_REVERSAL',
  'AUTHORIZATION_EXPIRY',
  'RETURN',
  'RETURN_REVERSAL',
] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

/** What can be scheduled. A PULL is not a network message: the service pulls the money of an authorization later. */
export type ScheduledKind = FollowUpKind | 'PULL';

/** A message about a transaction. `token` is the message's own: the network repeats messages. */
export type NetworkMessage = { readonly kind: FollowUpKind; readonly token: string; readonly amount?: bigint | undefined };

/** A message that the sandbox sends in place of the network. */
export type SimulatedMessage = NetworkMessage & { readonly cardId: CardId | undefined; readonly transactionId: TransactionId | undefined };

/** A message as an issuer's processor sends it. */
export type IssuerMessage = NetworkMessage & {
  readonly issuerToken: string;
  /** The card program that the processor may send messages for. */
  readonly program: string;
  readonly cardId?: CardId | undefined;
  readonly merchant?: Merchant | undefined;
};

/** What is carried out on a transaction: a network message or scheduled work. */
export type Instruction = { readonly kind: ScheduledKind; readonly token: string; readonly amount?: bigint | undefined };
