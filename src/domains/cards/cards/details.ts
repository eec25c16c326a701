// Card details, digital wallets and the PIN. Secret data stays with the issuer; the card's history records that it was requested.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { CardId, PlatformId, TokenId } from '../../../kernel/ids.js';
import type { PagePass } from '../../../providers/sandbox-card-issuer.js';
import { requireSession } from '../../access/sca/actions.js';
import { getPlatform, platformNow } from '../../core/platform/actions.js';
import { findCustomer } from '../../identity/customers/actions.js';
import type { Card, TokenizationPayload, TokenizationRequest } from './card.js';
import { type CardDeps, programOf, type Requester, requireIssuerAccepted, writeChange } from './changes.js';
import {
  blockPin,
  canVisit,
  noted,
  type PinChanged,
  pinPageOrigin,
  refuseReveal,
  refuseTokenization,
  setPin,
  unblockPin,
} from './rules.js';
import { getCard, lockCard, pinSetSince, saveCard } from './store.js';

/** The URL of this service: the sandbox issuer's pages are below it. */
export type Visit = { readonly serviceUrl: string };

/** For every operation that gives out secret card data. The law of some regions asks the cardholder to have logged in with a strong factor. */
async function requireStrongAuthentication(tx: Tx, platformId: PlatformId, { customerId }: Card, now: Date): Promise<void> {
  const cardholder = await findCustomer(tx, platformId, customerId);
  if (cardholder) await requireSession(tx, platformId, cardholder, now);
}

/** A link to the issuer's page with the card's data. The history records who requested it; the link is not stored. */
export function revealCard(
  { db, issuer }: CardDeps,
  { platformId, tokenId, requestId, now }: Requester,
  id: CardId | undefined,
  { serviceUrl, cssUrl }: Visit & { readonly cssUrl: string | null | undefined },
) {
  return db.transaction(
    async (tx) => {
      const card = await lockCard(tx, platformId, id);
      const platform = await getPlatform(tx, platformId);

      refuseReveal(card, programOf(card));
      await requireStrongAuthentication(tx, platformId, card, now);

      const style = cssUrl === undefined ? (platform.config.cardConfigs?.panRevealCssUrl ?? null) : cssUrl;
      const page = await requireIssuerAccepted(issuer.openDetailsPage({ platformId, card, serviceUrl, cssUrl: style }, now));
      saveCard(tx, platformId, card, noted(card), { cause: 'REVEALED', tokenId }, now);
      return page;
    },
    { requestId },
  );
}

export function tokenizeCard(
  { db, issuer }: CardDeps,
  { platformId, tokenId, requestId, now }: Requester,
  id: CardId | undefined,
  request: TokenizationRequest,
): Promise<TokenizationPayload> {
  return db.transaction(
    async (tx) => {
      const card = await lockCard(tx, platformId, id);

      refuseTokenization(card, programOf(card));

      const payload = await requireIssuerAccepted(issuer.tokenize(card, request));
      saveCard(tx, platformId, card, noted(card), { cause: 'TOKENIZED', tokenId }, now);
      return payload;
    },
    { requestId },
  );
}

export async function openPinPage({ db, issuer }: CardDeps, { platformId, now }: Requester, id: CardId | undefined, { serviceUrl }: Visit) {
  const card = await getCard(db, platformId, id);
  const platform = await getPlatform(db, platformId);

  const targetOrigin = pinPageOrigin(card, platform.config.cardConfigs?.pinTargetOrigin);

  return requireIssuerAccepted(issuer.openPinPage({ platformId, card, serviceUrl, targetOrigin }, now));
}

type PinChange = {
  readonly cause: 'PIN_SET' | 'PIN_UNBLOCKED' | 'PIN_BLOCKED';
  readonly decide: (card: Card, now: Date) => PinChanged;
  /** The request to the issuer; absent when the issuer itself reports the change. */
  readonly instruct?: (card: Card) => Promise<void>;
  /** The card's version when the PIN page was opened. The page closes with the next PIN that is set, by anyone. */
  readonly visitBeganAt?: number;
};

function changePin(
  deps: CardDeps,
  { platformId, tokenId, requestId, now }: Omit<Requester, 'tokenId'> & { readonly tokenId: TokenId | null },
  id: CardId | undefined,
  { cause, decide, instruct, visitBeganAt }: PinChange,
): Promise<void> {
  return deps.db.transaction(
    async (tx) => {
      const card = await lockCard(tx, platformId, id);
      if (visitBeganAt !== undefined && (await pinSetSince(tx, platformId, card.id, visitBeganAt))) throw new ApiError('NOT_FOUND');

      const changed = decide(card, now);

      if (instruct) await requireIssuerAccepted(instruct(card));
      const event = changed.announce ? 'CARD.PIN_STATUS_CHANGE' : undefined;
      await writeChange(deps, tx, { platformId, before: card, card: changed.card, change: { cause, tokenId }, now, event });
    },
    { requestId },
  );
}

export const setCardPin = (deps: CardDeps, requester: Requester, id: CardId | undefined, encryptedPinBlock: string): Promise<void> =>
  changePin(deps, requester, id, { cause: 'PIN_SET', decide: setPin, instruct: (card) => deps.issuer.setPin(card, encryptedPinBlock) });

export const unblockCardPin = (deps: CardDeps, requester: Requester, id: CardId | undefined): Promise<void> =>
  changePin(deps, requester, id, { cause: 'PIN_UNBLOCKED', decide: unblockPin, instruct: (card) => deps.issuer.unblockPin(card) });

/** The issuer reports that too many wrong PINs were tried. */
export const reportPinBlocked = (deps: CardDeps, requester: Requester, id: CardId | undefined): Promise<void> =>
  changePin(deps, requester, id, { cause: 'PIN_BLOCKED', decide: blockPin });

// ---- pages of the sandbox issuer

/** A visit to a page of the sandbox issuer. 404 when the pass is forged or expired, or its card is closed. */
export async function visitPage<Pass extends PagePass>({ db }: CardDeps, pass: Pass | undefined) {
  if (!pass) throw new ApiError('NOT_FOUND');
  const [now, card] = await Promise.all([platformNow(db, pass.platformId), getCard(db, pass.platformId, pass.cardId)]);
  if (!canVisit(card, pass.expiresAt, now)) throw new ApiError('NOT_FOUND');
  return { pass, card, now };
}

/** The cardholder chose a PIN on the page. */
export async function choosePin(deps: CardDeps, pass: Extract<PagePass, { page: 'pin' }> | undefined, requestId: string): Promise<void> {
  const {
    pass: { platformId, cardId, version },
    now,
  } = await visitPage(deps, pass);
  await changePin(deps, { platformId, tokenId: null, requestId, now }, cardId, { cause: 'PIN_SET', decide: setPin, visitBeganAt: version });
}
