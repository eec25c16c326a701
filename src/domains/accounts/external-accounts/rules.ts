// What may become of an external account. Tables and pure functions; ids, nonces and the time are given.
import { createHash } from 'node:crypto';
import { ApiError, assert, type FieldError, invalid } from '../../../kernel/errors.js';
import type { ExternalAccountId, Id } from '../../../kernel/ids.js';
import { canonicalJson } from '../../../kernel/json.js';
import { isCurrency } from '../../../kernel/money.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import { findProblems } from './account-info.js';
import { ACCOUNT_TYPES, walletTypeOf } from './account-types.js';
import { decodeBitcoinAddress } from './addresses.js';
import type {
  AccountField,
  AccountInfo,
  AccountType,
  BeneficiaryCheck,
  ExternalAccount,
  ExternalAccountStatus,
  NewExternalAccount,
  OwnershipChallenge,
  OwnershipMethod,
  OwnershipProof,
  WalletAccountType,
} from './external-account.js';
import type { BitcoinScheme } from './signatures/bitcoin.js';
import type { Verdict } from './signatures/verdict.js';
import { type OwnershipClaim, schemeOf } from './signatures/verify-ownership.js';

// ---- the life of an account

type StatusEvent = 'NAME_CHECKED' | 'CHALLENGED' | 'OWNERSHIP_SHOWN' | 'OWNERSHIP_NOT_SHOWN';

/** Status and event give the next status. What is not drawn does not happen. */
export const TRANSITIONS: { readonly [from in ExternalAccountStatus]: { readonly [event in StatusEvent]?: ExternalAccountStatus } } = {
  PENDING: { NAME_CHECKED: 'ACTIVE' },
  ACTIVE: {},
  PENDING_OWNERSHIP_VERIFICATION: {
    CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION',
    OWNERSHIP_SHOWN: 'ACTIVE',
    OWNERSHIP_NOT_SHOWN: 'UNVERIFIED',
  },
  UNVERIFIED: { CHALLENGED: 'PENDING_OWNERSHIP_VERIFICATION' },
  UNDER_REVIEW: {},
  INACTIVE: {},
};

function moved(account: ExternalAccount, event: StatusEvent, now: Date): ExternalAccount {
  const status = TRANSITIONS[account.status][event];
  assert(status, `${event} can happen to an account that is ${account.status}`);
  return status === account.status ? account : { ...account, status, updatedAt: now };
}

// ---- opening

export type OpeningFacts = {
  readonly id: ExternalAccountId;
  readonly request: NewExternalAccount;
  /** The customer named is one of the platform's, or none was to be named. */
  readonly isOwnerKnown: boolean;
  readonly counterpartyRules: boolean;
  readonly isSandbox: boolean;
  readonly now: Date;
};

/** A new account, or a 400 that names every field that stands in its way. */
export function openAccount({ id, request, isOwnerKnown, counterpartyRules, isSandbox, now }: OpeningFacts): ExternalAccount {
  const problems = [
    ...(isOwnerKnown ? [] : [{ field: 'customerId', message: 'is not a customer of this platform' }]),
    ...wrongCurrency(request),
    ...findProblems(request.accountInfo),
    ...(counterpartyRules ? missingCounterparty(request) : []),
  ];
  if (problems.length > 0) throw invalid(...problems);

  const beneficiaryCheck = checkBeneficiary(request.accountInfo, isSandbox, now);
  const status = counterpartyRules && canShowOwnership(request) ? 'PENDING_OWNERSHIP_VERIFICATION' : statusAfter(beneficiaryCheck);
  return { ...request, id, status, beneficiaryCheck, isTrusted: false, challenge: undefined, createdAt: now, updatedAt: now };
}

const statusAfter = (check: BeneficiaryCheck | undefined): ExternalAccountStatus => (check?.status === 'PENDING' ? 'PENDING' : 'ACTIVE');

function wrongCurrency({ currency, accountInfo }: NewExternalAccount): FieldError[] {
  const own = ACCOUNT_TYPES[accountInfo.accountType].currency;
  if (own !== undefined && currency !== own) {
    return [{ field: 'currency', constraint: { enum: [own] }, message: `must be ${own} for ${accountInfo.accountType}` }];
  }
  return isCurrency(currency) ? [] : [{ field: 'currency', message: 'is not a supported currency' }];
}

/** "vaspName present = held at a custodian; ownership check then does not apply." */
const isSelfCustodyWallet = ({ accountType, vaspName }: AccountInfo): boolean =>
  walletTypeOf(accountType) !== undefined && vaspName === undefined;

const canShowOwnership = ({ accountInfo, ownershipType }: NewExternalAccount): boolean =>
  isSelfCustodyWallet(accountInfo) && ownershipType === 'FIRST_PARTY';

/** "Required when creating self-custody crypto wallet external accounts on platforms subject to counterparty requirements." */
function missingCounterparty({ accountInfo, ownershipType }: NewExternalAccount): FieldError[] {
  if (!isSelfCustodyWallet(accountInfo)) return [];
  if (ownershipType === undefined) return [{ field: 'ownershipType', message: 'is required for a self-custody wallet' }];
  if (ownershipType === 'THIRD_PARTY' && accountInfo.beneficiary === undefined) {
    return [{ field: 'accountInfo.beneficiary', message: 'is required when the wallet belongs to somebody else' }];
  }
  return [];
}

// ---- the beneficiary's name

/** The last three characters of the account's identifier choose what the sandbox's bank answers; anything else matches. */
const SANDBOX_ANSWERS: Readonly<Record<string, BeneficiaryCheck['status'] | 'REFUSED'>> = {
  102: 'NOT_MATCHED',
  103: 'PARTIAL_MATCH',
  104: 'PENDING',
  105: 'REFUSED',
  106: 'UNSUPPORTED',
  107: 'CHECKED_BY_RECEIVING_FI',
};

/** Fields by which a bank finds the account, the most telling first. */
const BANK_IDENTIFIERS: readonly AccountField[] = ['iban', 'accountNumber', 'clabeNumber', 'pixKey', 'vpa', 'phoneNumber'];
const SANDBOX_CHECK_MS = MINUTE_MS / 2;

/** Without a sandbox there is no rail connected that could check a name. */
export function checkBeneficiary(info: AccountInfo, isSandbox: boolean, now: Date): BeneficiaryCheck | undefined {
  if (ACCOUNT_TYPES[info.accountType].kind !== 'BANK') return undefined;
  if (!isSandbox) return { status: 'UNSUPPORTED' };
  const identifier = BANK_IDENTIFIERS.map((name) => info[name]).find((value) => value !== undefined) ?? '';
  const status = SANDBOX_ANSWERS[identifier.split('@')[0]!.slice(-3)] ?? 'MATCHED';
  if (status === 'REFUSED') throw new ApiError('INVALID_BANK_ACCOUNT');
  if (status === 'PENDING') return { status, dueAt: plusMs(now, SANDBOX_CHECK_MS) };
  return nameAnswer(info, status);
}

/** A match shows the name as the bank holds it; a near match shows that the bank holds another spelling. */
function nameAnswer({ beneficiary }: AccountInfo, status: BeneficiaryCheck['status']): BeneficiaryCheck {
  const name = beneficiary?.fullName ?? beneficiary?.legalName ?? '';
  if (status === 'MATCHED') return { status, verifiedName: name };
  if (status === 'PARTIAL_MATCH') return { status, verifiedName: name.replace(/^(\S)\S*/u, '$1.') };
  return { status };
}

/** The rail has answered a check that was under way. */
export function finishNameCheck(account: ExternalAccount, now: Date): ExternalAccount {
  return moved({ ...account, beneficiaryCheck: nameAnswer(account.accountInfo, 'MATCHED') }, 'NAME_CHECKED', now);
}

// ---- equivalence

const IDENTIFYING: readonly AccountField[] = [
  'accountNumber',
  'address',
  'bankCode',
  'bolt12',
  'branchCode',
  'clabeNumber',
  'ifsc',
  'invoice',
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
/** Where none of these names the bank, its name is part of the identity. */
const BANK_CODES: readonly AccountField[] = ['bankCode', 'ifsc', 'routingNumber', 'sortCode', 'swiftCode'];

/** Base58 (Solana, Tron, the older forms of Bitcoin) knows upper and lower case; hex and bech32 are the same in both. */
const isCaseSensitive = (accountType: AccountType, address: string): boolean =>
  accountType === 'SOLANA_WALLET' || accountType === 'TRON_WALLET' || (accountType === 'SPARK_WALLET' && /^[13]/.test(address));

/** What a type can do without only describes the account, unless money may come that way; beside an account number a phone is for calling. */
function tellsApart({ accountType, accountNumber }: AccountInfo, name: AccountField): boolean {
  const type = ACCOUNT_TYPES[accountType];
  if (name === 'phoneNumber' && accountNumber !== undefined) return false;
  if (type.kind !== 'BANK' || !type.fields[name]?.isOptional) return true;
  return type.ways.some((way) => way.by === name || way.with?.includes(name));
}

/** A hash that is equal for two requests that name the same account in the same currency. */
export function identityOf({ accountInfo: info, currency }: NewExternalAccount): Buffer {
  const telling = Object.fromEntries(IDENTIFYING.map((name) => [name, tellsApart(info, name) ? info[name] : undefined]));
  const bankName = BANK_CODES.some((name) => telling[name] !== undefined) ? undefined : info.bankName?.toLowerCase();
  // A BIC of eight letters is that of the head office, which may also be written with XXX.
  const swiftCode = telling['swiftCode']?.replace(/^(.{8})XXX$/, '$1');
  const address = info.address && (isCaseSensitive(info.accountType, info.address) ? info.address : info.address.toLowerCase());
  // Both are bech32, which QR codes carry in upper case.
  const lightning = { invoice: info.invoice?.toLowerCase(), bolt12: info.bolt12?.toLowerCase() };
  const named = info.iban === undefined ? { ...telling, ...lightning, swiftCode, address, bankName } : { iban: info.iban.toUpperCase() };
  const accountType = info.accountType === 'LIGHTNING_ACCOUNT' ? 'LIGHTNING' : info.accountType;
  return createHash('sha256')
    .update(canonicalJson({ accountType, currency, ...named }))
    .digest();
}

// ---- ownership

const CHALLENGE_MS = 15 * MINUTE_MS;

export type ChallengeFacts = {
  readonly account: ExternalAccount;
  readonly method: OwnershipMethod;
  /** 128 bits nobody could know before: made for this challenge alone. */
  readonly nonce: string;
  readonly now: Date;
};

/** A new challenge drops any other; an `UNVERIFIED` account gets another chance. */
export function startChallenge({
  account,
  method,
  nonce,
  now,
}: ChallengeFacts): ExternalAccount & { readonly challenge: OwnershipChallenge } {
  const refusal = refuseChallenge(account);
  if (refusal) throw new ApiError('CONFLICT', { cause: refusal.cause }, { reason: refusal.reason });
  const times = { createdAt: now, expiresAt: plusMs(now, CHALLENGE_MS) };
  const challenge: OwnershipChallenge =
    method === 'WALLET_SIGNATURE'
      ? { ...times, method, messageToSign: messageToSign(account, nonce, times.expiresAt) }
      : { ...times, method, verificationLink: `https://liveness.sandbox.example/checks/${nonce}` };
  return { ...moved(account, 'CHALLENGED', now), challenge };
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
 * One line of printable ASCII, so that no wallet rewrites it. It names everything the proof is for, which keeps it from being
 * used elsewhere: the same key signs on every EVM chain. The address was fixed before the nonce was made; the other way round
 * anyone could pick a signature first and then an address that fits it.
 */
function messageToSign({ id, accountInfo }: ExternalAccount, nonce: string, expiresAt: Date): string {
  const { chain, address } = walletOf(accountInfo);
  return (
    `Switchyard: I control the ${chain} address ${address} of ${id}. ` +
    `This proves ownership and moves no funds. Nonce: ${nonce}. Expires: ${expiresAt.toISOString()}`
  );
}

/** `SPARK_WALLET` is the Bitcoin-family type: its address may be a plain Bitcoin one. */
function walletOf({ accountType, address }: AccountInfo): { chain: string; address: string } {
  const type = walletTypeOf(accountType);
  assert(type && address !== undefined, 'only wallets are challenged');
  const isBitcoin = accountType === 'SPARK_WALLET' && decodeBitcoinAddress(address)?.kind !== 'SPARK';
  return { chain: isBitcoin ? 'Bitcoin' : type.chain, address };
}

export type Submission = { readonly signature: string; readonly signatureScheme: BitcoinScheme };

export type AnswerFacts = {
  readonly account: ExternalAccount;
  readonly proofId: Id<'OwnershipProof'>;
  readonly software: string;
  readonly now: Date;
};

export type AnsweredChallenge = { readonly account: ExternalAccount; readonly proof: OwnershipProof };

/** What has to be checked before the answer is judged: nothing where no signature is asked for, or when it comes too late. */
export function claimOf({ accountInfo, challenge }: ExternalAccount, submission: Submission, now: Date): OwnershipClaim | undefined {
  if (challenge?.method !== 'WALLET_SIGNATURE' || now >= challenge.expiresAt) return undefined;
  return {
    accountType: accountInfo.accountType as WalletAccountType,
    address: walletOf(accountInfo).address,
    message: challenge.messageToSign,
    signature: submission.signature,
    scheme: submission.signatureScheme,
  };
}

/**
 * "The signature must be submitted before the challenge's `expiresAt`": at that moment it is too late. One attempt per challenge.
 * `checked` is what the check of the claim found.
 */
export function answerWithSignature(
  facts: AnswerFacts & { readonly submission: Submission; readonly checked: Verdict | undefined },
): AnsweredChallenge {
  const { account, submission, checked, now } = facts;
  const { challenge } = account;
  if (challenge?.method !== 'WALLET_SIGNATURE') throw noChallenge('WALLET_SIGNATURE');
  const scheme = schemeOf(account.accountInfo.accountType as WalletAccountType, submission.signatureScheme);
  const evidence = { message: challenge.messageToSign, signature: submission.signature, scheme };
  if (now >= challenge.expiresAt) return answered(facts, challenge, { ...evidence, verdict: 'EXPIRED' });
  assert(checked, 'a signature that came in time was checked');
  return answered(
    facts,
    challenge,
    checked.valid ? { ...evidence, verdict: 'VALID' } : { ...evidence, verdict: 'INVALID', cause: checked.cause },
  );
}

/** The vendor's word on a liveness check. A word that comes too late does not count. */
export function answerWithLiveness(facts: AnswerFacts & { readonly outcome: 'PASS' | 'FAIL' }): AnsweredChallenge {
  const { outcome, now } = facts;
  const { challenge } = facts.account;
  if (challenge?.method !== 'LIVENESS') throw noChallenge('LIVENESS');
  if (now >= challenge.expiresAt) return answered(facts, challenge, { verdict: 'EXPIRED' });
  return answered(facts, challenge, outcome === 'PASS' ? { verdict: 'VALID' } : { verdict: 'INVALID', cause: 'LIVENESS_FAILED' });
}

const noChallenge = (method: OwnershipMethod): ApiError =>
  new ApiError('CONFLICT', undefined, { reason: `No ${method} challenge is outstanding for this account.` });

type Finding = Pick<OwnershipProof, 'verdict'> & Partial<Pick<OwnershipProof, 'cause' | 'scheme' | 'signature' | 'message'>>;

function answered({ account, proofId, software, now }: AnswerFacts, challenge: OwnershipChallenge, finding: Finding): AnsweredChallenge {
  const proof: OwnershipProof = {
    id: proofId,
    accountId: account.id,
    method: challenge.method,
    ...walletOf(account.accountInfo),
    message: finding.message,
    signature: finding.signature,
    scheme: finding.scheme,
    verdict: finding.verdict,
    cause: finding.cause,
    challengedAt: challenge.createdAt,
    expiresAt: challenge.expiresAt,
    decidedAt: now,
    software,
  };
  const event = proof.verdict === 'VALID' ? 'OWNERSHIP_SHOWN' : 'OWNERSHIP_NOT_SHOWN';
  return { account: { ...moved(account, event, now), challenge: undefined }, proof };
}

/** What the caller of verify hears: nothing when the proof holds, and of a failure only its kind. */
export function refusalOf({ verdict }: OwnershipProof): ApiError | undefined {
  if (verdict === 'VALID') return undefined;
  return verdict === 'EXPIRED'
    ? new ApiError('INVALID_INPUT', { cause: 'CHALLENGE_EXPIRED' }, { reason: 'The challenge has expired.' })
    : new ApiError('INVALID_INPUT', { cause: 'SIGNATURE_INVALID' }, { reason: 'The signature does not prove ownership of the wallet.' });
}
