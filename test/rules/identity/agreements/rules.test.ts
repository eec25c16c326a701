// What payments are refused for: verification first, then the terms.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type PaymentFacts, refuseUnready } from '../../../../src/domains/identity/agreements/rules.js';
import { VERIFICATION_STATUSES } from '../../../../src/domains/identity/customers/customer.js';
import { hasAcceptedTerms } from '../../../../src/domains/identity/customers/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';

const config = { umaDomain: 'example.com', supportedCurrencies: [], isRegulatedFinancialInstitution: false };
const facts = (fields: Partial<PaymentFacts> = {}): PaymentFacts => ({
  customer: { verificationStatus: 'APPROVED' },
  platform: { mode: 'live', endUserTermsRequired: false, config },
  hasAcceptedTerms: true,
  ...fields,
});
const refusal = (given: PaymentFacts): string | undefined => {
  try {
    refuseUnready(given);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 403);
    return error.code;
  }
};

describe('a customer pays only when APPROVED', () => {
  for (const verificationStatus of VERIFICATION_STATUSES)
    test(verificationStatus, () =>
      assert.equal(
        refusal(facts({ customer: { verificationStatus }, hasAcceptedTerms: verificationStatus === 'APPROVED' })),
        verificationStatus === 'APPROVED' ? undefined : 'CUSTOMER_NOT_VERIFIED',
      ),
    );
});

describe('END_USER_TERMS_NOT_ACCEPTED', () => {
  const without = (platform: Partial<PaymentFacts['platform']>) =>
    refusal(facts({ hasAcceptedTerms: false, platform: { ...facts().platform, ...platform } }));
  test('live: always', () => assert.equal(without({}), 'END_USER_TERMS_NOT_ACCEPTED'));
  test('sandbox: only where the operator switched it on', () => {
    assert.equal(without({ mode: 'sandbox' }), undefined);
    assert.equal(without({ mode: 'sandbox', endUserTermsRequired: true }), 'END_USER_TERMS_NOT_ACCEPTED');
  });
  test('a regulated platform is not asked', () =>
    assert.equal(without({ config: { ...config, isRegulatedFinancialInstitution: true } }), undefined));
});

test('terms count in a supported version, whichever was accepted first', () => {
  const consent = (type: 'SERVICE_END_USER_TERMS' | 'SERVICE_PRIVACY_POLICY', termsVersion: string) =>
    ({ type, termsVersion, acceptedAt: '2026-01-01T00:00:00Z', ipAddress: '::1', acceptanceMethod: 'CHECKBOX' }) as const;
  assert.equal(hasAcceptedTerms({ consents: [] }), false);
  assert.equal(hasAcceptedTerms({ consents: [consent('SERVICE_PRIVACY_POLICY', '2025-10-01')] }), false);
  assert.equal(hasAcceptedTerms({ consents: [consent('SERVICE_END_USER_TERMS', '2020-01-01')] }), false);
  assert.equal(hasAcceptedTerms({ consents: [consent('SERVICE_END_USER_TERMS', '2025-04-01')] }), true);
});
