// What a customer must have done before money of it moves.
import { ApiError } from '../../../kernel/errors.js';
import type { Platform } from '../../core/platform/platform.js';
import type { Customer } from '../customers/customer.js';

export type PaymentFacts = {
  readonly customer: Pick<Customer, 'verificationStatus'>;
  readonly platform: Pick<Platform, 'mode' | 'endUserTermsRequired' | 'config'>;
  readonly hasAcceptedTerms: boolean;
};

/** A regulated platform has terms of its own and is not asked for ours. */
const areTermsRequired = ({ mode, endUserTermsRequired, config }: PaymentFacts['platform']): boolean =>
  !config.isRegulatedFinancialInstitution && (mode === 'live' || endUserTermsRequired);

/** Why the customer may not pay: the first reason that applies. */
export function unreadiness({ customer, platform, hasAcceptedTerms }: PaymentFacts): ApiError | undefined {
  if (customer.verificationStatus !== 'APPROVED')
    return new ApiError('CUSTOMER_NOT_VERIFIED', { verificationStatus: customer.verificationStatus });
  return areTermsRequired(platform) && !hasAcceptedTerms ? new ApiError('END_USER_TERMS_NOT_ACCEPTED') : undefined;
}

export function refuseUnready(facts: PaymentFacts): void {
  const refusal = unreadiness(facts);
  if (refusal) throw refusal;
}
