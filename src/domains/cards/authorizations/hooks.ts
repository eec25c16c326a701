// Hooks of card authorizations: what the domain of network messages does for them.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import type { CardTransaction, NetworkHistory } from './card-transaction.js';

export type DelayedPull = {
  readonly transaction: CardTransaction;
  readonly fromWallet: boolean;
  /** The request also settles, once the pull went through. */
  readonly financial: boolean;
};

export type SchedulePull = (tx: Tx, platformId: PlatformId, pull: DelayedPull, now: Date) => Promise<void>;

/** An approved authorization pulls its money later: what is to happen at `pullDueAt` is scheduled. */
export const pullDelayed = defineHook<SchedulePull>('authorizations.pull-delayed');

export type FindNetworkHistory = (tx: Tx, platformId: PlatformId, id: TransactionId) => Promise<NetworkHistory | undefined>;

/** The network messages about a transaction; undefined when there are none. The card is locked. */
export const networkHistory = defineHook<FindNetworkHistory>('authorizations.network-history');
