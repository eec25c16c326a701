// In which steps the payer authorizes a payment, and how the payee is named to the payer. Pure.
import type { PaymentStep } from '../../access/sca/sca.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Quote } from '../quotes/quote.js';

type Money = Pick<Quote['payment'], 'sent' | 'received'>;

/** A conversion is authorized before the payout. Within one currency there is one step. */
export const firstStep = ({ sent, received }: Money): PaymentStep =>
  sent.currency === received.currency ? 'TRANSFER' : 'CURRENCY_CONVERSION';

export const nextStep = (step: PaymentStep | null): PaymentStep | undefined => (step === 'CURRENCY_CONVERSION' ? 'PAYOUT' : undefined);

/** A payment to a beneficiary that the payer trusts needs the session and no challenge. */
export const isTrusted = (account: ExternalAccount | undefined, { id }: Pick<Customer, 'id'>): boolean =>
  account?.isTrusted === true && account.customerId === id;

/** Who is paid, as the payer knows it. `beneficiary` describes an external account. */
export function payeeOf({ destination }: Pick<Quote, 'destination'>, beneficiary: string | undefined): string {
  if (destination.destinationType === 'UMA_ADDRESS') return destination.umaAddress;
  return beneficiary ?? destination.accountId;
}
