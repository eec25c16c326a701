// Rules of external accounts: status changes, opening, equivalence, ownership challenges. Pure; ids, nonces and the time are given.
import { createHash } from 'node:crypto';
import { ApiError, assert, type FieldError, invalid } from '../../../kernel/errors.js';
import type { ExternalAccountId, Id } from '../../../kernel/ids.js';
import { canonicalJson } from '../../../kernel/json.js';
import { isCurrency } from '../../../kernel/money.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import { findProblems, isCheckDigitProblem } from './account-info.js';
import { ACCOUNT_TYPES, chainOf, isWalletType } from './account-types.js';
import type {
  AccountField,
  AccountInfo,
  AccountType,
  BeneficiaryCheck,
  ExternalAccount,
  ExternalAccountStatus,
  NewExternalAccount,
  OwnerScope,
  OwnershipChallenge,
  OwnershipMethod,
  OwnershipProof,
  WalletAccountType,
} from './external-account.js';
import type { BitcoinScheme } from './signatures/bitcoin.js';
import type { Verdict } from './signatures/verdict.js';
import { type OwnershipClaim, schemeOf } from './signatures/verify-ownership.js';

// ---- status

type StatusEvent = 'NAME_CHECKED' | 'CHALLENGED' | 'OWNERSHIP_PROVED' | 'OWNERSHIP_NOT_PROVED';

/** Current status and event give the next status. A transition that is not listed is impossible. */
export const TRANSITIONS: { readonly [from in ExternalAccountStatus]: { readonly [event in StatusEvent]?: ExternalAccountStatus } } = {
  PENDING: { NAME_CHECKED: 'ACTIVE' },
  ACTIVE: {},
  PENDING_OWNERSHIP_VERIFICATION: {
    CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION',
    OWNERSHIP_PROVED: 'ACTIVE',
    OWNERSHIP_NOT_PROVED: 'UNVERIFIED',
  },
  UNVERIFIED: { CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION' },
  UNDER_REVIEW: {},
  INACTIVE: {},
};

function transition(account: ExternalAccount, event: StatusEvent, now: Date): ExternalAccount {
  const status = TRANSITIONS[account.status][event];
  assert(status, `${event} can happen to an account that is ${account.status}`);
  return status === account.status ? account : { ...account, status, updatedAt: now };
}

/** The operations of one kind of owner do not see accounts of the other, unless their scope is `ANY`. */
export const isInScope = ({ customerId }: ExternalAccount, scope: OwnerScope | 'ANY'): boolean =>
  scope === 'ANY' || (customerId === undefined) === (scope === 'PLATFORM');

export function refuseTrusted({ isTrusted }: ExternalAccount): void {
  if (isTrusted) throw new ApiError('BENEFICIARY_TRUSTED');
}

// ---- opening
export type OpeningFacts = {
  readonly id: ExternalAccountId;
  readonly request: NewExternalAccount;
  readonly ownerScope: OwnerScope;
  /** The named customer belongs to the platform, or the account is the platform's own. */
  readonly isOwnerKnown: boolean;
  readonly counterpartyRules: boolean;
  readonly isSandbox: boolean;
  readonly now: Date;
};

/** A new account, or a 400 that names every wrong field. */
export function openAccount({ id, request, ownerScope, isOwnerKnown, counterpartyRules, isSandbox, now }: OpeningFacts): ExternalAccount {
  const problems = [
    ...(isOwnerKnown ? [] : [{ field: 'customerId', message: 'is not a customer of this platform' }]),
    ...(ownerScope === 'PLATFORM' ? wrongDefault(request) : []),
    ...wrongCurrency(request),
    ...findProblems(request.accountInfo).filter((problem) => !isSandbox || !isCheckDigitProblem(request.accountInfo, problem)),
    ...(counterpartyRules ? missingCounterparty(request) : []),
  ];
  if (problems.length > 0) throw invalid(...problems);

  const beneficiaryCheck = checkBeneficiary(request.accountInfo, isSandbox, now);
  const status = counterpartyRules && needsOwnershipProof(request) ? 'PENDING_OWNERSHIP_VERIFICATION' : statusAfter(beneficiaryCheck);
  return { ...request, id, status, beneficiaryCheck, isTrusted: false, challenge: undefined, createdAt: now, updatedAt: now };
}

/** What the sandbox took although live mode would refuse it. */
export const findWarnings = ({ accountInfo }: NewExternalAccount, isSandbox: boolean): FieldError[] =>
  isSandbox ? findProblems(accountInfo).filter((problem) => isCheckDigitProblem(accountInfo, problem)) : [];

const statusAfter = (check: BeneficiaryCheck | undefined): ExternalAccountStatus => (check?.status === 'PENDING' ? 'PENDING' : 'ACTIVE');

/** "Incoming UMA payments to the customer's UMA address are deposited here": the platform itself has no such address. */
const wrongDefault = ({ defaultUmaDepositAccount }: NewExternalAccount): FieldError[] =>
  defaultUmaDepositAccount ? [{ field: 'defaultUmaDepositAccount', message: 'is for accounts of customers only' }] : [];

function wrongCurrency({ currency, accountInfo }: NewExternalAccount): FieldError[] {
  const own = ACCOUNT_TYPES[accountInfo.accountType].currency;
  if (own !== undefined && currency !== own) {
    return [{ field: 'currency', constraint: { enum: [own] }, message: `must be ${own} for ${accountInfo.accountType}` }];
  }
  return isCurrency(currency) ? [] : [{ field: 'currency', message: 'is not a supported currency' }];
}

/** "vaspName present = held at a custodian; ownership check then does not apply." */
const isSelfCustodyWallet = ({ accountType, vaspName }: AccountInfo): boolean => isWalletType(accountType) && vaspName === undefined;

const needsOwnershipProof = ({ accountInfo, ownershipType }: NewExternalAccount): boolean =>
  isSelfCustodyWallet(accountInfo) && ownershipType === 'FIRST_PARTY';

/** "Required when creating self-custody crypto wallet external accounts on platforms subject to counterparty requirements." */
function missingCounterparty({ accountInfo, ownershipType }: NewExternalAccount): FieldError[] {
  if (!isSelfCustodyWallet(accountInfo)) return [];
  if (ownershipType === undefined) return [{ field: 'ownershipType', message: 'is required for a self-custody wallet' }];
  if (ownershipType === 'THIRD_PARTY' && accountInfo.beneficiary === undefined) {
    return [{ field: 'accountInfo.beneficiary', message: 'is required when the wallet belongs to a third party' }];
  }
  return [];
}

// ---- the beneficiary's name

/** In sandbox the last three characters of the account's identifier select the bank's answer. Any others match. */
const SANDBOX_ANSWERS: Readonly<Record<string, BeneficiaryCheck['status'] | 'REFUSED'>> = {
  102: 'NOT_MATCHED',
  103: 'PARTIAL_MATCH',
  104: 'PENDING',
  105: 'REFUSED',
  106: 'UNSUPPORTED',
  107: 'CHECKED_BY_RECEIVING_FI',
};

/** Fields that identify a bank account, the most specific first. */
const BANK_IDENTIFIERS: readonly AccountField[] = ['iban', 'accountNumber', 'clabeNumber', 'pixKey', 'vpa', 'phoneNumber'];
const WALLET_IDENTIFIERS: readonly AccountField[] = ['address', 'lightningAddress', 'invoice', 'bolt12'];
const SANDBOX_CHECK_MS = MINUTE_MS / 2;

/** What money is sent to: the bank identifier, wallet address or Lightning identifier. */
export const identifierOf = (info: AccountInfo): string =>
  [...BANK_IDENTIFIERS, ...WALLET_IDENTIFIERS].map((name) => info[name]).find((value) => value !== undefined) ?? '';

/** In live mode no rail is connected that could check a name. */
export function checkBeneficiary(info: AccountInfo, isSandbox: boolean, now: Date): BeneficiaryCheck | undefined {
  if (ACCOUNT_TYPES[info.accountType].kind !== 'BANK') return undefined;
  if (!isSandbox) return { status: 'UNSUPPORTED' };
  const status = SANDBOX_ANSWERS[identifierOf(info).split('@')[0]!.slice(-3)] ?? 'MATCHED';
  if (status === 'REFUSED') throw new ApiError('INVALID_BANK_ACCOUNT');
  if (status === 'PENDING') return { status, dueAt: plusMs(now, SANDBOX_CHECK_MS) };
  return nameAnswer(info, status);
}

/** A match returns the name that the bank holds. A partial match returns the bank's different spelling. */
function nameAnswer({ beneficiary }: AccountInfo, status: BeneficiaryCheck['status']): BeneficiaryCheck {
  const name = beneficiary?.fullName ?? beneficiary?.legalName ?? '';
  if (status === 'MATCHED') return { status, verifiedName: name };
  if (status === 'PARTIAL_MATCH') return { status, verifiedName: name.replace(/^(\S)\S*/u, '$1.') };
  return { status };
}

/** The rail has answered a pending check. */
export function finishNameCheck(account: ExternalAccount, now: Date): ExternalAccount {
  return transition({ ...account, beneficiaryCheck: nameAnswer(account.accountInfo, 'MATCHED') }, 'NAME_CHECKED', now);
}

// ---- equivalence

/** Besides the IBAN, addresses and Lightning identifiers, whose spellings differ. */
const IDENTIFYING_FIELDS: readonly AccountField[] = [
  'accountNumber',
  'bankCode',
  'branchCode',
  'clabeNumber',
  'ifsc',
  'lightningAddress',
  'phoneNumber',
  'pixKey',
  'provider',
  'region',
  'routingNumber',
  'sortCode',
  'swiftCode',
  'vpa',
];
/** If none of these identifies the bank, its name is part of the identity. */
const BANK_CODES: readonly AccountField[] = ['bankCode', 'ifsc', 'routingNumber', 'sortCode', 'swiftCode'];

/** Base58 (Solana, Tron, older Bitcoin addresses) is case-sensitive; hex and bech32 are not. */
const isCaseSensitive = (accountType: AccountType, address: string): boolean =>
  accountType === 'SOLANA_WALLET' || accountType === 'TRON_WALLET' || (accountType === 'SPARK_WALLET' && /^[13]/.test(address));

/**
 * Whether two accounts with different values in this field are different accounts. An optional field only describes an account, unless a
 * route uses it. A phone number given with an account number is for contact only.
 */
function isIdentifying({ accountType, accountNumber }: AccountInfo, name: AccountField): boolean {
  const type = ACCOUNT_TYPES[accountType];
  if (name === 'phoneNumber' && accountNumber !== undefined) return false;
  if (type.kind !== 'BANK' || !type.fields[name]?.isOptional) return true;
  return type.routes.some((route) => route.by === name || route.with?.includes(name));
}

/** A hash that is equal for two requests of the same account in the same currency. */
export function identityOf({ accountInfo: info, currency }: NewExternalAccount): Buffer {
  const fields = Object.fromEntries(IDENTIFYING_FIELDS.map((name) => [name, isIdentifying(info, name) ? info[name] : undefined]));
  const bankName = BANK_CODES.some((name) => fields[name] !== undefined) ? undefined : info.bankName?.toLowerCase();
  // A BIC of eight letters belongs to the head office, which is also written with the branch XXX.
  const swiftCode = fields['swiftCode']?.replace(/^(.{8})XXX$/, '$1');
  const address = info.address && (isCaseSensitive(info.accountType, info.address) ? info.address : info.address.toLowerCase());
  // Both are bech32, which QR codes carry in upper case.
  const lightning = { invoice: info.invoice?.toLowerCase(), bolt12: info.bolt12?.toLowerCase() };
  const identifiers =
    info.iban === undefined ? { ...fields, ...lightning, swiftCode, address, bankName } : { iban: info.iban.toUpperCase() };
  const accountType = info.accountType === 'LIGHTNING_ACCOUNT' ? 'LIGHTNING' : info.accountType;
  return createHash('sha256')
    .update(canonicalJson({ accountType, currency, ...identifiers }))
    .digest();
}

// ---- ownership

const CHALLENGE_MS = 15 * MINUTE_MS;

export type ChallengeFacts = {
  readonly account: ExternalAccount;
  readonly method: OwnershipMethod;
  /** 128 random bits, made for this challenge alone. */
  readonly nonce: string;
  /** Only the sandbox has a liveness vendor. */
  readonly hasLivenessVendor: boolean;
  readonly now: Date;
};

/** A new challenge replaces an open one. An `UNVERIFIED` account may be challenged again. */
export function startChallenge(facts: ChallengeFacts): ExternalAccount & { readonly challenge: OwnershipChallenge } {
  const { account, method, nonce, now } = facts;
  if (method === 'LIVENESS' && !facts.hasLivenessVendor) throw new ApiError('NOT_IMPLEMENTED');
  const refusal = refuseChallenge(account);
  if (refusal) throw new ApiError('CONFLICT', { cause: refusal.cause }, { reason: refusal.reason });
  const times = { createdAt: now, expiresAt: plusMs(now, CHALLENGE_MS) };
  const challenge: OwnershipChallenge =
    method === 'WALLET_SIGNATURE'
      ? { ...times, method, messageToSign: messageToSign(account, nonce, times.expiresAt) }
      : { ...times, method, checkId: nonce };
  return { ...transition(account, 'CHALLENGED', now), challenge };
}

function refuseChallenge(account: ExternalAccount): { cause: string; reason: string } | undefined {
  if (!isSelfCustodyWallet(account.accountInfo)) {
    return { cause: 'NOT_SELF_CUSTODY', reason: 'Only the ownership of a self-custody wallet can be verified.' };
  }
  if (account.ownershipType !== 'FIRST_PARTY') {
    return { cause: 'NOT_FIRST_PARTY', reason: "Only the customer's own wallet can be verified." };
  }
  return TRANSITIONS[account.status].CHALLENGED ? undefined : { cause: account.status, reason: `The account is ${account.status}.` };
}

/**
 * A single row of printable ASCII, so that no wallet rewrites it. It names chain, address and account, so that the signature cannot be
 * used for another account: the same key signs on every EVM chain. The address is fixed before the nonce is made. Otherwise anyone could
 * choose a signature first and derive an address that fits it.
 */
function messageToSign({ id, accountInfo }: ExternalAccount, nonce: string, expiresAt: Date): string {
  const { chain, address } = walletOf(accountInfo);
  return (
    `Switchyard: I control the ${chain} address ${address} of ${id}. ` +
    `This proves ownership and moves no funds. Nonce: ${nonce}. Expires: ${expiresAt.toISOString()}`
  );
}

type Wallet = { readonly accountType: WalletAccountType; readonly chain: string; readonly address: string };

/** `SPARK_WALLET` covers the Bitcoin family: its address may be a plain Bitcoin address. */
function walletOf({ accountType, address }: AccountInfo): Wallet {
  assert(isWalletType(accountType) && address !== undefined, 'only wallets are challenged');
  const isBitcoin = accountType === 'SPARK_WALLET' && !/^spark/i.test(address);
  return { accountType, chain: isBitcoin ? 'Bitcoin' : chainOf(accountType), address };
}

export type Submission = { readonly signature: string; readonly signatureScheme: BitcoinScheme };

export type AnswerFacts = {
  readonly account: ExternalAccount;
  readonly proofId: Id<'OwnershipProof'>;
  readonly software: string;
  readonly now: Date;
};

export type AnsweredChallenge = { readonly account: ExternalAccount; readonly proof: OwnershipProof };

/** The claim to verify before the answer is decided; none if no signature is expected or the challenge has expired. */
export function claimOf({ accountInfo, challenge }: ExternalAccount, submission: Submission, now: Date): OwnershipClaim | undefined {
  if (challenge?.method !== 'WALLET_SIGNATURE' || now >= challenge.expiresAt) return undefined;
  const { accountType, address } = walletOf(accountInfo);
  return {
    accountType,
    address,
    message: challenge.messageToSign,
    signature: submission.signature,
    scheme: submission.signatureScheme,
  };
}

/**
 * "The signature must be submitted before the challenge's `expiresAt`": at that moment it has expired. One attempt per challenge.
 * `checked` is the verdict on the claim.
 */
export function answerWithSignature(
  facts: AnswerFacts & { readonly submission: Submission; readonly checked: Verdict | undefined },
): AnsweredChallenge {
  const { account, submission, checked, now } = facts;
  const { challenge } = account;
  if (challenge?.method !== 'WALLET_SIGNATURE') throw noChallenge('WALLET_SIGNATURE');
  const scheme = schemeOf(walletOf(account.accountInfo).accountType, submission.signatureScheme);
  const evidence = { message: challenge.messageToSign, signature: submission.signature, scheme };
  if (now >= challenge.expiresAt) return answered(facts, challenge, { ...evidence, verdict: 'EXPIRED' });
  assert(checked, 'a signature submitted in time was checked');
  return answered(
    facts,
    challenge,
    checked.valid ? { ...evidence, verdict: 'VALID' } : { ...evidence, verdict: 'INVALID', cause: checked.cause },
  );
}

export type LivenessFacts = AnswerFacts & {
  readonly outcome: 'PASS' | 'FAIL';
  /** The check that the result is about; without it the open one. */
  readonly checkId?: string | undefined;
};

/** The vendor's result of a liveness check. A result after the expiry does not count. */
export function answerWithLiveness(facts: LivenessFacts): AnsweredChallenge {
  const { outcome, checkId, now } = facts;
  const { challenge } = facts.account;
  if (challenge?.method !== 'LIVENESS' || (checkId !== undefined && checkId !== challenge.checkId)) throw noChallenge('LIVENESS');
  if (now >= challenge.expiresAt) return answered(facts, challenge, { verdict: 'EXPIRED' });
  return answered(facts, challenge, outcome === 'PASS' ? { verdict: 'VALID' } : { verdict: 'INVALID', cause: 'LIVENESS_FAILED' });
}

const noChallenge = (method: OwnershipMethod): ApiError =>
  new ApiError('CONFLICT', undefined, { reason: `No ${method} challenge is outstanding for this account.` });

type ProofResult = Pick<OwnershipProof, 'verdict'> & Partial<Pick<OwnershipProof, 'cause' | 'scheme' | 'signature' | 'message'>>;

function answered({ account, proofId, software, now }: AnswerFacts, challenge: OwnershipChallenge, result: ProofResult): AnsweredChallenge {
  const { chain, address } = walletOf(account.accountInfo);
  const proof: OwnershipProof = {
    id: proofId,
    accountId: account.id,
    method: challenge.method,
    chain,
    address,
    message: result.message,
    signature: result.signature,
    scheme: result.scheme,
    verdict: result.verdict,
    cause: result.cause,
    challengedAt: challenge.createdAt,
    expiresAt: challenge.expiresAt,
    decidedAt: now,
    software,
  };
  const event = proof.verdict === 'VALID' ? 'OWNERSHIP_PROVED' : 'OWNERSHIP_NOT_PROVED';
  return { account: { ...transition(account, event, now), challenge: undefined }, proof };
}

/** The refusal of verify; none if the proof is valid. It does not reveal why a signature is invalid. */
export function refusalOf({ verdict }: OwnershipProof): ApiError | undefined {
  if (verdict === 'VALID') return undefined;
  return verdict === 'EXPIRED'
    ? new ApiError('INVALID_INPUT', { cause: 'CHALLENGE_EXPIRED' }, { reason: 'The challenge has expired.' })
    : new ApiError('INVALID_INPUT', { cause: 'SIGNATURE_INVALID' }, { reason: 'The signature does not prove ownership of the wallet.' });
}
