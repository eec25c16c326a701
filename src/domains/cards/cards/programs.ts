// The card programs of the sandbox issuer: enough of them to try every rule of a card. Terms never change; other terms get another id.
import type { CurrencyCode } from '../../../kernel/money.js';
import type { CardCapabilities } from '../../accounts/internal-accounts/internal-account.js';
import type { CardProgram } from './card.js';

const ALL: CardCapabilities = {
  supportsSpendLimits: true,
  supportsSpendLimitsAtIssuance: true,
  supportsTransactionCountLimit: true,
  supports3dSecurePassword: false,
  supportsPanReveal: true,
  supportsDigitalWalletTokenization: true,
};

const NONE: CardCapabilities = {
  supportsSpendLimits: false,
  supportsSpendLimitsAtIssuance: false,
  supportsTransactionCountLimit: false,
  supports3dSecurePassword: false,
  supportsPanReveal: false,
  supportsDigitalWalletTokenization: false,
};

const program = (id: string, summary: string, terms: Partial<Omit<CardProgram, 'id' | 'summary'>> = {}): CardProgram => ({
  id,
  summary,
  decides: 'SERVICE',
  currency: 'USD',
  brand: 'VISA',
  fundingCurrencies: ['USD', 'USDB'],
  capabilities: ALL,
  supportsPin: true,
  ...terms,
});

export const CARD_PROGRAMS: readonly CardProgram[] = [
  program('service_full', 'The service decides authorizations; every capability but the 3-D Secure password.'),
  program('service_3ds', 'As service_full, with a static 3-D Secure password.', {
    capabilities: { ...ALL, supports3dSecurePassword: true },
  }),
  program(
    'issuer_decided',
    'The issuer decides authorizations; spend limits after issuance only, no limit on the number of transactions, no PIN.',
    {
      decides: 'ISSUER',
      brand: 'MASTERCARD',
      capabilities: { ...ALL, supportsSpendLimitsAtIssuance: false, supportsTransactionCountLimit: false },
      supportsPin: false,
    },
  ),
  program('service_no_spend_limits', 'As service_full, without spend limits.', {
    capabilities: { ...ALL, supportsSpendLimits: false, supportsSpendLimitsAtIssuance: false },
  }),
  program('service_basic', 'The service decides authorizations; no capability at all, no PIN, funded in USD only.', {
    fundingCurrencies: ['USD'],
    capabilities: NONE,
    supportsPin: false,
  }),
  program('sandbox_issuer_rejects', 'As service_full; the issuer rejects every new card.'),
  program('sandbox_issuer_slow', 'As service_full; the issuer does not answer the first order of a card, and makes it when asked again.'),
  program('sandbox_issuer_refuses', 'As service_3ds; the issuer makes cards and refuses every later instruction.', {
    capabilities: { ...ALL, supports3dSecurePassword: true },
  }),
  program('sandbox_issuer_silent', 'As service_3ds; the issuer makes cards and answers no later instruction in time.', {
    capabilities: { ...ALL, supports3dSecurePassword: true },
  }),
];

const BY_ID: ReadonlyMap<string, CardProgram> = new Map(CARD_PROGRAMS.map((one) => [one.id, one]));

export const findProgram = (id: string): CardProgram | undefined => BY_ID.get(id);

/** The capabilities of a card issued on an account of this currency; undefined when the program does not accept the currency. */
export function capabilitiesFor(currency: CurrencyCode, programId: string): CardCapabilities | undefined {
  const found = BY_ID.get(programId);
  return found?.fundingCurrencies.includes(currency) ? found.capabilities : undefined;
}
