// New platforms, changes of their configuration, and which token may be deleted.
// A PATCH merges: absent members stay, `null` clears a member where that is allowed.
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { isJsonObject, type JsonObject } from '../../../kernel/json.js';
import { isCurrency } from '../../../kernel/money.js';
import { isUmaDomain } from '../../../kernel/uma-address.js';
import type { ApiToken, CardConfigs, CurrencyConfig, FeeConfig, Mode, Platform, PlatformConfig } from './platform.js';

// ---- platforms

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

export type NewPlatform = { readonly name: string; readonly mode: Mode; readonly counterpartyRules: boolean; readonly now: Date };

export const newPlatform = (id: PlatformId, { name, mode, counterpartyRules, now }: NewPlatform): Platform => ({
  id,
  name,
  mode,
  counterpartyRules,
  maxLiveCards: null,
  maxCardsPerCardholder: null,
  cardProgram: 'service_full',
  ruleBasedAccounts: true,
  endUserTermsRequired: false,
  scaOrigins: null,
  config: {
    umaDomain: `${uuidOf(id).slice(-12)}.uma.localhost`,
    supportedCurrencies: ['USD', 'USDB'].map(currencyConfig),
    isRegulatedFinancialInstitution: false,
  },
  webhookEndpoint: null,
  createdAt: now,
  updatedAt: now,
});

/** `endpointProblem`: why no event could ever be delivered to the new endpoint. */
export type ChangeFacts = { readonly endpointProblem: string | undefined; readonly now: Date };

export const changePlatform = (platform: Platform, patch: ConfigPatch, { endpointProblem, now }: ChangeFacts): Platform => ({
  ...platform,
  config: changeConfig(platform.config, patch, endpointProblem),
  webhookEndpoint: patch.webhookEndpoint ?? platform.webhookEndpoint,
  updatedAt: now,
});

function changeConfig(config: PlatformConfig, patch: ConfigPatch, endpointProblem: string | undefined): PlatformConfig {
  const problems = [...currencyProblems(patch), ...feeProblems(patch), ...domainProblems(patch), ...endpointProblems(endpointProblem)];
  if (problems.length > 0) throw invalid(...problems);
  for (const fee of patch.feeConfigs ?? []) refuseUnsupportedFee(fee);
  const { webhookEndpoint: _notInConfig, ...rest } = patch;
  return {
    ...config,
    ...rest,
    ...(patch.supportedCurrencies && { supportedCurrencies: patch.supportedCurrencies.map(toCurrencyConfig) }),
    ...(patch.embeddedWalletConfig ? { embeddedWalletConfig: { ...config.embeddedWalletConfig, ...patch.embeddedWalletConfig } } : {}),
    ...(patch.cardTokenization2faConfig
      ? { cardTokenization2faConfig: merge(config.cardTokenization2faConfig ?? {}, patch.cardTokenization2faConfig) }
      : {}),
    ...(patch.cardConfigs ? { cardConfigs: withoutNulls({ ...config.cardConfigs, ...patch.cardConfigs }) } : {}),
    ...(patch.feeConfigs ? { feeConfigs: upsertFees(config.feeConfigs ?? [], patch.feeConfigs) } : {}),
  };
}

/** The members that a caller sets. The read-only ones are accepted, so that a configuration can be sent back as it was read, and not stored. */
const toCurrencyConfig = (currency: CurrencyConfig): CurrencyConfig => ({
  currencyCode: currency.currencyCode,
  minAmount: currency.minAmount,
  maxAmount: currency.maxAmount,
  requiredCounterpartyFields: currency.requiredCounterpartyFields,
  enabledTransactionTypes: currency.enabledTransactionTypes,
});

const withoutNulls = ({
  maxSpendPerTransaction,
  maxSpendPerDay,
  maxTransactionsPerDay,
  pinTargetOrigin,
  panRevealCssUrl,
}: CardConfigs): CardConfigs => ({
  ...(maxSpendPerTransaction != null && { maxSpendPerTransaction }),
  ...(maxSpendPerDay != null && { maxSpendPerDay }),
  ...(maxTransactionsPerDay != null && { maxTransactionsPerDay }),
  ...(pinTargetOrigin != null && { pinTargetOrigin }),
  ...(panRevealCssUrl != null && { panRevealCssUrl }),
});

/** Nested objects merge member by member. */
function merge(base: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    const before = base[name];
    merged[name] = isJsonObject(value) && isJsonObject(before) ? merge(before, value) : value;
  }
  return merged;
}

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
  feeConfigs.flatMap(({ fixedFee, sourceCurrency = fixedFee.currency }, i) => {
    const field = `feeConfigs.${i}.fixedFee.currency`;
    if (!isCurrency(fixedFee.currency)) return [{ field, message: 'is not a supported currency' }];
    // Fees are charged in the currency that is sent.
    return fixedFee.currency === sourceCurrency ? [] : [{ field, message: 'must be the source currency' }];
  });

const domainProblems = ({ umaDomain }: ConfigPatch): FieldError[] =>
  umaDomain === undefined || isUmaDomain(umaDomain)
    ? []
    : [{ field: 'umaDomain', message: 'must be a domain name, whose last label is not a number' }];

const endpointProblems = (problem: string | undefined): FieldError[] =>
  problem === undefined ? [] : [{ field: 'webhookEndpoint', constraint: { format: 'uri' }, message: problem }];

const FEE_RAILS = new Set(['ACH', 'ACH_SAME_DAY', 'RTP', 'FEDNOW', 'WIRE']);

/** Fees are accepted for USD sources and for outgoing US rails. The fixed part of a rail's fee names its source. */
function refuseUnsupportedFee(fee: FeeConfig): void {
  const supported =
    fee.feeType === 'RAIL'
      ? FEE_RAILS.has(fee.rail ?? '') && fee.direction === 'OUT' && fee.fixedFee.currency === 'USD'
      : fee.sourceCurrency === 'USD';
  if (!supported) throw new ApiError('NOT_IMPLEMENTED', { feeType: fee.feeType });
}

const feeKey = (fee: FeeConfig): string => [fee.feeType, fee.sourceCurrency, fee.rail, fee.direction, fee.originator].join(' ');
const isOff = (fee: FeeConfig): boolean => fee.variableFeeBps === 0 && fee.fixedFee.amount === 0;

/** A fee replaces the fee with the same key. A fee of zero removes it. */
function upsertFees(fees: readonly FeeConfig[], patch: readonly FeeConfig[]): FeeConfig[] {
  const byKey = new Map(fees.map((fee) => [feeKey(fee), fee]));
  for (const fee of patch) {
    if (isOff(fee)) byKey.delete(feeKey(fee));
    else byKey.set(feeKey(fee), fee);
  }
  return [...byKey.values()];
}

// ---- tokens

/** For a repeat of the request that made the token: its secret was shown to the first. */
export const tokenExists = ({ id }: ApiToken): ApiError =>
  new ApiError(
    'CONFLICT',
    { cause: 'TOKEN_ALREADY_CREATED', tokenId: id },
    { reason: 'The request was carried out before, and the secret of its token is shown only once. Delete the token and create another.' },
  );

/** A platform always keeps a usable token with MANAGE, or nobody could administer it. `tokens` are locked. */
export function findDeletableToken(tokens: readonly ApiToken[], id: TokenId | undefined, now: Date): ApiToken {
  const token = tokens.find((candidate) => candidate.id === id);
  if (!token) throw new ApiError('TOKEN_NOT_FOUND');
  const othersManage = tokens.some(
    (other) => other.id !== token.id && other.permissions.includes('MANAGE') && (!other.expiresAt || other.expiresAt > now),
  );
  if (!othersManage)
    throw new ApiError('INVALID_INPUT', { cause: 'LAST_MANAGE_TOKEN' }, { reason: 'The last token with MANAGE cannot be deleted.' });
  return token;
}
