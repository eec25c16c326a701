// Issuing cards: the card is committed first, then ordered from the issuer.
import type { Tx } from '../../../db/pool.js';
import { messageForLog } from '../../../kernel/errors.js';
import { newId, newUuid, type PlatformId, parseId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { IssuerRefused, IssuerSilent } from '../../../providers/card-issuer.js';
import { getPlatform, lockPlatform, platformNow } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { lockCustomerRow } from '../../identity/customers/actions.js';
import type { Card, CardIssueRequest, CardOrder } from './card.js';
import { type CardDeps, findAccount, hasActiveKeyFor, programOf, type Requester, writeChange } from './changes.js';
import { closingDueAt, closingOf, issueCard, PROVISIONING_TIMEOUT_MS, provisionCard, rejectCard } from './rules.js';
import { claimProvisioning, countLiveCards, insertCard, lockCard, saveClosingDue } from './store.js';

/** Writes the card and, once that is committed, orders it from the issuer. */
export async function createCard(
  deps: CardDeps,
  tx: Tx,
  { platformId, tokenId, now }: Requester,
  request: CardIssueRequest,
): Promise<Card> {
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
    void tryToProvision({ ...deps, db: deps.db.causedBy(tx.cause) }, platformId, card, order, now);
  });
  return card;
}

const orderOf = (card: Card) => {
  const { brand, capabilities } = programOf(card);
  return { card, brand, needsPassword: capabilities.supports3dSecurePassword, orderedAt: card.createdAt };
};

const isLimited = ({ maxLiveCards, maxCardsPerCardholder }: Platform): boolean => maxLiveCards !== null || maxCardsPerCardholder !== null;

/** Cards can be counted only while no other request adds one. Without a limit the platform is not locked. */
async function lockIfLimited(tx: Tx, platformId: PlatformId): Promise<Platform> {
  const platform = await getPlatform(tx, platformId);
  return isLimited(platform) ? lockPlatform(tx, platformId) : platform;
}

/** Orders a card and applies the issuer's answer. Without an answer the card stays PROCESSING, and the order is repeated later. */
async function provision(deps: CardDeps, platformId: PlatformId, { id }: Card, order: CardOrder, orderedAt: Date): Promise<void> {
  const outcome = await deps.issuer.order(order, orderedAt).catch((error: unknown) => {
    if (error instanceof IssuerSilent) return undefined;
    if (error instanceof IssuerRefused) return { kind: 'REJECTED' } as const;
    throw error;
  });
  if (!outcome) return;

  await deps.db.transaction(async (tx) => {
    const [now, card] = await Promise.all([platformNow(tx, platformId), lockCard(tx, platformId, id)]);
    const hasUsableKey = await hasActiveKeyFor(tx, platformId, card);

    const changed = outcome.kind === 'MADE' ? provisionCard(card, outcome.details, hasUsableKey, now) : rejectCard(card, now);

    const change = { cause: outcome.kind === 'MADE' ? 'PROVISIONED' : 'REJECTED', tokenId: null } as const;
    if (changed) await writeChange(deps, tx, { platformId, before: card, card: changed, change, now, event: 'card.status_change' });
    // Closed while the order was under way: the issuer may have been told before it made the card.
    else if (outcome.kind === 'MADE' && card.status === 'CLOSED') await saveClosingDue(tx, platformId, card, now);
  });
}

/** As `provision`. An order that fails is repeated later, and holds up no other. */
const tryToProvision = (...[deps, platformId, card, order, orderedAt]: Parameters<typeof provision>): Promise<void> =>
  provision(deps, platformId, card, order, orderedAt).catch((error: Error) =>
    deps.log.warn({ cardId: card.id, errorMessage: messageForLog(error) }, 'provisioning failed; the order will be repeated'),
  );

/** Tells the issuer that a card is closed. Without an answer it is told again later; a refusal is an answer. */
export async function tellClosed({ db, issuer, log }: CardDeps, platformId: PlatformId, card: Card, now: Date): Promise<void> {
  try {
    const told = await issuer.instruct({ ...closingOf(card), isAfterwards: true }).then(
      () => true,
      (error: Error) => {
        log.warn({ cardId: card.id, errorMessage: messageForLog(error) }, 'the issuer did not confirm that the card is closed');
        return error instanceof IssuerRefused;
      },
    );
    await saveClosingDue(db, platformId, card, told ? null : closingDueAt(card.updatedAt, now));
  } catch (error) {
    log.warn({ cardId: card.id, errorMessage: messageForLog(error) }, 'the issuer will be told again that the card is closed');
  }
}

/** Few, because each waits for the issuer, and no further batch starts once the time is over. */
const ORDER_BATCH = 10;

/** Repeats what got no answer, orders and closings; returns how many. */
export async function repeatOrders(deps: CardDeps, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> {
  const nextAt = plusMs(now, PROVISIONING_TIMEOUT_MS);
  for (let done = 0; ; ) {
    const overdue = await deps.db.transaction((tx) => claimProvisioning(tx, platformId, now, nextAt, ORDER_BATCH));
    for (const card of overdue)
      if (card.status === 'CLOSED') await tellClosed(deps, platformId, card, now);
      else await tryToProvision(deps, platformId, card, { ...orderOf(card), repeated: true }, now);
    done += overdue.length;
    if (overdue.length < ORDER_BATCH || isOver()) return done;
  }
}
