// Operations on trusted beneficiaries, and the liveness check of the sandbox.
import Type from 'typebox';
import { noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import { concludeByLink, confirmTrustChange, decideLiveness, outcomesOf, startTrustChange } from './actions.js';
import { livenessPage } from './liveness-page.js';
import { answer, type ScaRouteDeps, tag } from './routes.js';
import type { TrustPurpose } from './rules.js';
import {
  BeneficiaryTrustConfirm,
  BeneficiaryTrustConfirmRequest,
  BeneficiaryTrustStart,
  LivenessOutcomeRequest,
  LivenessPageEntry,
  LivenessPageQuery,
  parseProof,
  renderReset,
  renderTrustStart,
  TwoFactorResetStatus,
} from './schemas.js';

export const beneficiaryRoutes = (deps: ScaRouteDeps): Operation[] => [
  ...trustRoutes(deps, 'TRUST', '/customers/external-accounts/{externalAccountId}/trust', {
    start: { id: 'startBeneficiaryTrust', summary: 'Start to trust a beneficiary: payments to it need no challenge of their own' },
    confirm: {
      id: 'confirmBeneficiaryTrust',
      command: 'customers external-accounts confirm-trust',
      summary: 'Confirm with a factor that the beneficiary is trusted',
    },
  }),
  ...trustRoutes(deps, 'UNTRUST', '/customers/external-accounts/{externalAccountId}/untrust', {
    start: { id: 'startBeneficiaryUntrust', summary: 'Start to end the trust in a beneficiary' },
    confirm: {
      id: 'confirmBeneficiaryUntrust',
      command: 'customers external-accounts confirm-untrust',
      summary: 'Confirm with a factor that the beneficiary is no longer trusted',
    },
  }),
];

type TrustPath = `/customers/external-accounts/{externalAccountId}/${'trust' | 'untrust'}`;
type Named = { readonly id: string; readonly command?: string; readonly summary: string };

function trustRoutes(
  deps: ScaRouteDeps,
  purpose: TrustPurpose,
  path: TrustPath,
  { start, confirm }: { readonly start: Named; readonly confirm: Named },
): Operation[] {
  const accountId = ({ externalAccountId }: { readonly externalAccountId: string }) => parseId('ExternalAccount', externalAccountId);
  return [
    operation({
      ...start,
      method: 'POST',
      path,
      tag,
      permission: 'MANAGE',
      success: { 200: BeneficiaryTrustStart },
      errors: ['ACCOUNT_NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'CONFLICT'],
      write: async (tx, { platformId, now, params }) =>
        ok(renderTrustStart(await startTrustChange(tx, deps, { platformId, now, purpose, accountId: accountId(params) }))),
    }),
    operation({
      ...confirm,
      method: 'POST',
      path: `${path}/confirm` as const,
      tag,
      permission: 'MANAGE',
      body: BeneficiaryTrustConfirmRequest,
      success: { 200: BeneficiaryTrustConfirm },
      errors: ['ACCOUNT_NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'CONFLICT'],
      write: async (tx, { platformId, now, params, body }) => {
        const proof = { challengeId: body.challengeId ?? undefined, proof: parseProof(body) };
        return answer(
          await confirmTrustChange(tx, deps, { platformId, now, purpose, accountId: accountId(params) }, proof),
          (trust) => trust,
        );
      },
    }),
  ];
}

// ---- the liveness check of the sandbox

export const livenessRoutes = ({ db, custody }: ScaRouteDeps): Operation[] => [
  operation({
    id: 'sandboxConcludeTwoFactorReset',
    method: 'POST',
    path: '/sandbox/sca/factors/reset/{resetId}/liveness',
    tag: 'Sandbox',
    summary: 'Simulate the result of the liveness check of a reset: PASS, FAIL or REVIEW',
    permission: 'MANAGE',
    sandbox: true,
    body: LivenessOutcomeRequest,
    success: { 200: TwoFactorResetStatus },
    errors: ['NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params, body }) =>
      ok(renderReset(await decideLiveness(tx, platformId, parseId('TwoFactorReset', params.resetId), body.outcome, now))),
  }),
  operation({
    id: 'getSandboxLivenessPage',
    method: 'GET',
    path: '/sandbox/sca/liveness',
    tag: 'Sandbox',
    summary: 'The page on which the user of the sandbox decides how a liveness check ends, of a reset or of a wallet',
    permission: 'PUBLIC',
    sandbox: true,
    query: LivenessPageQuery,
    success: { 200: Type.String() },
    produces: ['text/html'],
    errors: ['NOT_FOUND'],
    handle: async ({ query }) => {
      const { html, headers } = livenessPage(outcomesOf(custody, query.token));
      return { status: 200, text: html, headers };
    },
  }),
  operation({
    id: 'submitSandboxLiveness',
    method: 'POST',
    path: '/sandbox/sca/liveness',
    tag: 'Sandbox',
    summary: 'Submit the result chosen on the liveness page of the sandbox',
    command: 'sandbox sca liveness submit',
    permission: 'PUBLIC',
    sandbox: true,
    body: LivenessPageEntry,
    success: { 204: null },
    errors: ['NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
    handle: async ({ body }) => {
      await concludeByLink(db, custody, body.token, body.outcome);
      return noContent();
    },
  }),
];
