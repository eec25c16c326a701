// How a configuration changes. A PATCH merges; what is absent stays, `null` clears where clearing is allowed.
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { isCurrency } from '../../../kernel/money.js';
import type { CurrencyConfig, FeeConfig, Mode, PlatformConfig } from './platform.js';

export type ConfigPatch = {
  readonly webhookEndpoint?: string;
} & Partial<Omit<PlatformConfig, 'isRegulatedFinancialInstitution'>>;

export const currencyConfig = (currencyCode: string): CurrencyConfig => ({
  currencyCode,
  minAmount: 1,
  maxAmount: 100_000_000_000,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
});

/** What a new platform starts with. */
export const initialConfig = (umaDomain: string): PlatformConfig => ({
  umaDomain,
  supportedCurrencies: ['USD', 'USDB'].map(currencyConfig),
  isRegulatedFinancialInstitution: false,
});

export function changeConfig(config: PlatformConfig, patch: ConfigPatch, mode: Mode): PlatformConfig {
  const problems = [...currencyProblems(patch), ...feeProblems(patch), ...endpointProblems(patch.webhookEndpoint, mode)];
  if (problems.length > 0) throw invalid(...problems);
  for (const fee of patch.feeConfigs ?? []) refuseUnsupportedFee(fee);
  const { webhookEndpoint: _separate, ...rest } = patch;
  return {
    ...config,
    ...rest,
    ...(patch.supportedCurrencies && { supportedCurrencies: patch.supportedCurrencies.map(withoutReadOnly) }),
    ...(patch.embeddedWalletConfig ? { embeddedWalletConfig: { ...config.embeddedWalletConfig, ...patch.embeddedWalletConfig } } : {}),
    ...(patch.cardTokenization2faConfig
      ? { cardTokenization2faConfig: merge(config.cardTokenization2faConfig ?? {}, patch.cardTokenization2faConfig) }
      : {}),
    ...(patch.cardConfigs ? { cardConfigs: withoutNulls({ ...config.cardConfigs, ...patch.cardConfigs }) } : {}),
    ...(patch.feeConfigs ? { feeConfigs: upsertFees(config.feeConfigs ?? [], patch.feeConfigs) } : {}),
  };
}

/** What a provider requires is shown and not set: sending back what was read changes nothing. */
const withoutReadOnly = (currency: CurrencyConfig): CurrencyConfig =>
  Object.fromEntries(Object.entries(currency).filter(([name]) => !name.startsWith('providerRequired'))) as CurrencyConfig;

const withoutNulls = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T;

/** Nested objects merge member by member. */
function merge(base: Readonly<Record<string, unknown>>, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    const before = base[name];
    merged[name] = isRecord(value) && isRecord(before) ? merge(before, value) : value;
  }
  return merged;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function currencyProblems({ supportedCurrencies = [] }: ConfigPatch): FieldError[] {
  const problems: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { currencyCode, minAmount, maxAmount }] of supportedCurrencies.entries()) {
    const at = `supportedCurrencies.${i}`;
    if (!isCurrency(currencyCode)) problems.push({ field: `${at}.currencyCode`, message: 'is not a supported currency' });
    if (seen.has(currencyCode)) problems.push({ field: `${at}.currencyCode`, message: 'is listed twice' });
    if (minAmount > maxAmount) problems.push({ field: `${at}.minAmount`, message: 'must not exceed maxAmount' });
    seen.add(currencyCode);
  }
  return problems;
}

const feeProblems = ({ feeConfigs = [] }: ConfigPatch): FieldError[] =>
  feeConfigs.flatMap(({ fixedFee }, i) =>
    isCurrency(fixedFee.currency) ? [] : [{ field: `feeConfigs.${i}.fixedFee.currency`, message: 'is not a supported currency' }],
  );

function endpointProblems(endpoint: string | undefined, mode: Mode): FieldError[] {
  if (endpoint === undefined) return [];
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const schemes = mode === 'live' ? ['https:'] : ['https:', 'http:'];
  if (!url || !schemes.includes(url.protocol)) {
    return [
      {
        field: 'webhookEndpoint',
        constraint: { format: 'uri' },
        message: `must be an ${schemes.map((s) => s.slice(0, -1)).join(' or ')} URL`,
      },
    ];
  }
  if (url.username || url.password) return [{ field: 'webhookEndpoint', message: 'must not hold credentials' }];
  return [];
}

const FEE_RAILS = new Set(['ACH', 'ACH_SAME_DAY', 'RTP', 'FEDNOW', 'WIRE']);

/** Fees are accepted for USD sources and for outgoing US rails. */
function refuseUnsupportedFee(fee: FeeConfig): void {
  const supported = fee.feeType === 'RAIL' ? FEE_RAILS.has(fee.rail ?? '') && fee.direction === 'OUT' : fee.sourceCurrency === 'USD';
  if (!supported) throw new ApiError('NOT_IMPLEMENTED', { feeType: fee.feeType });
}

const feeKey = (fee: FeeConfig): string => [fee.feeType, fee.sourceCurrency, fee.rail, fee.direction, fee.originator].join(' ');
const isOff = (fee: FeeConfig): boolean => fee.variableFeeBps === 0 && fee.fixedFee.amount === 0;

/** A fee replaces the one with its key; a fee of nothing switches it off. */
function upsertFees(fees: readonly FeeConfig[], patch: readonly FeeConfig[]): FeeConfig[] {
  const byKey = new Map(fees.map((fee) => [feeKey(fee), fee]));
  for (const fee of patch) {
    if (isOff(fee)) byKey.delete(feeKey(fee));
    else byKey.set(feeKey(fee), fee);
  }
  return [...byKey.values()];
}
