// Customers.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { accepted, created, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery, SignedRequestChallenge, timeFilters } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { type CustomerDeps, createCustomer, deleteCustomer, getCustomer, updateCustomer } from './actions.js';
import {
  CustomerCreateRequestOneOf,
  CustomerListResponse,
  CustomerOneOf,
  CustomerTypeSchema,
  CustomerUpdateRequestOneOf,
  parseCustomerCreate,
  parseCustomerPatch,
  renderCustomer,
} from './schemas.js';
import { listCustomers } from './store.js';

const customerId = ({ customerId }: { readonly customerId: string }) => parseId('Customer', customerId);

export const customerRoutes = ({ db, ...deps }: CustomerDeps & { readonly db: Db }): Operation[] => [
  operation({
    id: 'listCustomers',
    method: 'GET',
    path: '/customers',
    tag: 'Customers',
    summary: 'List customers',
    permission: 'VIEW',
    query: Closed({
      platformCustomerId: Type.Optional(Type.String()),
      customerType: Type.Optional(CustomerTypeSchema),
      region: Type.Optional(Type.String()),
      currency: Type.Optional(Type.String()),
      umaAddress: Type.Optional(Type.String()),
      isIncludingDeleted: Type.Optional(Type.Boolean()),
      ...timeFilters,
      ...pageQuery,
    }),
    success: { 200: CustomerListResponse },
    errors: ['METHOD_NOT_ALLOWED'],
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listCustomers', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listCustomers(db, platformId, filter, { limit, after }, scope), renderCustomer));
    },
  }),
  operation({
    id: 'createCustomer',
    method: 'POST',
    path: '/customers',
    tag: 'Customers',
    summary: 'Create a customer and its internal accounts',
    permission: 'MANAGE',
    body: CustomerCreateRequestOneOf,
    success: { 200: CustomerOneOf, 201: CustomerOneOf },
    errors: [
      'INVALID_UMA_ADDRESS',
      'END_USER_TERMS_VERSION_NOT_FOUND',
      'CONFLICT',
      'UMA_ADDRESS_EXISTS',
      'METHOD_NOT_ALLOWED',
      'NOT_IMPLEMENTED',
    ],
    idempotency: 'optional',
    write: async (tx, { platformId, now, body }) =>
      created(renderCustomer(await createCustomer(tx, deps, { platformId, now, draft: parseCustomerCreate(body) }))),
  }),
  operation({
    id: 'getCustomerById',
    method: 'GET',
    path: '/customers/{customerId}',
    tag: 'Customers',
    summary: 'Get a customer',
    permission: 'VIEW',
    success: { 200: CustomerOneOf },
    errors: ['CUSTOMER_NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderCustomer(await getCustomer(db, platformId, customerId(params)))),
  }),
  operation({
    id: 'updateCustomerById',
    method: 'PATCH',
    path: '/customers/{customerId}',
    tag: 'Customers',
    summary: 'Change a customer',
    permission: 'MANAGE',
    body: CustomerUpdateRequestOneOf,
    success: { 200: CustomerOneOf, 202: SignedRequestChallenge },
    errors: [
      'INVALID_UMA_ADDRESS',
      'END_USER_TERMS_VERSION_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'UMA_ADDRESS_EXISTS',
      'AUTH_CREDENTIAL_VERIFICATION_REQUIRED',
      'AUTH_CREDENTIAL_VERIFICATION_EXPIRED',
      'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
      'SMS_OTP_CREDENTIAL_SET_CHANGED',
      'EMAIL_OTP_CREDENTIAL_SYNC_FAILED',
      'SMS_OTP_CREDENTIAL_SYNC_FAILED',
    ],
    signedRetry: true,
    write: async (tx, { platformId, now, params, body, signed }) => {
      const outcome = await updateCustomer(tx, deps, {
        platformId,
        id: customerId(params),
        patch: parseCustomerPatch(body),
        signed,
        body,
        now,
      });
      return 'challenge' in outcome ? accepted(outcome.challenge) : ok(renderCustomer(outcome.customer));
    },
  }),
  operation({
    id: 'deleteCustomerById',
    method: 'DELETE',
    path: '/customers/{customerId}',
    tag: 'Customers',
    summary: 'Delete a customer; accounts that money is on, or may come back to, stay open',
    permission: 'MANAGE',
    success: { 200: CustomerOneOf },
    errors: ['CUSTOMER_NOT_FOUND', 'CUSTOMER_DELETED'],
    write: async (tx, { platformId, now, params }) =>
      ok(renderCustomer(await deleteCustomer(tx, deps, { platformId, now, id: customerId(params) }))),
  }),
];
