// What may happen to a card. Tables and pure functions: the first refusal that applies is the answer.
import { ApiError, type FieldError, invalid, invalidField } from '../../../kernel/errors.js';
import type { CardFundingSourceId, CardId, CustomerId } from '../../../kernel/ids.js';
import { canMove, type Moves, mergedMoves, movesBy, movesByEvent } from '../../../kernel/lifecycle.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { HOUR_MS, plusMs } from '../../../kernel/time.js';
import { type CardCapabilities, canFundCards } from '../../accounts/internal-accounts/internal-account.js';
import type {
  Card,
  CardDetails,
  CardInstruction,
  CardIssueRequest,
  CardLimits,
  CardPatch,
  CardProgram,
  CardStatus,
  CardStatusReason,
  FundingAccount,
  PinStatus,
  RequestableStatus,
} from './card.js';

/** "Allowed requested moves are exactly …; any other requested move returns 409 INVALID_STATE_TRANSITION." */
export const REQUESTED_MOVES: Moves<CardStatus, RequestableStatus> = {
  PENDING_KYC: [],
  PROCESSING: [],
  PENDING: ['ACTIVE', 'FROZEN', 'CLOSED'],
  ACTIVE: ['FROZEN', 'CLOSED'],
  FROZEN: ['ACTIVE', 'CLOSED'],
  CLOSED: [],
};

/** Moves that no caller requests, by what makes them. The functions below make them; a test compares. */
const AUTOMATIC_MOVES = {
  PENDING_KYC: { CUSTOMER_DELETED: 'CLOSED' },
  PROCESSING: { PROVISIONED: ['ACTIVE', 'PENDING'], REJECTED: 'CLOSED', CUSTOMER_DELETED: 'CLOSED' },
  PENDING: { DELEGATION_COMPLETED: 'ACTIVE', FUNDING_CHANGED: 'ACTIVE', CUSTOMER_DELETED: 'CLOSED' },
  ACTIVE: { DELEGATION_REVOKED: 'PENDING', FUNDING_CHANGED: 'PENDING', CUSTOMER_DELETED: 'CLOSED' },
  FROZEN: { CUSTOMER_DELETED: 'CLOSED' },
  CLOSED: {},
} as const;

export const CARD_MOVES = mergedMoves(movesBy('REQUESTED', REQUESTED_MOVES), movesByEvent(AUTOMATIC_MOVES));

/** Money leaves an embedded wallet only by a delegated key; USDB lives nowhere else. */
export const needsKey = (currency: CurrencyCode): boolean => currency === 'USDB';

/** Whether the result of a patch depends on a delegated key of the card's funding source. */
export const dependsOnKey = (patch: CardPatch): boolean => patch.status === 'ACTIVE' || patch.fundingSource !== undefined;

const later = (a: Date, b: Date): Date => (a > b ? a : b);

/** The next version of a card. `updatedAt` never goes back, although requests may get the lock in another order than they arrived. */
const next = (card: Card, change: Partial<Card>, now: Date): Card => ({
  ...card,
  ...change,
  version: card.version + 1,
  updatedAt: later(card.updatedAt, now),
});

const REASONS: Readonly<Record<CardStatus, CardStatusReason | null>> = {
  PENDING_KYC: null,
  PROCESSING: null,
  PENDING: 'DELEGATION_REQUIRED',
  ACTIVE: null,
  FROZEN: null,
  CLOSED: 'CLOSED_BY_PLATFORM',
};

/** The status that the service gives to a card that is provisioned and neither frozen nor closed. */
const settled = (fundingCurrency: CurrencyCode, hasUsableKey: boolean) => {
  const status = needsKey(fundingCurrency) && !hasUsableKey ? 'PENDING' : 'ACTIVE';
  return { status, statusReason: REASONS[status] } as const;
};

// ---- PATCH /cards/{id}

/** The account a patch names, with the id its pair with the card has or will have. */
export type NewFunding = { readonly account: FundingAccount; readonly fundingSourceId: CardFundingSourceId };

export type ChangeFacts = {
  readonly card: Card;
  readonly program: CardProgram;
  readonly patch: CardPatch;
  /** Undefined when the patch names no account, and when it names one the platform does not have. */
  readonly newFunding: NewFunding | undefined;
  /** Of the source the card will have. */
  readonly hasUsableKey: boolean;
  readonly now: Date;
};

export type Changed = {
  readonly card: Card;
  /** "The card.status_change webhook fires on every successful status transition"; never on an automatic one. */
  readonly announce: boolean;
  /** What the issuer must accept first; undefined when the change does not concern the issuer. */
  readonly instruction: CardInstruction | undefined;
};

export function changeCard(facts: ChangeFacts): Changed {
  const { card, patch, newFunding, hasUsableKey, now } = facts;
  refuseByState(facts);
  refuseIneligible(facts);

  const moved = newFunding !== undefined && (card.status === 'ACTIVE' || card.status === 'PENDING');
  const changed = next(
    card,
    {
      ...(moved && settled(newFunding.account.currency, hasUsableKey)),
      ...(patch.status && { status: patch.status, statusReason: REASONS[patch.status] }),
      ...(newFunding && {
        fundingAccountId: newFunding.account.id,
        fundingCurrency: newFunding.account.currency,
        fundingSourceId: newFunding.fundingSourceId,
      }),
      ...(patch.status === 'CLOSED' && { fundingSourceId: null }),
      ...limitsIn(patch),
    },
    now,
  );
  return { card: changed, announce: patch.status !== undefined, instruction: instructionFor(facts, changed) };
}

function refuseByState({ card, patch, program, newFunding, hasUsableKey }: ChangeFacts): void {
  if (card.status === 'CLOSED') throw new ApiError(patch.status === 'CLOSED' ? 'CARD_ALREADY_CLOSED' : 'CARD_NOT_MUTABLE');
  if (patch.status === undefined) return;
  const refused = (details: Record<string, unknown>) => new ApiError('INVALID_STATE_TRANSITION', details);
  if (!canMove(REQUESTED_MOVES, card.status, patch.status)) throw refused({ from: card.status, to: patch.status });
  if (patch.status !== 'ACTIVE' || hasUsableKey) return;
  // Judged with the funding source the card will have. `refuseIneligible` reports an account that cannot fund the card.
  const isNamed = patch.fundingSource !== undefined;
  const currency = isNamed
    ? newFunding && whyUnfit(newFunding.account, card.customerId, program) === undefined && newFunding.account.currency
    : card.fundingCurrency;
  if (currency && needsKey(currency)) throw refused({ from: card.status, to: 'ACTIVE', cause: 'DELEGATION_REQUIRED' });
}

function refuseIneligible({ card, program, patch, newFunding }: ChangeFacts): void {
  const errors: FieldError[] = [];
  if (patch.fundingSource !== undefined) {
    const message = newFunding ? whyUnfit(newFunding.account, card.customerId, program) : UNKNOWN_ACCOUNT;
    if (message) errors.push({ field: 'fundingSource', message });
    if (patch.status && program.decides === 'ISSUER') {
      errors.push({ field: 'fundingSource', message: 'cannot be combined with status: the issuer of this card decides authorizations' });
    }
  }
  errors.push(...unsupported(program, patch));
  if (errors.length > 0) throw invalid(...errors);
}

const NEEDED_CAPABILITIES = [
  ['maxSpendPerTransaction', 'supportsSpendLimits'],
  ['maxSpendPerDay', 'supportsSpendLimits'],
  ['maxTransactionsPerDay', 'supportsTransactionCountLimit'],
  ['threeDSecurePassword', 'supports3dSecurePassword'],
] as const satisfies readonly (readonly [keyof CardPatch, keyof CardCapabilities])[];

/** Clearing counts as supplying: "accepted only when …". */
function unsupported(program: CardProgram, patch: CardPatch): FieldError[] {
  return NEEDED_CAPABILITIES.filter(([field, capability]) => patch[field] !== undefined && !program.capabilities[capability]).map(
    ([field, capability]) => ({ field, message: `is not supported by this card: ${capability} is false` }),
  );
}

const UNKNOWN_ACCOUNT = 'must be an internal account of the cardholder';

const FUNDING_TYPES: Readonly<Record<CurrencyCode, string>> = { USD: 'INTERNAL_FIAT', USDB: 'EMBEDDED_WALLET' };

/** Why an account cannot fund a card of this holder under this program; undefined when it can. */
function whyUnfit(account: FundingAccount, holder: CustomerId, program: CardProgram): string | undefined {
  if (account.customerId !== holder) return UNKNOWN_ACCOUNT;
  if (!program.fundingCurrencies.includes(account.currency)) {
    return `must hold a currency the card program supports: ${program.fundingCurrencies.join(', ')}`;
  }
  if (account.type !== FUNDING_TYPES[account.currency]) return `must be an account of type ${FUNDING_TYPES[account.currency]}`;
  if (!canFundCards(account)) return 'must be an open account';
  return undefined;
}

const limitsIn = (patch: CardPatch): Partial<CardLimits> => ({
  ...(patch.maxSpendPerTransaction !== undefined && { maxSpendPerTransaction: patch.maxSpendPerTransaction }),
  ...(patch.maxSpendPerDay !== undefined && { maxSpendPerDay: patch.maxSpendPerDay }),
  ...(patch.maxTransactionsPerDay !== undefined && { maxTransactionsPerDay: patch.maxTransactionsPerDay }),
});

/** Status and password always concern the issuer; limits and funding only an issuer that decides authorizations. */
function instructionFor({ card, program, patch, newFunding }: ChangeFacts, changed: Card): CardInstruction | undefined {
  const { status, substatus, reason, threeDSecurePassword } = patch;
  const decides = program.decides === 'ISSUER';
  const limited = Object.keys(limitsIn(patch)).length > 0;
  const instruction = {
    ...(status && substatus && reason && { status: { to: status, substatus, reason } }),
    ...(threeDSecurePassword !== undefined && { threeDSecurePassword }),
    ...(decides && limited && { limits: limitsOf(changed) }),
    ...(decides && newFunding && { fundingAccountId: newFunding.account.id }),
  };
  return Object.keys(instruction).length > 0 ? { card, ...instruction } : undefined;
}

export const limitsOf = ({ maxSpendPerTransaction, maxSpendPerDay, maxTransactionsPerDay }: CardLimits): CardLimits => ({
  maxSpendPerTransaction,
  maxSpendPerDay,
  maxTransactionsPerDay,
});

// ---- POST /cards and provisioning

export type LiveCards = { readonly ofPlatform: number; readonly ofCardholder: number };
export type LiveCardLimits = { readonly maxLiveCards: number | null; readonly maxCardsPerCardholder: number | null };

export type IssueFacts = {
  readonly request: CardIssueRequest;
  /** Undefined when the platform has no such customer. */
  readonly cardholder: { readonly id: CustomerId; readonly verificationStatus: string; readonly deletedAt: Date | null } | undefined;
  readonly account: FundingAccount | undefined;
  /** Undefined when no issuer offers the platform's program. */
  readonly program: CardProgram | undefined;
  readonly live: LiveCards;
  readonly limits: LiveCardLimits;
  readonly ids: { readonly card: CardId; readonly fundingSource: CardFundingSourceId; readonly platformCard: string };
  readonly now: Date;
};

/** An order that the issuer has not answered after this time is repeated. */
export const PROVISIONING_TIMEOUT_MS = 30_000;

export function issueCard({ request, cardholder, account, program, live, limits, ids, now }: IssueFacts): Card {
  if (!program) throw new ApiError('NOT_IMPLEMENTED', { cause: 'NO_CARD_PROGRAM' });
  if (!cardholder || cardholder.deletedAt !== null) throw invalidField('customerId', 'must be a customer of the platform');
  if (reached(live.ofPlatform, limits.maxLiveCards)) throw new ApiError('CARD_LIMIT_REACHED', { limit: 'PLATFORM' });
  if (reached(live.ofCardholder, limits.maxCardsPerCardholder)) throw new ApiError('CARD_LIMIT_REACHED', { limit: 'CARDHOLDER' });
  if (cardholder.verificationStatus !== 'APPROVED') throw new ApiError('CARDHOLDER_KYC_NOT_APPROVED');
  const errors = [...unfitAtIssuance(request, program), ...unfitFunding(account, cardholder.id, program)];
  if (!account || errors.length > 0) throw invalid(...errors);

  return {
    id: ids.card,
    customerId: cardholder.id,
    platformCardId: ids.platformCard,
    status: 'PROCESSING',
    statusReason: null,
    program: program.id,
    form: request.form,
    currency: program.currency,
    fundingAccountId: account.id,
    fundingCurrency: account.currency,
    fundingSourceId: ids.fundingSource,
    maxSpendPerTransaction: request.maxSpendPerTransaction ?? null,
    maxSpendPerDay: request.maxSpendPerDay ?? null,
    maxTransactionsPerDay: request.maxTransactionsPerDay ?? null,
    pinStatus: program.supportsPin ? 'NOT_SET' : null,
    details: null,
    version: 1,
    provisioningDueAt: new Date(now.getTime() + PROVISIONING_TIMEOUT_MS),
    createdAt: now,
    updatedAt: now,
  };
}

const reached = (count: number, limit: number | null): boolean => limit !== null && count >= limit;

function unfitFunding(account: FundingAccount | undefined, holder: CustomerId, program: CardProgram): FieldError[] {
  const message = account ? whyUnfit(account, holder, program) : UNKNOWN_ACCOUNT;
  return message ? [{ field: 'fundingSource', message }] : [];
}

function unfitAtIssuance(request: CardIssueRequest, program: CardProgram): FieldError[] {
  const errors = unsupported(program, request);
  if (program.capabilities.supportsSpendLimits && !program.capabilities.supportsSpendLimitsAtIssuance) {
    for (const field of ['maxSpendPerTransaction', 'maxSpendPerDay'] as const) {
      if (request[field] !== undefined)
        errors.push({ field, message: 'can only be set once the card is issued: supportsSpendLimitsAtIssuance is false' });
    }
  }
  if (program.capabilities.supports3dSecurePassword && request.threeDSecurePassword === undefined) {
    errors.push({ field: 'threeDSecurePassword', message: 'is required by this card program' });
  }
  return errors;
}

/** The issuer made the card: it becomes ACTIVE, or PENDING without a delegated key. Undefined when the outcome is already known. */
export function provisionCard(card: Card, details: CardDetails, hasUsableKey: boolean, now: Date): Card | undefined {
  if (card.status !== 'PROCESSING') return undefined;
  return next(card, { ...settled(card.fundingCurrency, hasUsableKey), details, provisioningDueAt: null }, now);
}

/** The issuer rejected the card. */
export function rejectCard(card: Card, now: Date): Card | undefined {
  if (card.status !== 'PROCESSING') return undefined;
  return next(card, { status: 'CLOSED', statusReason: 'ISSUER_REJECTED', fundingSourceId: null, provisioningDueAt: null }, now);
}

/** The service closes a card. REQUESTED_MOVES does not apply: no caller requested it. */
export const closeByService = (card: Card, now: Date): Card =>
  next(card, { status: 'CLOSED', statusReason: 'CLOSED_BY_GRID', fundingSourceId: null, provisioningDueAt: closingDueAt(now, now) }, now);

/** What the issuer of a card is told that the service has closed. */
export const closingOf = (card: Card): CardInstruction => ({
  card,
  status: { to: 'CLOSED', substatus: 'OTHER', reason: 'The cardholder was deleted.' },
});

/** When an issuer that gave no answer is told again: ever more rarely, but once an hour at least. */
export const closingDueAt = (closedAt: Date, now: Date): Date =>
  plusMs(now, Math.min(HOUR_MS, Math.max(PROVISIONING_TIMEOUT_MS, Math.floor((now.getTime() - closedAt.getTime()) / 10))));

// ---- delegation: automatic status changes, no webhook

/** "A PENDING card using this funding source becomes ACTIVE; … frozen and closed cards keep their status." */
export function completeDelegation(card: Card, source: CardFundingSourceId, now: Date): Card | undefined {
  if (card.status !== 'PENDING' || card.fundingSourceId !== source) return undefined;
  return next(card, settled(card.fundingCurrency, true), now);
}

export function revokeDelegation(card: Card, source: CardFundingSourceId, now: Date): Card | undefined {
  if (card.status !== 'ACTIVE' || card.fundingSourceId !== source) return undefined;
  return next(card, settled(card.fundingCurrency, false), now);
}

// ---- card details, wallets, PIN

const conflict = (cause: string, reason: string) => new ApiError('CONFLICT', { cause }, { reason });

const isMade = (card: Card): boolean => card.details !== null;

export function refuseReveal(card: Card, program: CardProgram): void {
  if (card.status === 'CLOSED') throw conflict('CARD_CLOSED', 'The details of a closed card cannot be shown.');
  if (!program.capabilities.supportsPanReveal) throw conflict('REVEAL_NOT_SUPPORTED', 'This card does not support showing its details.');
  if (!isMade(card)) throw conflict('CARD_NOT_PROVISIONED', 'The card has not been provisioned yet.');
}

export function refuseTokenization(card: Card, program: CardProgram): void {
  if (card.status === 'CLOSED') throw new ApiError('CARD_NOT_MUTABLE');
  if (!program.capabilities.supportsDigitalWalletTokenization) {
    throw conflict('TOKENIZATION_NOT_SUPPORTED', 'This card cannot be added to a digital wallet.');
  }
  if (card.status !== 'ACTIVE') throw conflict('CARD_NOT_ACTIVE', 'Only an active card can be added to a digital wallet.');
}

/** PIN management needs a card that is not closed, is provisioned, and belongs to a program with PIN management. */
export function refusePinManagement(card: Card): void {
  if (card.status === 'CLOSED') throw new ApiError('CARD_NOT_MUTABLE');
  if (card.pinStatus === null) throw conflict('PIN_NOT_SUPPORTED', 'This card has no PIN management.');
  if (!isMade(card)) throw conflict('CARD_NOT_PROVISIONED', 'The card has not been provisioned yet.');
}

/** The only origin the PIN page posts messages to. */
export function pinPageOrigin(card: Card, targetOrigin: string | null | undefined): string {
  refusePinManagement(card);
  if (!targetOrigin) throw conflict('PIN_TARGET_ORIGIN_NOT_SET', 'The platform has not set cardConfigs.pinTargetOrigin.');
  return targetOrigin;
}

/** An issuer page is open until its pass expires or its card is closed. */
export const canVisit = (card: Card, expiresAt: Date, now: Date): card is Card & { readonly details: CardDetails } =>
  now < expiresAt && card.status !== 'CLOSED' && isMade(card);

/** What becomes of a PIN. An event that a status does not list is refused. */
export const PIN_MOVES: Readonly<Record<PinStatus, Readonly<Partial<Record<'SET' | 'UNBLOCKED' | 'BLOCKED', PinStatus>>>>> = {
  NOT_SET: { SET: 'OK' },
  OK: { SET: 'OK', UNBLOCKED: 'OK', BLOCKED: 'BLOCKED' },
  BLOCKED: { SET: 'OK', UNBLOCKED: 'OK', BLOCKED: 'BLOCKED' },
};

export type PinChanged = {
  readonly card: Card;
  /** "on a changed stored status; not on OK to OK". */
  readonly announce: boolean;
};

function changePin(card: Card, event: 'SET' | 'UNBLOCKED' | 'BLOCKED', now: Date): PinChanged {
  refusePinManagement(card);
  const pinStatus = PIN_MOVES[card.pinStatus ?? 'NOT_SET'][event];
  if (!pinStatus) throw conflict('PIN_NOT_SET', 'The card has no PIN.');
  return { card: next(card, { pinStatus }, now), announce: card.pinStatus !== pinStatus };
}

export const setPin = (card: Card, now: Date): PinChanged => changePin(card, 'SET', now);
/** Unblocking a PIN that is not blocked has no effect; the card must have one. */
export const unblockPin = (card: Card, now: Date): PinChanged => changePin(card, 'UNBLOCKED', now);
/** The issuer counted too many wrong tries. */
export const blockPin = (card: Card, now: Date): PinChanged => changePin(card, 'BLOCKED', now);

/** The card with a new history row and no other change. */
export const noted = (card: Card): Card => ({ ...card, version: card.version + 1 });
