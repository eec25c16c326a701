// What happens to cards: gather, decide, write. The issuer is asked while the card is locked, so that two changes reach it in the order they happened here.
import type { Logger } from 'pino';
import type { Db, Tx } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import {
  type CardFundingSourceId,
  type CardId,
  type CustomerId,
  newId,
  newUuid,
  type PlatformId,
  parseId,
  type TokenId,
} from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { plusMs } from '../../../kernel/time.js';
import { type CardIssuer, IssuerRefused, IssuerSilent } from '../../../providers/card-issuer.js';
import type { PagePass } from '../../../providers/sandbox-card-issuer.js';
import { hasActiveKey } from '../../access/delegated-keys/actions.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { getPlatform, lockPlatform, platformNow, savePlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockCustomerRow } from '../../identity/customers/actions.js';
import type {
  Card,
  CardChange,
  CardIssueRequest,
  CardOrder,
  CardPatch,
  CardProgram,
  FundingAccount,
  TokenizationPayload,
  TokenizationRequest,
} from './card.js';
import { findProgram } from './programs.js';
import {
  asksForKey,
  blockPin,
  canVisit,
  changeCard,
  closeByService,
  completeDelegation,
  issueCard,
  type NewFunding,
  needsKey,
  noted,
  type PinChanged,
  PROVISIONING_PATIENCE_MS,
  pinPageOrigin,
  provisionCard,
  refuseReveal,
  refuseTokenization,
  rejectCard,
  revokeDelegation,
  setPin,
  unblockPin,
} from './rules.js';
import { renderCard } from './schemas.js';
import {
  bindFunding,
  type CardFilter,
  type CardKey,
  claimProvisioning,
  countLiveCards,
  detachFunding,
  findCards,
  findFundingPair,
  findFundingSource,
  getCard,
  insertCard,
  listCards as listCardRows,
  lockCard,
  lockFundingSource,
  lockLiveCards,
  pinSetSince,
  saveCard,
} from './store.js';

export { capabilitiesFor, findProgram } from './programs.js';

export type CardDeps = {
  readonly db: Db;
  readonly issuer: CardIssuer;
  /** Under which cards can be issued; none without an issuer. */
  readonly programs: readonly CardProgram[];
  /** What else ends when a card closes, in the closing transaction and with the card locked: its pending authorizations. */
  readonly onClosed: (tx: Tx, platformId: PlatformId, card: Card, now: Date) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Who asks, and when. */
export type Asker = { readonly platformId: PlatformId; readonly tokenId: TokenId; readonly now: Date };

const programOf = ({ program }: Card): CardProgram => {
  const found = findProgram(program);
  assert(found, 'the program of an issued card is known');
  return found;
};

// ---- reading

/** Reads one card; callers that arrive together share one statement. */
export function createGetCard(db: Db): (platformId: PlatformId, id: CardId | undefined) => Promise<Card> {
  const find = batched((keys: readonly CardKey[]) => findCards(db, keys), { lanes: 2 });
  return async (platformId, id) => {
    const card = id && (await find({ platformId, id }));
    if (!card) throw new ApiError('NOT_FOUND');
    return card;
  };
}

export const listCards = (
  { db }: CardDeps,
  platformId: PlatformId,
  filter: CardFilter,
  order: 'asc' | 'desc',
  page: PageRequest<string>,
  scope: unknown,
): Promise<Page<Card>> => listCardRows(db, platformId, filter, order, page, scope);

// ---- issuing

/** Makes the card and, once that is committed, orders it from the issuer. */
export async function createCard(deps: CardDeps, tx: Tx, { platformId, tokenId, now }: Asker, request: CardIssueRequest): Promise<Card> {
  const platform = await lockIfLimited(tx, platformId);
  const customerId = parseId('Customer', request.customerId);
  const cardholder = customerId && (await lockCustomerRow(tx, platformId, customerId));
  const account = await findAccount(tx, platformId, request.fundingSource);

  const card = issueCard({
    request,
    cardholder,
    account,
    program: deps.programs.find(({ id }) => id === platform.cardProgram),
    live: customerId && isLimited(platform) ? await countLiveCards(tx, platformId, customerId) : { ofPlatform: 0, ofCardholder: 0 },
    limits: platform,
    ids: { card: newId('Card'), fundingSource: newId('CardFundingSource'), platformCard: newUuid() },
    now,
  });

  insertCard(tx, platformId, card, { cause: 'ISSUED', tokenId });
  const { threeDSecurePassword } = request;
  const order = { ...orderOf(card), repeated: false, ...(threeDSecurePassword === undefined ? {} : { threeDSecurePassword }) };
  tx.afterCommit(() => {
    provision(deps, platformId, card, order, now).catch((error: Error) =>
      deps.log.warn({ cardId: card.id, errorMessage: error.message }, 'provisioning failed; the order will be repeated'),
    );
  });
  return card;
}

const orderOf = (card: Card) => {
  const { brand, capabilities } = programOf(card);
  return { card, brand, needsPassword: capabilities.supports3dSecurePassword };
};

const isLimited = ({ maxLiveCards, maxCardsPerCardholder }: Platform): boolean => maxLiveCards !== null || maxCardsPerCardholder !== null;

/** Cards can be counted only while nobody else adds one; without a limit nobody has to wait. */
async function lockIfLimited(tx: Tx, platformId: PlatformId): Promise<Platform> {
  const platform = await getPlatform(tx, platformId);
  return isLimited(platform) ? lockPlatform(tx, platformId) : platform;
}

async function findAccount(tx: Tx, platformId: PlatformId, text: string): Promise<FundingAccount | undefined> {
  const id = parseId('InternalAccount', text);
  return id && (await findInternalAccounts(tx, platformId, [id]))[0];
}

/** Orders a card and applies what the issuer answers. Without an answer the card stays PROCESSING and the order is repeated when it falls due. */
async function provision(deps: CardDeps, platformId: PlatformId, { id }: Card, order: CardOrder, orderedAt: Date): Promise<void> {
  const outcome = await deps.issuer.order(order, orderedAt).catch((error: unknown) => {
    if (error instanceof IssuerSilent) return undefined;
    if (error instanceof IssuerRefused) return { kind: 'REJECTED' } as const;
    throw error;
  });
  if (!outcome) return;

  await deps.db.transaction(async (tx) => {
    const [now, card] = await Promise.all([platformNow(tx, platformId), lockCard(tx, platformId, id)]);
    const key = await keyStandsBehind(tx, platformId, card);

    const changed = outcome.kind === 'MADE' ? provisionCard(card, outcome.details, key, now) : rejectCard(card, now);

    const change = { cause: outcome.kind === 'MADE' ? 'PROVISIONED' : 'REJECTED', tokenId: null } as const;
    if (changed) await writeChange(deps, tx, { platformId, before: card, card: changed, change, now, event: 'card.status_change' });
  });
}

/** Repeats the orders that got no answer; answers how many. */
export async function repeatOrders(deps: CardDeps, platformId: PlatformId, now: Date): Promise<number> {
  const overdue = await deps.db.transaction((tx) => claimProvisioning(tx, platformId, now, plusMs(now, PROVISIONING_PATIENCE_MS), 100));
  for (const card of overdue) await provision(deps, platformId, card, { ...orderOf(card), repeated: true }, now);
  return overdue.length;
}

// ---- changing

/** PATCH /cards/{id}: all of it or none of it, and nothing before the issuer agreed. */
export function updateCard(deps: CardDeps, { platformId, tokenId, now }: Asker, id: CardId | undefined, patch: CardPatch): Promise<Card> {
  return deps.db.transaction(async (tx) => {
    const card = await lockCard(tx, platformId, id);
    const newFunding = await findNewFunding(tx, platformId, card, patch);
    const hasUsableKey = asksForKey(patch) && (await keyStandsBehind(tx, platformId, { ...card, ...fundingOf(newFunding) }));

    const changed = changeCard({ card, program: programOf(card), patch, newFunding, hasUsableKey, now });

    if (changed.instruction) await obeyed(deps.issuer.instruct(changed.instruction));
    const { substatus, reason } = patch;
    const cause = patch.threeDSecurePassword === undefined ? 'UPDATED' : 'PASSWORD_REPLACED';
    const change = { cause, tokenId, ...(substatus && { substatus }), ...(reason && { reason }) } as const;
    const event = changed.announce ? 'card.status_change' : undefined;
    await writeChange(deps, tx, { platformId, before: card, card: changed.card, change, now, event });
    return changed.card;
  });
}

async function findNewFunding(tx: Tx, platformId: PlatformId, card: Card, { fundingSource }: CardPatch): Promise<NewFunding | undefined> {
  const account = fundingSource === undefined ? undefined : await findAccount(tx, platformId, fundingSource);
  if (!account) return undefined;
  return { account, fundingSourceId: (await findFundingPair(tx, platformId, card.id, account.id)) ?? newId('CardFundingSource') };
}

const fundingOf = (funding: NewFunding | undefined): Partial<Card> =>
  funding ? { fundingCurrency: funding.account.currency, fundingSourceId: funding.fundingSourceId } : {};

const keyStandsBehind = async (
  tx: Tx,
  platformId: PlatformId,
  { fundingCurrency, fundingSourceId }: Pick<Card, 'fundingCurrency' | 'fundingSourceId'>,
): Promise<boolean> => fundingSourceId !== null && needsKey(fundingCurrency) && hasActiveKey(tx, platformId, fundingSourceId);

/** The issuer's answer, or the refusal it amounts to. What was asked for has then not happened here. */
async function obeyed<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IssuerRefused) {
      throw new ApiError('CONFLICT', { cause: 'ISSUER_REFUSED' }, { reason: 'The card issuer refused; the card is unchanged.' });
    }
    if (error instanceof IssuerSilent) {
      const reason = 'The card issuer did not answer in time; the card is unchanged. Repeat the request.';
      throw new ApiError('SERVICE_UNAVAILABLE', { cause: 'ISSUER_TIMED_OUT' }, { reason, headers: { 'retry-after': '1' } });
    }
    throw error;
  }
}

type Written = {
  readonly platformId: PlatformId;
  readonly before: Card;
  readonly card: Card;
  readonly change: CardChange;
  readonly now: Date;
  readonly event?: 'card.status_change' | 'CARD.PIN_STATUS_CHANGE' | undefined;
};

/** Writes the card, its history, its binding and its webhook; the statements travel together. */
async function writeChange({ onClosed }: CardDeps, tx: Tx, { platformId, before, card, change, now, event }: Written): Promise<void> {
  const rebound = card.fundingSourceId !== before.fundingSourceId;
  saveCard(tx, platformId, before, card, change, now);
  if (rebound) detachFunding(tx, platformId, card.id, now);
  if (rebound && card.fundingSourceId !== null) bindFunding(tx, platformId, card, now);
  if (event) enqueueEvents(tx, platformId, now, [{ type: event, objectId: card.id, data: renderCard(card) }]);
  if (card.status === 'CLOSED' && before.status !== 'CLOSED') await onClosed(tx, platformId, card, now);
}

/** A customer who is deleted has no use for cards: the service closes them, and tells the issuer once that is certain. */
export async function closeCardsOf(
  deps: CardDeps,
  tx: Tx,
  platformId: PlatformId,
  customer: { readonly id: CustomerId },
  now: Date,
): Promise<void> {
  for (const card of await lockLiveCards(tx, platformId, customer.id)) {
    const { card: closed, instruction } = closeByService(card, now);

    const written = { platformId, before: card, card: closed, change: { cause: 'CUSTOMER_DELETED', tokenId: null }, now } as const;
    await writeChange(deps, tx, { ...written, event: 'card.status_change' });
    tx.afterCommit(() => {
      deps.issuer
        .instruct(instruction)
        .catch((error: Error) =>
          deps.log.warn({ cardId: card.id, errorMessage: error.message }, 'the issuer was not told that the card is closed'),
        );
    });
  }
}

// ---- delegation: what keys ask of cards. Automatic moves, no webhook

/** The port of the keys domain. */
export const cardFundingSources = (deps: CardDeps) => {
  const move =
    (decide: typeof completeDelegation, cause: CardChange['cause']) =>
    async (tx: Tx, platformId: PlatformId, cardId: CardId, source: CardFundingSourceId, now: Date): Promise<void> => {
      const card = await lockCard(tx, platformId, cardId);

      const changed = decide(card, source, now);

      if (changed) await writeChange(deps, tx, { platformId, before: card, card: changed, change: { cause, tokenId: null }, now });
    };
  return {
    find: findFundingSource,
    lock: lockFundingSource,
    delegationCompleted: move(completeDelegation, 'DELEGATION_COMPLETED'),
    delegationRevoked: move(revokeDelegation, 'DELEGATION_REVOKED'),
  };
};

// ---- details, wallets, PIN

/** Where the caller reaches this service: issuer pages of the sandbox live there. */
export type Visit = { readonly serviceUrl: string };

/** A link to the issuer's page with the card's data. That it was made, and for whom, stays in the card's history; the link stays nowhere. */
export function revealCard(
  { db, issuer }: CardDeps,
  { platformId, tokenId, now }: Asker,
  id: CardId | undefined,
  { serviceUrl, cssUrl }: Visit & { readonly cssUrl: string | null | undefined },
) {
  return db.transaction(async (tx) => {
    const card = await lockCard(tx, platformId, id);
    const platform = await getPlatform(tx, platformId);

    refuseReveal(card, programOf(card));

    const style = cssUrl === undefined ? (platform.config.cardConfigs?.panRevealCssUrl ?? null) : cssUrl;
    const page = await obeyed(issuer.openDetailsPage({ platformId, card, serviceUrl, cssUrl: style }, now));
    saveCard(tx, platformId, card, noted(card), { cause: 'REVEALED', tokenId }, now);
    return page;
  });
}

export function tokenizeCard(
  { db, issuer }: CardDeps,
  { platformId, tokenId, now }: Asker,
  id: CardId | undefined,
  request: TokenizationRequest,
): Promise<TokenizationPayload> {
  return db.transaction(async (tx) => {
    const card = await lockCard(tx, platformId, id);

    refuseTokenization(card, programOf(card));

    const payload = await obeyed(issuer.tokenize(card, request));
    saveCard(tx, platformId, card, noted(card), { cause: 'TOKENIZED', tokenId }, now);
    return payload;
  });
}

export async function openPinPage({ db, issuer }: CardDeps, { platformId, now }: Asker, id: CardId | undefined, { serviceUrl }: Visit) {
  const card = await getCard(db, platformId, id);
  const platform = await getPlatform(db, platformId);

  const targetOrigin = pinPageOrigin(card, platform.config.cardConfigs?.pinTargetOrigin);

  return obeyed(issuer.openPinPage({ platformId, card, serviceUrl, targetOrigin }, now));
}

type PinChange = {
  readonly cause: 'PIN_SET' | 'PIN_UNBLOCKED' | 'PIN_BLOCKED';
  readonly decide: (card: Card, now: Date) => PinChanged;
  /** What the issuer is asked; nothing when it is the issuer who tells. */
  readonly ask?: (card: Card) => Promise<void>;
  /** A visit to the PIN page ends with the next PIN that is set, by whomever. */
  readonly visitBeganAt?: number;
};

function changePin(
  deps: CardDeps,
  { platformId, tokenId, now }: Omit<Asker, 'tokenId'> & { readonly tokenId: TokenId | null },
  id: CardId | undefined,
  { cause, decide, ask, visitBeganAt }: PinChange,
): Promise<void> {
  return deps.db.transaction(async (tx) => {
    const card = await lockCard(tx, platformId, id);
    if (visitBeganAt !== undefined && (await pinSetSince(tx, platformId, card.id, visitBeganAt))) throw new ApiError('NOT_FOUND');

    const changed = decide(card, now);

    if (ask) await obeyed(ask(card));
    const event = changed.announce ? 'CARD.PIN_STATUS_CHANGE' : undefined;
    await writeChange(deps, tx, { platformId, before: card, card: changed.card, change: { cause, tokenId }, now, event });
  });
}

export const setCardPin = (deps: CardDeps, asker: Asker, id: CardId | undefined, encryptedPinBlock: string): Promise<void> =>
  changePin(deps, asker, id, { cause: 'PIN_SET', decide: setPin, ask: (card) => deps.issuer.setPin(card, encryptedPinBlock) });

export const unblockCardPin = (deps: CardDeps, asker: Asker, id: CardId | undefined): Promise<void> =>
  changePin(deps, asker, id, { cause: 'PIN_UNBLOCKED', decide: unblockPin, ask: (card) => deps.issuer.unblockPin(card) });

/** The issuer tells that too many wrong PINs were tried. */
export const reportPinBlocked = (deps: CardDeps, asker: Asker, id: CardId | undefined): Promise<void> =>
  changePin(deps, asker, id, { cause: 'PIN_BLOCKED', decide: blockPin });

// ---- sandbox: what its issuer's pages do

/** A visit to a page of the sandbox issuer. A pass that is not ours, has expired or names a card that is gone opens nothing. */
export async function visitPage<Pass extends PagePass>({ db }: CardDeps, pass: Pass | undefined) {
  if (!pass) throw new ApiError('NOT_FOUND');
  const [now, card] = await Promise.all([platformNow(db, pass.platformId), getCard(db, pass.platformId, pass.cardId)]);
  if (!canVisit(card, pass.expiresAt, now)) throw new ApiError('NOT_FOUND');
  return { pass, card, now };
}

/** The cardholder chose a PIN on the page. */
export async function choosePin(deps: CardDeps, pass: Extract<PagePass, { page: 'pin' }> | undefined): Promise<void> {
  const {
    pass: { platformId, cardId, version },
    now,
  } = await visitPage(deps, pass);
  await changePin(deps, { platformId, tokenId: null, now }, cardId, { cause: 'PIN_SET', decide: setPin, visitBeganAt: version });
}

export async function selectCardProgram(tx: Tx, platformId: PlatformId, program: CardProgram, now: Date): Promise<void> {
  const platform = await lockPlatform(tx, platformId);
  savePlatform(tx, { ...platform, cardProgram: program.id, updatedAt: now });
}
