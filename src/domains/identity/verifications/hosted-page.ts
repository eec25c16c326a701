// What the hosted page shows and does. A submission stores what was given by the actions of the API and submits the packet, in one
// transaction: a bad value stores nothing.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { Mode } from '../../core/platform/platform.js';
import { findCustomer, lockCustomerForShare, lockCustomerRow, updateCustomer } from '../customers/actions.js';
import type { Customer } from '../customers/customer.js';
import { createOwner, findMissing, gatherPacket, submitPacket, updateOwner, type VerificationDeps } from './actions.js';
import { uploadFromPage } from './hooks.js';
import { findOpenLink, hashOf, type OpenLink } from './links.js';
import { findLink, useLink } from './links-store.js';
import { closingPage, deadLinkPage, formPage, type Page } from './page.js';
import { canAsk, type PageDocument, type PageForm, parsePageForm, problemsUnder } from './page-schemas.js';
import { asksAgainFor, findUnanswered } from './requirements.js';
import { isDecided, isUnderReview } from './rules.js';
import { findOpenVerification } from './store.js';
import type { BeneficialOwnerId, HolderId, KycError, Packet, Verification } from './verification.js';

export type PageDeps = VerificationDeps & { readonly db: Db; readonly mode: Mode };

/** A page, or the place that the end user is sent to. */
export type PageAnswer = { readonly status: 200 | 404; readonly page: Page } | { readonly status: 303; readonly location: string };

const dead = (): PageAnswer => ({ status: 404, page: deadLinkPage() });

/** The end user is finished, which says nothing about the decision. */
const finished = ({ redirectUri }: OpenLink): PageAnswer =>
  redirectUri === null ? { status: 200, page: closingPage() } : { status: 303, location: redirectUri };

type Visit = {
  readonly link: OpenLink;
  readonly packet: Packet;
  readonly isOver: boolean;
  /** What the page asks for. */
  readonly problems: readonly KycError[];
};

/** Nothing is asked of a customer who is decided or under review. */
async function gatherVisit(tx: Tx, deps: PageDeps, link: OpenLink, customer: Customer): Promise<Visit> {
  const packet = await gatherPacket(tx, deps, link.platformId, customer);
  const open = await findOpenVerification(tx, link.platformId, customer.id);
  const isOver = isDecided(customer) || (open !== undefined && isUnderReview(open));
  return { link, packet, isOver, problems: isOver ? [] : findAsked(deps, packet, open, link.now) };
}

/** What is missing, and what the provider asked for and has not been given. */
function findAsked(deps: PageDeps, packet: Packet, open: Verification | undefined, now: Date): KycError[] {
  const missing = findMissing(deps, packet, now);
  const isListed = (error: KycError) =>
    missing.some(({ resourceId, type, field }) => resourceId === error.resourceId && type === error.type && field === error.field);
  return [...missing, ...findUnanswered(open, packet).filter((error) => canAsk(packet, error) && !isListed(error))];
}

const show = (
  { link, packet, problems }: Visit,
  refused: readonly FieldError[] = [],
  sent: ReadonlyMap<string, string> = new Map(),
): PageAnswer => ({
  status: 200,
  page: formPage({ packet, problems, refused, sent, redirectUri: link.redirectUri }),
});

/** Opening the page changes nothing and uses nothing up. */
export async function visitPage(deps: PageDeps, token: string): Promise<PageAnswer> {
  const link = await findOpenLink(deps.db, deps.mode, token);
  if (!link) return dead();
  return showAgain(deps, link);
}

const showAgain = (
  deps: PageDeps,
  link: OpenLink,
  refused?: readonly FieldError[],
  sent?: ReadonlyMap<string, string>,
): Promise<PageAnswer> =>
  deps.db.transaction(async (tx) => {
    // A packet is gathered by several statements: owners must not go in between.
    const isThere = await lockCustomerForShare(tx, link.platformId, link.customerId);
    const customer = isThere && (await findCustomer(tx, link.platformId, link.customerId));
    return customer ? show(await gatherVisit(tx, deps, link, customer), refused, sent) : dead();
  });

type Parts = Readonly<Record<string, unknown>>;

export async function submitPage(deps: PageDeps, token: string, parts: Parts): Promise<PageAnswer> {
  const link = await findOpenLink(deps.db, deps.mode, token);
  if (!link) return dead();
  try {
    return await deps.db.transaction((tx) => takeForm(tx, deps, link, token, parts));
  } catch (error) {
    const refused = problemsUnder('', error);
    const sent = new Map(Object.entries(parts).flatMap(([name, part]) => (typeof part === 'string' ? [[name, part] as const] : [])));
    return showAgain(deps, link, refused, sent);
  }
}

async function takeForm(tx: Tx, deps: PageDeps, link: OpenLink, token: string, parts: Parts): Promise<PageAnswer> {
  const { platformId, customerId, now } = link;
  const customer = await lockCustomerRow(tx, platformId, customerId);
  if (!customer || customer.deletedAt !== null) return dead();
  // Another submission of the same link may have been faster: links are used under the customer's lock.
  const current = await findLink(tx, platformId, hashOf(token));
  if (!current || current.usedAt !== null) return dead();
  const visit = await gatherVisit(tx, deps, link, customer);
  if (isDecided(customer)) return finished(link);
  if (visit.isOver) return (await useLink(tx, platformId, hashOf(token), now)) ? finished(link) : dead();

  const form = parsePageForm(parts, visit.packet, visit.problems);
  await storeForm(tx, deps, visit, form);

  const stored = await lockCustomerRow(tx, platformId, customerId);
  const after = await gatherVisit(tx, deps, link, stored ?? customer);
  if (findMissing(deps, after.packet, now).length > 0) return show(after);
  if (!(await useLink(tx, platformId, hashOf(token), now))) return dead();
  const open = await findOpenVerification(tx, platformId, customerId);
  await submitPacket(tx, deps, { platformId, customerId, now }, open, after.packet);
  return finished(link);
}

/** Through the actions of the API. Every refusal is named by the input it is about. */
async function storeForm(tx: Tx, deps: PageDeps, { link, packet, problems }: Visit, form: PageForm): Promise<void> {
  const { platformId, customerId, now } = link;
  const found: FieldError[] = [];
  const attempt = async <Result>(prefix: string, write: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await write();
    } catch (error) {
      found.push(...problemsUnder(prefix, error));
      return undefined;
    }
  };
  if (form.change) {
    const { patch, body } = form.change;
    await attempt('', () => updateCustomer(tx, deps, { platformId, id: customerId, patch, body, signed: { kind: 'initial' }, now }));
  }
  const added = new Map<string, BeneficialOwnerId>();
  for (const owner of form.owners) {
    const written = await attempt(`owners.${owner.key}.`, () =>
      owner.id === undefined
        ? createOwner(tx, deps, { platformId, customerId, draft: owner.draft, now })
        : updateOwner(tx, deps, { platformId, id: owner.id, patch: owner.patch, now }),
    );
    if (written) added.set(`owners.${owner.key}`, written.id);
  }
  for (const document of form.documents)
    await attempt(`documents.${document.key}.`, () => store(tx, deps, { platformId, now, packet, problems, added }, document));
  if (found.length > 0) throw invalid(...found);
}

type StoreFacts = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly packet: Packet;
  readonly problems: readonly KycError[];
  readonly added: ReadonlyMap<string, BeneficialOwnerId>;
};

async function store(tx: Tx, { hooks }: PageDeps, facts: StoreFacts, { holder, texts, file }: PageDocument): Promise<void> {
  const { platformId, now, packet, problems, added } = facts;
  const holderId: HolderId | undefined =
    holder === undefined || holder === packet.customer.id
      ? packet.customer.id
      : (added.get(holder) ?? packet.owners.find(({ id }) => id === holder)?.id);
  if (!holderId) throw new ApiError('DOCUMENT_HOLDER_NOT_FOUND');
  const replaced = packet.documents.find(
    (document) =>
      document.holderId === holderId &&
      document.documentType === texts['documentType'] &&
      document.side === (texts['side'] ?? null) &&
      problems.some((problem) => asksAgainFor(problem, document)),
  );
  await hooks.only(uploadFromPage)(tx, { platformId, holderId, replaces: replaced?.id, fields: texts, file, now });
}
