// Beneficial owners, verifications, links to the hosted page, and the sandbox's provider.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { created, createdSealed, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { ApiError } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
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
  type VerificationDeps,
} from './actions.js';
import { createKycLink } from './links.js';
import { getOwner, listOwners } from './owners-store.js';
import {
  KycLinkCreateRequest,
  KycLinkResponse,
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

const TAG = 'KYC/KYB Verifications';

const customerId = (params: { readonly customerId: string }) => parseId('Customer', params.customerId);
const ownerId = (params: { readonly beneficialOwnerId: string }) => parseId('BeneficialOwner', params.beneficialOwnerId);
const verificationId = (params: { readonly verificationId: string }) => parseId('Verification', params.verificationId);

export type RouteDeps = VerificationDeps & {
  readonly db: Db;
  /** Where the hosted page is: the base of its links. */
  readonly pageUrl: (token: string) => string;
};

export const verificationRoutes = ({ db, pageUrl, ...deps }: RouteDeps): Operation[] => [
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
