// What accounts a holder gets.
import type { CustomerId } from '../../kernel/ids.js';
import type { CurrencyCode } from '../../kernel/money.js';
import type { InternalAccountType } from './internal-account.js';

const CRYPTO: ReadonlySet<CurrencyCode> = new Set(['USDB', 'USDC', 'USDT', 'BTC']);

/** The type of a holder's own account. USDB of a customer is a wallet under the customer's keys; the platform has no end user to hold keys. */
export const ownAccountType = (currency: CurrencyCode, holder: CustomerId | null): InternalAccountType =>
  currency === 'USDB' && holder !== null ? 'EMBEDDED_WALLET' : CRYPTO.has(currency) ? 'INTERNAL_CRYPTO' : 'INTERNAL_FIAT';
