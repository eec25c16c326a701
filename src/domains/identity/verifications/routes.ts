// Beneficial owners, verifications, links to the hosted page, and the sandbox's provider.
import Type from 'typebox';
import { type Answer, created, createdSealed, noContent, type Operation, ok, operation, type Request } from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { ApiError } from '../../../kernel/errors.js';
import { FILE_KINDS } from '../../../kernel/file-kind.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import type { CallbackProof } from '../../../providers/kyc.js';
import { KYC_HEADERS } from '../../../providers/kyc-http.js';
import {
  BeneficialOwnerCreateRequest,
  BeneficialOwnerListResponse,
  BeneficialOwnerSchema,
  BeneficialOwnerUpdateRequest,
  parseOwnerDraft,
  parseOwnerPatch,
  renderBeneficialOwner,
} from '../customers/owner-schemas.js';
import { CustomerOneOf, renderCustomer } from '../customers/schemas.js';
import {
  createOwner,
  decideInSandbox,
  findVerification,
  removeOwner,
  setVerificationStatus,
  submitVerification,
  updateOwner,
} from './actions.js';
import { type PageAnswer, type PageDeps, submitPage, visitPage } from './hosted-page.js';
import { createKycLink, findOpenLink } from './links.js';
import { getOwner, listOwners } from './owners-store.js';
import {
  KycCallback,
  KycCallbackResponse,
  KycLinkCreateRequest,
  KycLinkResponse,
  parseCallback,
  parseErrors,
  renderVerification,
  SandboxVerificationDecision,
  SandboxVerificationStatus,
  VerificationListResponse,
  VerificationRequest,
  VerificationSchema,
  VerificationStatusSchema,
} from './schemas.js';
import { listVerifications } from './store.js';
import { readDocument, receiveCallback } from './vendor.js';

const TAG = 'KYC/KYB Verifications';

const customerId = (params: { readonly customerId: string }) => parseId('Customer', params.customerId);
const ownerId = (params: { readonly beneficialOwnerId: string }) => parseId('BeneficialOwner', params.beneficialOwnerId);
const verificationId = (params: { readonly verificationId: string }) => parseId('Verification', params.verificationId);

export type RouteDeps = PageDeps & {
  /** Where the hosted page is: the base of its links. */
  readonly pageUrl: (token: string) => string;
};

/** How the vendor signs what it sends. */
const vendorHeaders = (signed: string) => [
  {
    name: KYC_HEADERS.timestamp,
    required: true,
    description: 'Seconds since 1970 when the request was signed, at most 5 minutes from now.',
  },
  { name: KYC_HEADERS.signature, required: true, description: `HMAC-SHA256 in hex over ${signed}, keyed with the shared secret.` },
];

const proofOf = (headers: Request['headers'], body: Buffer): CallbackProof => {
  const header = (name: string) => String(headers[name.toLowerCase()] ?? '');
  return { timestamp: header(KYC_HEADERS.timestamp), signature: header(KYC_HEADERS.signature), body };
};

const pageAnswer = (answer: PageAnswer): Answer =>
  answer.status === 303
    ? { status: 303, headers: { location: answer.location, 'referrer-policy': 'no-referrer' } }
    : { status: answer.status, headers: answer.page.headers, text: answer.page.html };

export const verificationRoutes = ({ pageUrl, ...pageDeps }: RouteDeps): Operation[] => [
  ...operationsOf(pageUrl, pageDeps, pageDeps),
  ...(pageDeps.kyc.vendor ? vendorOperations(pageDeps) : []),
];

const operationsOf = (pageUrl: RouteDeps['pageUrl'], pageDeps: PageDeps, { db, ...deps }: PageDeps): Operation[] => [
  operation({
    id: 'createCustomerKycLink',
    method: 'POST',
    path: '/customers/{customerId}/kyc-link',
    tag: TAG,
    summary: 'Create a single-use link to the hosted page on which the customer is verified',
    permission: 'MANAGE',
    body: KycLinkCreateRequest,
    bodyOptional: true,
    success: { 201: KycLinkResponse },
    errors: ['CUSTOMER_NOT_FOUND', 'CONFLICT'],
    idempotency: 'optional',
    write: async (tx, { platformId, now, params, body: { redirectUri } }) => {
      const { token, expiresAt } = await createKycLink(tx, { platformId, customerId: customerId(params), redirectUri, now });
      return createdSealed({ kycUrl: pageUrl(token), expiresAt: expiresAt.toISOString(), provider: 'HOSTED_KYC' });
    },
  }),

  operation({
    id: 'getKycPage',
    method: 'GET',
    path: '/kyc/{token}',
    tag: TAG,
    summary: 'The hosted page of a link, for the browser of the end user: HTML, also where the link cannot be used (404)',
    permission: 'PUBLIC',
    success: { 200: Type.String(), 404: Type.String() },
    produces: ['text/html'],
    handle: async ({ params: { token } }) => pageAnswer(await visitPage(pageDeps, token)),
  }),
  operation({
    id: 'submitKycPage',
    method: 'POST',
    path: '/kyc/{token}',
    tag: TAG,
    summary: 'The form of the hosted page: stores what was given and submits the customer; 303 to `redirectUri` once nothing is missing',
    command: 'kyc submit',
    permission: 'PUBLIC',
    body: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
    multipart: {
      maxFileBytes: 10 * 1024 * 1024,
      maxRequestBytes: 32 * 1024 * 1024,
      maxFields: 500,
      maxFiles: 30,
      isOfPage: true,
      platformOf: async ({ token = '' }) => (await findOpenLink(db, pageDeps.mode, token))?.platformId,
    },
    success: { 200: Type.String(), 303: null, 404: Type.String() },
    produces: ['text/html'],
    handle: async ({ params: { token }, body, requestId }) =>
      pageAnswer(await submitPage({ ...pageDeps, db: pageDeps.db.causedBy({ requestId }) }, token, body)),
  }),

  // ---- beneficial owners
  operation({
    id: 'listBeneficialOwners',
    method: 'GET',
    path: '/beneficial-owners',
    tag: TAG,
    summary: 'List the beneficial owners of a business',
    permission: 'VIEW',
    query: Closed({ customerId: Type.String(), ...pageQuery }),
    success: { 200: BeneficialOwnerListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listBeneficialOwners', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listOwners(db, platformId, customerId(filter) ?? null, { limit, after }, scope), renderBeneficialOwner));
    },
  }),
  operation({
    id: 'createBeneficialOwner',
    method: 'POST',
    path: '/beneficial-owners',
    tag: TAG,
    summary: 'Add a beneficial owner to a business',
    permission: 'MANAGE',
    body: BeneficialOwnerCreateRequest,
    success: { 201: BeneficialOwnerSchema },
    errors: ['CUSTOMER_NOT_FOUND'],
    idempotency: 'optional',
    write: async (tx, { platformId, now, body }) =>
      created(
        renderBeneficialOwner(await createOwner(tx, deps, { platformId, customerId: customerId(body), draft: parseOwnerDraft(body), now })),
      ),
  }),
  operation({
    id: 'getBeneficialOwner',
    method: 'GET',
    path: '/beneficial-owners/{beneficialOwnerId}',
    tag: TAG,
    summary: 'Get a beneficial owner',
    permission: 'VIEW',
    success: { 200: BeneficialOwnerSchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderBeneficialOwner(await getOwner(db, platformId, ownerId(params)))),
  }),
  operation({
    id: 'updateBeneficialOwner',
    method: 'PATCH',
    path: '/beneficial-owners/{beneficialOwnerId}',
    tag: TAG,
    summary: 'Change a beneficial owner; what is not given stays',
    permission: 'MANAGE',
    body: BeneficialOwnerUpdateRequest,
    success: { 200: BeneficialOwnerSchema },
    errors: ['NOT_FOUND'],
    write: async (tx, { platformId, now, params, body }) =>
      ok(renderBeneficialOwner(await updateOwner(tx, deps, { platformId, id: ownerId(params), patch: parseOwnerPatch(body), now }))),
  }),
  operation({
    id: 'deleteBeneficialOwner',
    method: 'DELETE',
    path: '/beneficial-owners/{beneficialOwnerId}',
    tag: TAG,
    summary: 'Delete a beneficial owner and its documents; refused while the business is under review',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params }) => {
      await removeOwner(tx, deps, { platformId, id: ownerId(params), now });
      return noContent();
    },
  }),

  // ---- verifications
  operation({
    id: 'listVerifications',
    method: 'GET',
    path: '/verifications',
    tag: TAG,
    summary: 'List verifications',
    permission: 'VIEW',
    query: Closed({
      customerId: Type.Optional(Type.String()),
      verificationStatus: Type.Optional(VerificationStatusSchema),
      ...pageQuery,
    }),
    success: { 200: VerificationListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listVerifications', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const owner = filter.customerId === undefined ? undefined : (parseId('Customer', filter.customerId) ?? null);
      const page = await listVerifications(
        db,
        platformId,
        { customerId: owner, status: filter.verificationStatus },
        { limit, after },
        scope,
      );
      return ok(renderPage(page, renderVerification));
    },
  }),
  operation({
    id: 'createVerification',
    method: 'POST',
    path: '/verifications',
    tag: TAG,
    summary: 'Submit a customer for verification, or submit it again; the answer lists everything that is missing',
    permission: 'MANAGE',
    body: VerificationRequest,
    success: { 200: VerificationSchema },
    errors: ['CUSTOMER_NOT_FOUND'],
    write: async (tx, { platformId, now, body }) =>
      ok(renderVerification(await submitVerification(tx, deps, { platformId, customerId: customerId(body), now }))),
  }),
  operation({
    id: 'getVerification',
    method: 'GET',
    path: '/verifications/{verificationId}',
    tag: TAG,
    summary: 'Get a verification',
    permission: 'VIEW',
    success: { 200: VerificationSchema },
    errors: ['VERIFICATION_NOT_FOUND'],
    handle: async ({ platformId, params }) => {
      const verification = await findVerification(db, platformId, verificationId(params));
      if (!verification) throw new ApiError('VERIFICATION_NOT_FOUND');
      return ok(renderVerification(verification));
    },
  }),

  // ---- the sandbox
  operation({
    id: 'sandboxDecideVerification',
    method: 'POST',
    path: '/sandbox/verifications/{verificationId}/decision',
    tag: 'Sandbox',
    summary: 'Play the provider: decide a verification that is under review',
    command: 'sandbox verifications decide',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxVerificationDecision,
    success: { 200: VerificationSchema },
    errors: ['VERIFICATION_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params, body: { outcome, errors } }) =>
      ok(
        renderVerification(
          await decideInSandbox(tx, deps, { platformId, id: verificationId(params), outcome, errors: errors && parseErrors(errors), now }),
        ),
      ),
  }),
  operation({
    id: 'sandboxSetVerificationStatus',
    method: 'PUT',
    path: '/sandbox/customers/{customerId}/verification-status',
    tag: 'Sandbox',
    summary: 'Play compliance: set the verification status of a customer, for example HOLD',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxVerificationStatus,
    success: { 200: CustomerOneOf },
    errors: ['CUSTOMER_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params, body: { status } }) =>
      ok(renderCustomer(await setVerificationStatus(tx, { platformId, customerId: customerId(params), status, now }))),
  }),
];

/** Served where a vendor is set. */
const vendorOperations = ({ db, ...deps }: PageDeps): Operation[] => [
  operation({
    id: 'receiveKycDecision',
    method: 'POST',
    path: '/kyc/callbacks',
    tag: TAG,
    summary: 'Callback of the KYC vendor with a decision on a packet',
    permission: 'PUBLIC',
    headerParameters: vendorHeaders('`<timestamp>.<body>`'),
    body: KycCallback,
    success: { 200: KycCallbackResponse },
    errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VERIFICATION_NOT_FOUND'],
    write: async (tx, { body, rawBody, headers }) => {
      const proof = proofOf(headers, rawBody);
      const { isApplied } = await receiveCallback(tx, deps, { reference: body.reference, decision: parseCallback(body), proof });
      return ok({ applied: isApplied });
    },
  }),

  operation({
    id: 'getKycDocument',
    method: 'GET',
    path: '/kyc/documents/{reference}/{documentId}',
    tag: TAG,
    summary: 'Read a document of a packet, for the KYC vendor, while the packet is under review',
    permission: 'PUBLIC',
    headerParameters: vendorHeaders('`<timestamp>.<reference>/<documentId>`'),
    success: { 200: Type.String() },
    produces: FILE_KINDS,
    errors: ['UNAUTHORIZED', 'NOT_FOUND'],
    handle: async ({ params: { reference, documentId }, headers: sent }) => {
      const proof = proofOf(sent, Buffer.from(`${reference}/${documentId}`));
      const { headers, content } = await readDocument(db, deps, { reference, documentId: parseId('Document', documentId), proof });
      return { status: 200, headers, stream: content };
    },
  }),
];
