// Operations of strong customer authentication: factors, login, security events and resets.
import type { Db } from '../../../db/pool.js';
import { type Answer, commitThenRefuse, created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import type { ErrorCode } from '../../../kernel/errors.js';
import { type PlatformId, parseId } from '../../../kernel/ids.js';
import {
  completeLogin,
  confirmPasskey,
  confirmTotp,
  finishReset,
  listFactors,
  readReset,
  recordSecurityEvent,
  removePasskey,
  startLogin,
  startPasskey,
  startReset,
  startTotp,
} from './actions.js';
import type { Call } from './customers.js';
import type { ScaDeps } from './deps.js';
import type { Outcome } from './outcome.js';
import { requireIpAddress } from './rules.js';
import {
  CustomerQuery,
  parseCustomerQuery,
  parseLoginProof,
  parseMobile,
  RecordSecurityEventRequest,
  RecordSecurityEventResponse,
  renderFactors,
  renderLoginStart,
  renderPasskey,
  renderPasskeyStart,
  renderReset,
  renderSession,
  renderTotpStart,
  ScaFactorConfirmRequest,
  ScaFactorConfirmResponse,
  ScaFactorEnrollRequest,
  ScaFactorEnrollStart,
  ScaFactorList,
  ScaLoginComplete,
  ScaLoginCompleteRequest,
  ScaLoginStart,
  ScaLoginStartRequest,
  TwoFactorResetCompleteRequest,
  TwoFactorResetStart,
  TwoFactorResetStartRequest,
  TwoFactorResetStatus,
} from './schemas.js';

export const tag = 'Strong Customer Authentication';

export type ScaRouteDeps = ScaDeps & {
  readonly db: Db;
  /** Where callers reach the API. */
  readonly serviceUrl: () => string;
};

/** Every operation here is about one customer of a regulated region. */
const errors: readonly ErrorCode[] = ['CUSTOMER_NOT_FOUND', 'CONFLICT'];

type Asked = { readonly platformId: PlatformId; readonly now: Date; readonly query: { readonly customerId: string } };
const call = ({ platformId, now, query }: Asked): Call => ({ platformId, now, customerId: parseCustomerQuery(query) });
const resetId = ({ resetId: id }: { readonly resetId: string }) => parseId('TwoFactorReset', id);

/** A wrong proof is counted although the call is refused. */
export const answer = <Result>(outcome: Outcome<Result>, render: (result: Result) => unknown): Answer =>
  'refusal' in outcome ? commitThenRefuse(outcome.refusal) : ok(render(outcome.result));

export const scaRoutes = (deps: ScaRouteDeps): Operation[] => [
  // ---- factors
  operation({
    id: 'listScaFactors',
    method: 'GET',
    path: '/sca/factors',
    tag,
    summary: 'List the factors that the customer can use now',
    command: 'sca factors list',
    permission: 'VIEW',
    query: CustomerQuery,
    success: { 200: ScaFactorList },
    errors,
    handle: async (request) => ok(renderFactors(await listFactors(deps.db, call(request)))),
  }),
  operation({
    id: 'startScaFactorEnrollment',
    method: 'POST',
    path: '/sca/factors',
    tag,
    summary: 'Start to enrol an authenticator app or a passkey, within 10 minutes; starting again replaces the open enrolment',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: ScaFactorEnrollRequest,
    success: { 200: ScaFactorEnrollStart },
    errors: [...errors, 'PASSKEY_ALREADY_ENROLLED'],
    write: async (tx, request) =>
      ok(
        request.body.type === 'TOTP'
          ? renderTotpStart(await startTotp(tx, deps, call(request)))
          : renderPasskeyStart(await startPasskey(tx, call(request))),
      ),
  }),
  operation({
    id: 'confirmScaFactorEnrollment',
    method: 'POST',
    path: '/sca/factors/confirm',
    tag,
    summary: 'Confirm the enrolment with a code of the app or with the new passkey',
    command: 'sca factors confirm',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: ScaFactorConfirmRequest,
    success: { 200: ScaFactorConfirmResponse },
    errors: [...errors, 'PASSKEY_ALREADY_ENROLLED'],
    write: async (tx, request) => {
      const { body } = request;
      return body.type === 'TOTP'
        ? answer(await confirmTotp(tx, deps, call(request), body), (recoveryCodes) => ({ type: 'TOTP', recoveryCodes }))
        : answer(await confirmPasskey(tx, call(request), body), renderPasskey);
    },
  }),
  operation({
    id: 'deleteScaFactor',
    method: 'DELETE',
    path: '/sca/factors/{credentialId}',
    tag,
    summary: 'Delete a passkey; an authenticator app is removed by a reset',
    permission: 'MANAGE',
    query: CustomerQuery,
    success: { 204: null },
    errors: [...errors, 'NOT_FOUND'],
    write: async (tx, request) => {
      await removePasskey(tx, call(request), request.params.credentialId);
      return noContent();
    },
  }),

  // ---- login
  operation({
    id: 'startScaLogin',
    method: 'POST',
    path: '/sca/login/start',
    tag,
    summary: 'Start a login with one factor, which replaces an open login',
    command: 'sca login start',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: ScaLoginStartRequest,
    success: { 200: ScaLoginStart },
    errors,
    write: async (tx, request) => ok(renderLoginStart(await startLogin(tx, deps, call(request), request.body.factor))),
  }),
  operation({
    id: 'completeScaLogin',
    method: 'POST',
    path: '/sca/login/complete',
    tag,
    summary: 'Complete the login, which opens a session of 180 days; failed logins lock the customer',
    command: 'sca login complete',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: ScaLoginCompleteRequest,
    success: { 200: ScaLoginComplete },
    errors: [...errors, 'ACCOUNT_LOCKED'],
    write: async (tx, request) => {
      const proof = parseLoginProof(request.body);
      return answer(await completeLogin(tx, deps, call(request), proof), renderSession);
    },
  }),
  operation({
    id: 'recordSecurityEvent',
    method: 'POST',
    path: '/sca/record-event',
    tag,
    summary: "Report a failed login or a completed password reset of the platform's own login",
    command: 'sca record-event',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: RecordSecurityEventRequest,
    success: { 200: RecordSecurityEventResponse },
    errors: [...errors, 'ACCOUNT_LOCKED'],
    write: async (tx, request) => {
      const { eventType, endUserIpAddress } = request.body;
      requireIpAddress(endUserIpAddress);
      return ok({ eventType, ...(await recordSecurityEvent(tx, call(request), eventType)) });
    },
  }),

  // ---- resets
  operation({
    id: 'startTwoFactorReset',
    method: 'POST',
    path: '/sca/factors/reset',
    tag,
    summary: 'Start the reset of a lost factor, at most 5 times in 24 hours',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: TwoFactorResetStartRequest,
    success: { 201: TwoFactorResetStart },
    errors: [...errors, 'NOT_IMPLEMENTED'],
    write: async (tx, request) => {
      requireIpAddress(request.body.endUserIpAddress);
      const { reset, livenessAccessToken } = await startReset(tx, deps, call(request), request.body);
      return created({
        resetId: reset.id,
        livenessAccessToken,
        verificationLink: `${deps.serviceUrl()}/sandbox/sca/liveness?token=${livenessAccessToken}`,
        expiresAt: reset.expiresAt.toISOString(),
      });
    },
  }),
  operation({
    id: 'getTwoFactorResetStatus',
    method: 'GET',
    path: '/sca/factors/reset/{resetId}',
    tag,
    summary: 'Get the state of a reset',
    permission: 'VIEW',
    query: CustomerQuery,
    success: { 200: TwoFactorResetStatus },
    errors: [...errors, 'NOT_FOUND'],
    handle: async (request) => ok(renderReset(await readReset(deps.db, call(request), resetId(request.params)))),
  }),
  operation({
    id: 'completeTwoFactorReset',
    method: 'POST',
    path: '/sca/factors/reset/{resetId}/complete',
    tag,
    summary: 'Complete a reset whose liveness check has passed: the factor is removed, or the phone number replaced',
    permission: 'MANAGE',
    query: CustomerQuery,
    body: TwoFactorResetCompleteRequest,
    bodyOptional: true,
    success: { 204: null },
    errors: [...errors, 'NOT_FOUND'],
    write: async (tx, request) => {
      await finishReset(tx, deps, call(request), resetId(request.params), parseMobile(request.body));
      return noContent();
    },
  }),
];
