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

/** The first refusal that applies is the answer. */
export function refuseUnready({ customer, platform, hasAcceptedTerms }: PaymentFacts): void {
  if (customer.verificationStatus !== 'APPROVED')
    throw new ApiError('CUSTOMER_NOT_VERIFIED', { verificationStatus: customer.verificationStatus });
  if (areTermsRequired(platform) && !hasAcceptedTerms) throw new ApiError('END_USER_TERMS_NOT_ACCEPTED');
}
