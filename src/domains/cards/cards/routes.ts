// Operations of cards, one entry each.
import Type from 'typebox';
import { type Answer, created, noContent, type Operation, ok, operation, type Request } from '../../../http/operation.js';
import { type ErrorCode, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { detailsPage, openPagePass, type Page, pinPage } from '../../../providers/sandbox-card-issuer.js';
import { getPlatform } from '../../core/platform/actions.js';
import {
  type CardDeps,
  choosePin,
  createCard,
  createGetCard,
  listCards,
  openPinPage,
  type Requester,
  reportPinBlocked,
  revealCard,
  selectCardProgram,
  setCardPin,
  tokenizeCard,
  unblockCardPin,
  updateCard,
  visitPage,
} from './actions.js';
import { CARD_PROGRAMS, findProgram } from './programs.js';
import {
  CardCreateRequest,
  CardListQuery,
  CardListResponse,
  CardPinSetRequest,
  CardPinUrlResponse,
  CardRevealRequest,
  CardRevealResponse,
  CardSchema,
  CardTokenizationRequest,
  CardTokenizationResponse,
  CardUpdateRequest,
  PageTokenQuery,
  parseCardId,
  parseCardIssueRequest,
  parseCardPatch,
  renderCard,
  renderProgram,
  SandboxCardProgram,
  SandboxCardProgramList,
  SandboxCardProgramRequest,
  SandboxPinEntry,
} from './schemas.js';

export type CardRouteDeps = CardDeps & {
  readonly environment: 'SANDBOX' | 'PRODUCTION';
  /** Where callers reach this service; known once it listens. */
  readonly serviceUrl: () => string;
};

const requester = ({ platformId, caller, requestId, now }: Request): Requester => ({ platformId, tokenId: caller.tokenId, requestId, now });
const cardId = ({ params }: Request) => parseCardId(params);

/** Errors that any instruction to the issuer can cause; every operation has 503. */
const ISSUER_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'CONFLICT', 'NOT_IMPLEMENTED'];

export function cardRoutes(deps: CardRouteDeps): Operation[] {
  const getCard = createGetCard(deps.db);

  return [
    operation({
      id: 'listCards',
      method: 'GET',
      path: '/cards',
      tag: 'Cards',
      summary: 'List cards',
      permission: 'VIEW',
      query: CardListQuery,
      success: { 200: CardListResponse },
      errors: ['NOT_IMPLEMENTED'],
      handle: async ({ platformId, query }) => {
        const { limit = 20, cursor, sortOrder = 'desc', customerId, accountId, platformCardId, status } = query;
        const filter = {
          ...(customerId === undefined ? {} : { customerId: parseId('Customer', customerId) ?? null }),
          ...(accountId === undefined ? {} : { accountId: parseId('InternalAccount', accountId) ?? null }),
          ...(platformCardId === undefined ? {} : { platformCardId }),
          ...(status === undefined ? {} : { status }),
        };
        const scope = ['listCards', platformId, filter, sortOrder];
        const after = cursor === undefined ? undefined : decodeCursor(cursor, scope, [UUID_KEY])[0];
        const page = await listCards(deps, platformId, filter, sortOrder, { limit, ...(after === undefined ? {} : { after }) }, scope);
        return ok(renderPage(page, renderCard));
      },
    }),
    operation({
      id: 'createCard',
      method: 'POST',
      path: '/cards',
      tag: 'Cards',
      summary: 'Issue a card',
      permission: 'MANAGE',
      idempotency: 'required',
      body: CardCreateRequest,
      success: { 201: CardSchema },
      errors: ['CARDHOLDER_KYC_NOT_APPROVED', 'CARD_LIMIT_REACHED', 'NOT_IMPLEMENTED'],
      write: async (tx, request) =>
        created(renderCard(await createCard(deps, tx, requester(request), parseCardIssueRequest(request.body)))),
    }),
    operation({
      id: 'getCardById',
      ungated: 'SHARES_STATEMENTS',
      method: 'GET',
      path: '/cards/{id}',
      tag: 'Cards',
      summary: 'Get a card',
      permission: 'VIEW',
      success: { 200: CardSchema },
      errors: ['NOT_FOUND', 'NOT_IMPLEMENTED'],
      handle: async (request) => ok(renderCard(await getCard(request.platformId, cardId(request)))),
    }),
    operation({
      id: 'updateCardById',
      method: 'PATCH',
      path: '/cards/{id}',
      tag: 'Cards',
      summary: 'Change the status, funding source, limits or 3-D Secure password of a card',
      permission: 'MANAGE',
      body: CardUpdateRequest,
      success: { 200: CardSchema },
      errors: [...ISSUER_ERRORS, 'INVALID_STATE_TRANSITION', 'CARD_ALREADY_CLOSED', 'CARD_NOT_MUTABLE'],
      handle: async (request) => ok(renderCard(await updateCard(deps, requester(request), cardId(request), parseCardPatch(request.body)))),
    }),
    operation({
      id: 'revealCard',
      method: 'POST',
      path: '/cards/{id}/reveal',
      tag: 'Cards',
      summary: 'Make a short-lived link to the page that shows the card number',
      permission: 'MANAGE',
      body: CardRevealRequest,
      bodyOptional: true,
      success: { 200: CardRevealResponse },
      errors: [...ISSUER_ERRORS, 'SCA_SESSION_REQUIRED'],
      handle: async (request) => {
        const visit = { serviceUrl: deps.serviceUrl(), cssUrl: request.body.cssUrl };
        const { url, expiresAt } = await revealCard(deps, requester(request), cardId(request), visit);
        return ok({ panEmbedUrl: url, expiresAt: expiresAt.toISOString() });
      },
    }),
    operation({
      id: 'tokenizeCard',
      method: 'POST',
      path: '/cards/{id}/tokenize',
      tag: 'Cards',
      summary: 'Add a card to a digital wallet',
      permission: 'MANAGE',
      body: CardTokenizationRequest,
      success: { 200: CardTokenizationResponse },
      errors: [...ISSUER_ERRORS, 'CARD_NOT_MUTABLE'],
      handle: async (request) => ok(await tokenizeCard(deps, requester(request), cardId(request), request.body)),
    }),
    operation({
      id: 'setCardPin',
      method: 'POST',
      path: '/cards/{id}/set-pin',
      tag: 'Cards',
      summary: 'Set the PIN of a card',
      permission: 'MANAGE',
      body: CardPinSetRequest,
      success: { 204: null },
      errors: [...ISSUER_ERRORS, 'CARD_NOT_MUTABLE'],
      handle: async (request) => {
        await setCardPin(deps, requester(request), cardId(request), request.body.encryptedPinBlock);
        return noContent();
      },
    }),
    operation({
      id: 'getCardPinUrl',
      method: 'GET',
      path: '/cards/{id}/pin-entry-url',
      tag: 'Cards',
      summary: 'Make a short-lived link to the page on which the cardholder chooses a PIN',
      permission: 'MANAGE',
      success: { 200: CardPinUrlResponse },
      errors: [...ISSUER_ERRORS, 'CARD_NOT_MUTABLE'],
      handle: async (request) => {
        const page = await openPinPage(deps, requester(request), cardId(request), { serviceUrl: deps.serviceUrl() });
        const { url, sessionToken, expiresAt } = page;
        return ok({ iframeUrl: url, sessionToken, expiresAt: expiresAt.toISOString(), environment: deps.environment });
      },
    }),
    operation({
      id: 'unblockCardPin',
      method: 'POST',
      path: '/cards/{id}/pin/unblock',
      tag: 'Cards',
      summary: 'Unblock the PIN of a card',
      permission: 'MANAGE',
      success: { 204: null },
      errors: [...ISSUER_ERRORS, 'CARD_NOT_MUTABLE'],
      handle: async (request) => {
        await unblockCardPin(deps, requester(request), cardId(request));
        return noContent();
      },
    }),
  ];
}

// ---- sandbox: choosing a program, and the pages of the sandbox issuer

const page = ({ html, headers }: Page): Answer => ({ status: 200, text: html, headers });

export const sandboxCardRoutes = (deps: CardDeps, custody: KeyCustody): Operation[] => [
  operation({
    id: 'listSandboxCardPrograms',
    method: 'GET',
    path: '/sandbox/card-programs',
    tag: 'Sandbox',
    summary: 'List the card programs of the sandbox issuer',
    permission: 'VIEW',
    sandbox: true,
    success: { 200: SandboxCardProgramList },
    handle: async ({ platformId }) => {
      const { cardProgram } = await getPlatform(deps.db, platformId);
      return ok({ data: CARD_PROGRAMS.map((program) => renderProgram(program, cardProgram)) });
    },
  }),
  operation({
    id: 'selectSandboxCardProgram',
    method: 'PUT',
    path: '/sandbox/card-program',
    tag: 'Sandbox',
    summary: 'Choose the program of cards issued next',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxCardProgramRequest,
    success: { 200: SandboxCardProgram },
    write: async (tx, { platformId, body, now }) => {
      const program = findProgram(body.program);
      if (!program)
        throw invalidField('program', 'must be a program of GET /sandbox/card-programs', { enum: CARD_PROGRAMS.map(({ id }) => id) });
      await selectCardProgram(tx, platformId, program, now);
      return ok(renderProgram(program, program.id));
    },
  }),
  operation({
    id: 'sandboxSimulateCardPinBlocked',
    method: 'POST',
    path: '/sandbox/cards/{id}/simulate/pin_blocked',
    tag: 'Sandbox',
    summary: 'Play the issuer: three wrong PINs in a row were tried',
    permission: 'MANAGE',
    sandbox: true,
    success: { 204: null },
    errors: ['NOT_FOUND', 'CONFLICT', 'CARD_NOT_MUTABLE'],
    handle: async (request) => {
      await reportPinBlocked(deps, requester(request), cardId(request));
      return noContent();
    },
  }),
  operation({
    id: 'getSandboxCardDetailsPage',
    method: 'GET',
    path: '/sandbox/card-pages/details',
    tag: 'Sandbox',
    summary: 'The page of the sandbox issuer that shows a card number',
    permission: 'PUBLIC',
    sandbox: true,
    query: PageTokenQuery,
    success: { 200: Type.String() },
    produces: ['text/html'],
    errors: ['NOT_FOUND'],
    handle: async ({ query }) => {
      const { pass, card } = await visitPage(deps, openPagePass(custody, 'details', query.token));
      return page(detailsPage(card.id, card.details, pass.style));
    },
  }),
  operation({
    id: 'getSandboxCardPinPage',
    method: 'GET',
    path: '/sandbox/card-pages/pin',
    tag: 'Sandbox',
    summary: 'The page of the sandbox issuer on which a PIN is chosen',
    permission: 'PUBLIC',
    sandbox: true,
    query: PageTokenQuery,
    success: { 200: Type.String() },
    produces: ['text/html'],
    errors: ['NOT_FOUND'],
    handle: async ({ query }) => {
      const { pass } = await visitPage(deps, openPagePass(custody, 'pin', query.token));
      return page(pinPage(pass.targetOrigin));
    },
  }),
  operation({
    id: 'submitSandboxCardPin',
    method: 'POST',
    path: '/sandbox/card-pages/pin',
    tag: 'Sandbox',
    summary: 'Submit the PIN chosen on the page of the sandbox issuer',
    command: 'sandbox card-pages pin submit',
    permission: 'PUBLIC',
    sandbox: true,
    body: SandboxPinEntry,
    success: { 204: null },
    errors: ['NOT_FOUND', 'CONFLICT', 'CARD_NOT_MUTABLE'],
    handle: async ({ body, requestId }) => {
      await choosePin(deps, openPagePass(custody, 'pin', body.sessionToken), requestId);
      return noContent();
    },
  }),
];
