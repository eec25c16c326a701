// Makes, reads and executes quotes.
import type { Context } from '../../../context.js';
import type { Tx } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { applyOutgoing, asOf, paymentDeps, statusOf } from '../payments/actions.js';
import type { QuoteDeps } from './deps.js';
import { scaSubjectOf } from './execute.js';
import { strongAuthentication } from './hooks.js';
import type { QuoteId, ReadQuote, ScaSubject } from './quote.js';
import { findQuotes, getQuote, lockQuote } from './store.js';

export { agreeBefore, createQuote } from './create.js';
export type { QuoteDeps } from './deps.js';
export { continueAuthorized, executeQuote, type Outcome, verifyOwner } from './execute.js';
export { refuseExecution } from './execution-rules.js';
export { fundQuote } from './fund.js';
export { getQuote, lockQuote } from './store.js';
export { type TransferRequest, transferOut } from './transfer.js';

/** What making and executing quotes needs. */
export const quoteDeps = (context: Context): QuoteDeps => ({
  ...paymentDeps(context),
  signer: context.signer,
  files: context.files,
  custody: context.custody,
  umaPeers: context.umaPeers,
  authentication: () => context.hooks.only(strongAuthentication),
});

/** The quote as a reader sees it at a moment, with its open challenge. */
export async function readQuote(
  { authentication }: Pick<QuoteDeps, 'authentication'>,
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  id: QuoteId | undefined,
  now: Date,
): Promise<ReadQuote> {
  const quote = await getQuote(tx, platformId, id);
  const waits = quote.payment.state === 'AWAITING_AUTHORIZATION';
  const challenge = waits ? (await authentication().challengesOf(tx, platformId, [quote.id])).get(quote.id) : undefined;
  return { quote: { ...quote, payment: asOf(quote.payment, now) }, challenge };
}

/** As `readQuote`, for several quotes that exist. */
export async function readQuotes(
  { authentication }: Pick<QuoteDeps, 'authentication'>,
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  ids: readonly QuoteId[],
  now: Date,
): Promise<ReadonlyMap<QuoteId, ReadQuote>> {
  const quotes = ids.length > 0 ? await findQuotes(tx, platformId, ids) : [];
  const waiting = quotes.filter(({ payment }) => payment.state === 'AWAITING_AUTHORIZATION').map(({ id }) => id);
  const challenges = waiting.length > 0 ? await authentication().challengesOf(tx, platformId, waiting) : undefined;
  return new Map(
    quotes.map((quote) => [quote.id, { quote: { ...quote, payment: asOf(quote.payment, now) }, challenge: challenges?.get(quote.id) }]),
  );
}

// ---- for strong customer authentication

/** The quote that a challenge is bound to, locked. */
export async function lockForAuthentication(tx: Tx, platformId: PlatformId, id: QuoteId | undefined): Promise<ScaSubject> {
  const quote = await lockQuote(tx, platformId, id);
  return scaSubjectOf(quote, statusOf(quote.payment));
}

/** A further challenge replaces the satisfied one. Whether the quote was waiting. */
export async function challengeAgain(
  deps: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  id: QuoteId,
  expiresAt: Date,
  now: Date,
): Promise<boolean> {
  const { payment } = await lockQuote(tx, platformId, id);
  return (await applyOutgoing(deps, tx, platformId, payment, { event: 'CHALLENGED', expiresAt, now })) !== undefined;
}

/** The challenge was not satisfied in time, or is void. Whether the quote was waiting. */
export async function failAuthentication(deps: QuoteDeps, tx: Tx, platformId: PlatformId, id: QuoteId, now: Date): Promise<boolean> {
  const { payment } = await lockQuote(tx, platformId, id);
  return (await applyOutgoing(deps, tx, platformId, payment, { event: 'CHALLENGE_EXPIRED', now })) !== undefined;
}
