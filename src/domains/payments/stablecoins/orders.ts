// Orders to mint and burn. The operation is committed before the provider is called, so that a crash loses no order; the provider knows it
// by the id of the operation, so that no order is given twice.
import type { Db, Tx } from '../../../db/pool.js';
import { type Attempt, created, type Write } from '../../../http/operation.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type ExternalAccountId, newId, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { IssuerOrder, OutsideAccount } from '../../../providers/stablecoin-issuer.js';
import { findExternalAccount, isAddressOn } from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { accountOf, asked, destroyUnused, type IssuerDeps, refuseRejected } from './links.js';
import { findLinkedAccounts, getLink, insertLinkedAccount, lockLink } from './links-store.js';
import { deleteCreated, endAttempt, insertOperation, lockAttempt, lockOperation, saveOperation } from './operations-store.js';
import { type ProceedsDeps, saveReported } from './proceeds.js';
import { type AccountFacts, acceptedOperation, checkOrder, isFunded, RETRY_MS, refuseUnusable } from './rules.js';
import type {
  Link,
  OperationDestination,
  OperationId,
  OperationSource,
  OrderDraft,
  Stablecoin,
  StablecoinId,
  StablecoinOperation,
} from './stablecoin.js';
import { getStablecoin } from './store.js';

export type OrderRequest = {
  readonly platformId: PlatformId;
  readonly stablecoinId: StablecoinId | undefined;
  readonly draft: OrderDraft;
  readonly attempt: Attempt;
  readonly now: Date;
};

export type OrderDeps = IssuerDeps & ProceedsDeps;

export type RenderOperation = (operation: StablecoinOperation) => unknown;

/** Calls the provider; the result stores what it said. */
export async function beginOrder(deps: OrderDeps, request: OrderRequest, render: RenderOperation): Promise<Write> {
  const { db } = deps;
  const { platformId, attempt, now } = request;
  const known = await db.transaction((tx) => findAttempt(tx, platformId, attempt));
  const facts = known ? await factsOf(db, platformId, known) : await gatherOrder(deps, request);
  const operation = known ?? (await db.transaction((tx) => openOperation(tx, request, facts)));
  if (!operation) return attempt.replay;
  if (operation.status !== 'CREATED') return (tx) => answerWith(tx, deps, platformId, operation.id, render);

  const { link, stablecoin } = facts;
  const answer = await giveOrder(deps, platformId, link, orderOf(operation, stablecoin)).catch((error: unknown) => ({
    kind: 'NO_ANSWER' as const,
    error,
  }));
  if (answer.kind === 'ACCEPTED')
    return (tx) =>
      answerWith(tx, deps, platformId, operation.id, render, {
        now,
        change: (current) => acceptedOperation(current, answer.report, answer.fundingInstructions, now),
      });
  const isUncertain = answer.kind === 'NO_ANSWER' || known !== undefined;
  const isGone = await db.transaction((tx) => giveUp(tx, platformId, operation, { isUncertain, now }));
  // The worker, or a repeat, was told that the order was taken.
  if (!isGone) return (tx) => answerWith(tx, deps, platformId, operation.id, render);
  if (answer.kind === 'NO_ANSWER') throw answer.error;
  if (answer.kind === 'CREDENTIALS_REJECTED') return refuseRejected(deps, platformId, link, now);
  throw new ApiError('STABLECOIN_PROVIDER_ERROR');
}

export const giveOrder = (deps: IssuerDeps, platformId: PlatformId, link: Link, order: IssuerOrder) =>
  asked(deps.stablecoinIssuer.order(accountOf(deps, platformId, link), order));

/** What the provider's answer makes of an operation. */
type Accepted = { readonly now: Date; readonly change: (current: StablecoinOperation) => StablecoinOperation };

/** Stores the change and the answer. The request is answered, so its key is free of the operation. */
async function answerWith(tx: Tx, deps: OrderDeps, platformId: PlatformId, id: OperationId, render: RenderOperation, accepted?: Accepted) {
  const current = await lockOperation(tx, platformId, id);
  // Another call of the same request was refused and has dropped the operation.
  if (!current) throw new ApiError('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '1' } });
  const changed = accepted?.change(current) ?? current;
  if (accepted) await saveReported(tx, deps, platformId, current, changed, accepted.now);
  endAttempt(tx, platformId, id);
  return created(render(changed));
}

// ---- repeats

/** The operation that an unanswered call of the same request has left behind. */
async function findAttempt(tx: Tx, platformId: PlatformId, attempt: Attempt): Promise<StablecoinOperation | undefined> {
  const known = await lockAttempt(tx, platformId, attempt.key);
  if (!known) return undefined;
  const { operation, hash } = known;
  if (hash.equals(attempt.hash)) {
    // If it was given up, this repeat takes it up again. Whoever gives it up from now on sees that it was touched.
    const takenUp: StablecoinOperation = {
      ...operation,
      isAbandoned: false,
      dueAt: operation.dueAt && plusMs(operation.dueAt, 1),
    };
    saveOperation(tx, platformId, takenUp);
    return takenUp;
  }
  if (!operation.isAbandoned)
    throw new ApiError('CONFLICT', { cause: 'IDEMPOTENCY_KEY_REUSED' }, { reason: 'The Idempotency-Key was used for another request.' });
  endAttempt(tx, platformId, operation.id);
  return undefined;
}

type Gathered = { readonly link: Link; readonly stablecoin: Stablecoin };

const factsOf = async (db: Db, platformId: PlatformId, { linkId, stablecoinId }: StablecoinOperation): Promise<Gathered> => ({
  link: await getLink(db, platformId, linkId),
  stablecoin: await getStablecoin(db, platformId, stablecoinId),
});

// ---- a new order

type NewOrder = Gathered & {
  readonly cents: bigint;
  readonly source: OperationSource;
  readonly destination: OperationDestination;
};

/** Reads what the order names, decides whether it can be given, and makes its outside accounts known to the provider. */
async function gatherOrder(deps: IssuerDeps, { platformId, stablecoinId, draft, now }: OrderRequest): Promise<NewOrder> {
  const { db } = deps;
  const stablecoin = await getStablecoin(db, platformId, stablecoinId);
  const ends = await findEnds(db, platformId, draft);
  const link = await getLink(db, platformId, stablecoin.linkId);

  const facts = { stablecoin, link, source: ends.source && factsOfAccount(ends.source), destination: ends.destination };
  const cents = checkOrder(draft, facts);

  for (const account of [ends.source, ends.outside]) if (account) await knownToProvider(deps, platformId, link, account, now);
  return { stablecoin, link, cents, source: shownSource(draft, stablecoin), destination: shownDestination(draft) };
}

type Ends = {
  readonly source?: ExternalAccount | undefined;
  /** The destination, where it is outside the service. */
  readonly outside?: ExternalAccount | undefined;
  readonly destination?: AccountFacts | undefined;
};

async function findEnds(db: Db, platformId: PlatformId, draft: OrderDraft): Promise<Ends> {
  const sourceId = 'externalAccountId' in draft.source ? draft.source.externalAccountId : undefined;
  const source = sourceId === undefined ? undefined : await outsideAccount(db, platformId, sourceId);
  if (draft.type === 'BURN' && draft.destination.type === 'GRID_INTERNAL_ACCOUNT')
    return { source, destination: await internalFacts(db, platformId, draft.destination.accountId) };
  const destinationId = draft.type === 'MINT' ? draft.destination.accountId : outsideId(draft.destination);
  // An internal account cannot receive tokens yet, whichever it is.
  if (destinationId.startsWith('InternalAccount:')) return { source };
  const outside = await outsideAccount(db, platformId, destinationId);
  return { source, outside, destination: factsOfAccount(outside) };
}

const outsideId = (destination: { readonly type: string; readonly externalAccountId?: string }): string =>
  destination.externalAccountId ?? '';

async function outsideAccount(db: Db, platformId: PlatformId, text: string): Promise<ExternalAccount> {
  const id = parseId('ExternalAccount', text);
  const found = id && (await findExternalAccount(db, platformId, id));
  if (!found || found.isDeleted) throw new ApiError('STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND');
  return found.account;
}

function factsOfAccount({ accountInfo, currency, status }: ExternalAccount): AccountFacts {
  const isActive = status === 'ACTIVE';
  if (accountInfo.accountType === 'USD_ACCOUNT' && currency === 'USD') return { kind: 'BANK_USD', isActive };
  const isSpark = accountInfo.accountType === 'SPARK_WALLET' && isAddressOn('SPARK', accountInfo.address ?? '');
  return { kind: isSpark ? 'SPARK_WALLET' : 'OTHER', isActive };
}

async function internalFacts(db: Db, platformId: PlatformId, text: string): Promise<AccountFacts> {
  const id = parseId('InternalAccount', text);
  const [account] = id ? await findInternalAccounts(db, platformId, [id]) : [];
  if (!account) throw new ApiError('ACCOUNT_NOT_FOUND');
  const isFiat = account.type === 'INTERNAL_FIAT' && account.currency === 'USD';
  return { kind: isFiat ? 'FIAT_USD' : 'OTHER', isActive: account.status === 'ACTIVE' };
}

/** Linking at the provider is done once for a link and an account, and remembered. */
async function knownToProvider(deps: IssuerDeps, platformId: PlatformId, link: Link, account: ExternalAccount, now: Date): Promise<void> {
  const { db, stablecoinIssuer } = deps;
  const id: ExternalAccountId = account.id;
  if ((await findLinkedAccounts(db, platformId, link.id, [id])).has(id)) return;
  const { accountNumber, address } = account.accountInfo;
  const outside: OutsideAccount = { id, accountNumber, address };
  const answer = await asked(stablecoinIssuer.linkAccount(accountOf(deps, platformId, link), outside));
  if (answer.kind === 'CREDENTIALS_REJECTED') return refuseRejected(deps, platformId, link, now);
  if (answer.kind === 'REFUSED') throw new ApiError('STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED');
  await insertLinkedAccount(db, platformId, link.id, id, now);
}

const shownSource = ({ type, source }: OrderDraft, stablecoin: Stablecoin): OperationSource => ({
  type: source.type,
  ...('externalAccountId' in source && { externalAccountId: source.externalAccountId }),
  ...(type === 'BURN' &&
    source.type === 'PROVIDER_INTERNAL_BALANCE' && {
      sourceTokenIdentifier: stablecoin.providerTokenIdentifier,
      cryptoNetwork: stablecoin.network,
    }),
});

const shownDestination = (draft: OrderDraft): OperationDestination => {
  if (draft.type === 'MINT') return { accountId: draft.destination.accountId };
  const { destination } = draft;
  return {
    accountId: destination.type === 'EXTERNAL_ACCOUNT' ? destination.externalAccountId : destination.accountId,
    rail: destination.rail,
  };
};

/** Commits the operation before its order is given. Undefined when the request was answered in the meantime. */
async function openOperation(
  tx: Tx,
  { platformId, draft, attempt, now }: OrderRequest,
  facts: Gathered | NewOrder,
): Promise<StablecoinOperation | undefined> {
  assert('cents' in facts, 'a new order was checked');
  const link = await lockLink(tx, platformId, facts.link.id);
  refuseUnusable(link);
  const operation: StablecoinOperation = {
    id: newId('StablecoinOperation'),
    stablecoinId: facts.stablecoin.id,
    linkId: link.id,
    type: draft.type,
    status: 'CREATED',
    amount: draft.amount,
    cents: facts.cents,
    source: facts.source,
    destination: facts.destination,
    description: draft.description,
    fundingInstructions: null,
    providerStatus: null,
    failureReason: null,
    expiresAt: null,
    // If this process dies now, the worker asks the provider.
    dueAt: plusMs(now, RETRY_MS),
    isAbandoned: false,
    createdAt: now,
    updatedAt: now,
  };
  const isNew = await insertOperation(tx, platformId, operation, attempt);
  if (await attempt.isAnswered(tx)) {
    if (isNew) await deleteCreated(tx, platformId, operation.id);
    return undefined;
  }
  return isNew ? operation : findAttempt(tx, platformId, attempt);
}

export const orderOf = (
  { id, type, amount, cents, source, destination, createdAt }: StablecoinOperation,
  { providerTokenIdentifier, networkTokenIdentifier, network, decimals }: Stablecoin,
): IssuerOrder => ({
  id: uuidOf(id),
  type,
  token: { providerTokenIdentifier, networkTokenIdentifier, network, decimals },
  amount,
  cents,
  funding: isFunded(source) ? 'FUNDED' : source.type === 'PROVIDER_INTERNAL_BALANCE' ? 'PROVIDER_BALANCE' : 'DEBIT',
  rail: type === 'MINT' ? source.type : (destination.rail ?? 'WIRE'),
  sourceAccountId: source.externalAccountId,
  destinationAccountId: destination.accountId.startsWith('ExternalAccount:') ? destination.accountId : undefined,
  createdAt,
});

// ---- orders that were not taken

/** Whether nobody has given the order or taken it up since: whoever does changes when it is due. */
export const isUntouched = (operation: StablecoinOperation, since: StablecoinOperation): boolean =>
  operation.dueAt?.getTime() === since.dueAt?.getTime();

/** One refused call says nothing about another one, of a repeat or of the worker, which the provider may have taken. */
async function giveUp(
  tx: Tx,
  platformId: PlatformId,
  operation: StablecoinOperation,
  { isUncertain, now }: { readonly isUncertain: boolean; readonly now: Date },
): Promise<boolean> {
  const current = await lockOperation(tx, platformId, operation.id);
  const isOwn = !isUncertain && (!current || isUntouched(current, operation));
  return isOwn ? drop(tx, platformId, operation) : abandon(tx, platformId, operation.id, now);
}

/** Nobody knows whether the provider has the order. The caller is refused, and the worker cancels it. False when the order is under way. */
async function abandon(tx: Tx, platformId: PlatformId, id: OperationId, now: Date): Promise<boolean> {
  const operation = await lockOperation(tx, platformId, id);
  if (operation && operation.status !== 'CREATED') return false;
  if (operation) saveOperation(tx, platformId, { ...operation, isAbandoned: true, dueAt: now });
  return true;
}

/** The provider has not taken the order. False when the order is under way. */
export async function drop(tx: Tx, platformId: PlatformId, { id, linkId }: StablecoinOperation): Promise<boolean> {
  const isDeleted = await deleteCreated(tx, platformId, id);
  if (isDeleted) await destroyUnused(tx, platformId, linkId);
  return isDeleted || (await lockOperation(tx, platformId, id)) === undefined;
}
