// Which payments the payer must authorize, in which steps, and how the payee is named to the payer. Pure.
import type { PaymentStep } from '../../access/sca/sca.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Quote } from '../quotes/quote.js';

/** Balances in these currencies are payment accounts under European law. */
const GATED_CURRENCIES: ReadonlySet<string> = new Set(['EUR', 'USDC']);

type Money = Pick<Quote['payment'], 'sent' | 'received'>;

export const isGated = (isRegulated: boolean, { sent }: Pick<Money, 'sent'>): boolean => isRegulated && GATED_CURRENCIES.has(sent.currency);

/** A conversion is authorized before the payout. Within one currency there is one step. */
export const firstStep = ({ sent, received }: Money): PaymentStep =>
  sent.currency === received.currency ? 'TRANSFER' : 'CURRENCY_CONVERSION';

export const nextStep = (step: PaymentStep | null): PaymentStep | undefined => (step === 'CURRENCY_CONVERSION' ? 'PAYOUT' : undefined);

/** A payment to a beneficiary that the payer trusts needs the session and no challenge. */
export const isTrusted = (account: ExternalAccount | undefined, { id }: Pick<Customer, 'id'>): boolean =>
  account?.isTrusted === true && account.customerId === id;

/** The name of the beneficiary and the end of the account number; the address of a wallet or of a UMA receiver; else the account's id. */
export function payeeOf({ destination }: Pick<Quote, 'destination'>, account: ExternalAccount | undefined, identifier: string): string {
  if (destination.destinationType === 'UMA_ADDRESS') return destination.umaAddress;
  if (!account) return destination.accountId;
  const { beneficiary } = account.accountInfo;
  const name = beneficiary?.fullName ?? beneficiary?.legalName;
  return name === undefined ? identifier : `${name}, account ending ${identifier.slice(-4)}`;
}
