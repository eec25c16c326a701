// Carries out network messages and scheduled work on a transaction.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import {
  type AuthorizationDeps,
  advise,
  changeTransaction,
  clear,
  isUnrequested,
  type PlannedChange,
  planChange,
  planReturn,
  pullHeld,
  release,
  retryWithoutWallet,
  reverse,
  reverseReturn,
  type TransactionFacts,
  writeChange,
} from '../authorizations/actions.js';
import type { CardTransaction } from '../authorizations/card-transaction.js';
import type { Instruction, ScheduledKind } from './network-message.js';
import { findNetworkHistory } from './store.js';

export type MessageDeps = Pick<AuthorizationDeps, 'db' | 'wallets' | 'holdLifeMs'>;

/** Carries out an instruction; returns the transaction that it opened or changed. */
export const apply = (
  deps: MessageDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: TransactionFacts,
  instruction: Instruction,
): Promise<CardTransaction> => retryWithoutWallet(facts, (known) => carryOut(deps, tx, platformId, known, instruction));

async function carryOut(
  deps: MessageDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: TransactionFacts,
  instruction: Instruction,
): Promise<CardTransaction> {
  const { kind } = instruction;
  if (isPlanned(kind)) return writeChange(deps, tx, platformId, facts, planInstruction(platformId, facts, { ...instruction, kind }));
  return kind === 'RETURN_REVERSAL'
    ? reverseReturn(deps, tx, platformId, facts)
    : applyAdvice(deps, tx, platformId, facts, amountOf(instruction));
}

/** Without its key a hold on a wallet can be neither renewed nor taken in part: it is released first. */
const reachable = ({ transaction, source }: TransactionFacts): CardTransaction =>
  source.isWallet && !source.usable ? { ...transaction, held: 0n } : transaction;

/** Instructions that are decided on the transaction's own facts. An advice and the reversal of a return need more. */
export type PlannedKind = Exclude<ScheduledKind, 'AUTHORIZATION_ADVICE' | 'RETURN_REVERSAL'>;

export const isPlanned = (kind: ScheduledKind): kind is PlannedKind => kind !== 'AUTHORIZATION_ADVICE' && kind !== 'RETURN_REVERSAL';

/** What an instruction makes of its transaction. Nothing is written. */
export function planInstruction(
  platformId: PlatformId,
  facts: TransactionFacts,
  instruction: Instruction & { readonly kind: PlannedKind },
): PlannedChange {
  const before = reachable(facts);
  const change = (after: CardTransaction, cause: string) => planChange(platformId, facts, after, { cause });
  const expire = () => planChange(platformId, facts, release(before), { cause: 'CARD_EXPIRY', outcome: 'EXPIRED' });
  switch (instruction.kind) {
    case 'CLEARING': {
      const amount = amountOf(instruction);
      return amount === 0n ? expire() : change(clear(before, amount, facts.withdrawable), 'CARD_CLEARING');
    }
    case 'AUTHORIZATION_REVERSAL':
      return change(reverse(before, instruction.amount), 'CARD_REVERSAL');
    case 'AUTHORIZATION_EXPIRY':
      return expire();
    case 'PULL':
      return change(pullHeld(before), 'CARD_PULL');
    case 'RETURN':
      return planReturn(platformId, facts, { amount: amountOf(instruction), issuerToken: instruction.token });
  }
}

function amountOf({ kind, amount }: Instruction): bigint {
  assert(amount !== undefined, `${kind} has an amount`);
  return amount;
}

async function applyAdvice(
  deps: MessageDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: TransactionFacts,
  amount: bigint,
): Promise<CardTransaction> {
  const { source, withdrawable, now } = facts;
  const before = reachable(facts);
  const [unrequested, history] = await Promise.all([
    isUnrequested(tx, platformId, before.id),
    findNetworkHistory(tx, platformId, before.id),
  ]);
  assert(history, 'the advice itself is recorded');

  const expiresAt = plusMs(now, deps.holdLifeMs);
  const terms = { amount, unrequested, fromWallet: source.isWallet, expiresAt, withdrawable };
  const { transaction, spend } = advise(before, terms, history);

  return changeTransaction(deps, tx, platformId, facts, transaction, { cause: 'CARD_AUTHORIZATION', spend });
}
