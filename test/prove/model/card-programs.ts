// The card programs of the sandbox issuer, as their summaries describe them.

const EVERY_CAPABILITY = {
  supportsSpendLimits: true,
  supportsSpendLimitsAtIssuance: true,
  supportsTransactionCountLimit: true,
  supports3dSecurePassword: false,
  supportsPanReveal: true,
  supportsDigitalWalletTokenization: true,
};

export type Program = {
  readonly decides: 'SERVICE' | 'ISSUER';
  readonly brand: string;
  readonly fundingCurrencies: readonly string[];
  readonly cardCapabilities: typeof EVERY_CAPABILITY;
  readonly supportsPin: boolean;
  /** What the sandbox issuer does with a new card, or with later instructions. */
  readonly issuer?: 'rejects' | 'slow' | 'refuses' | 'silent';
};

const program = (terms: Partial<Program> = {}): Program => ({
  decides: 'SERVICE',
  brand: 'VISA',
  fundingCurrencies: ['USD', 'USDB'],
  cardCapabilities: EVERY_CAPABILITY,
  supportsPin: true,
  ...terms,
});
const WITH_PASSWORD = { ...EVERY_CAPABILITY, supports3dSecurePassword: true };

/** The programs as their summaries describe them. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  service_full: program(),
  service_3ds: program({ cardCapabilities: WITH_PASSWORD }),
  issuer_decided: program({
    decides: 'ISSUER',
    brand: 'MASTERCARD',
    // "Program decided by the issuer: supportsSpendLimitsAtIssuance false, limits only by PATCH."
    cardCapabilities: { ...EVERY_CAPABILITY, supportsSpendLimitsAtIssuance: false, supportsTransactionCountLimit: false },
    supportsPin: false,
  }),
  service_no_spend_limits: program({
    cardCapabilities: { ...EVERY_CAPABILITY, supportsSpendLimits: false, supportsSpendLimitsAtIssuance: false },
  }),
  service_basic: program({
    fundingCurrencies: ['USD'],
    cardCapabilities: Object.fromEntries(Object.keys(EVERY_CAPABILITY).map((name) => [name, false])) as typeof EVERY_CAPABILITY,
    supportsPin: false,
  }),
  sandbox_issuer_rejects: program({ issuer: 'rejects' }),
  sandbox_issuer_slow: program({ issuer: 'slow' }),
  sandbox_issuer_refuses: program({ cardCapabilities: WITH_PASSWORD, issuer: 'refuses' }),
  sandbox_issuer_silent: program({ cardCapabilities: WITH_PASSWORD, issuer: 'silent' }),
};
/** Chosen more often, because most operations are refused for cards of the others. */
export const USUAL = ['service_full', 'service_3ds', 'service_no_spend_limits'];
