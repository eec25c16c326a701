// Credentials: what an end user proves to be the owner of an embedded wallet. Created, challenged, verified, revoked.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type InternalAccountId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Messenger } from '../../../providers/messages.js';
import { type OidcIssuers, type OidcProblem, type OidcToken, verifyOidcToken } from '../../../providers/oidc.js';
import { ACTIVITY_TYPES, type ActivityType, type Parameters } from '../../../providers/wallet-signer/activity.js';
import { otpTargetBundle } from '../../../providers/wallet-signer/envelope.js';
import { type P256KeyPair, sha256Hex } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { lockInternalAccount } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Mode, Platform } from '../../core/platform/platform.js';
import { getCustomer } from '../../identity/customers/actions.js';
import { endCredential } from './contact.js';
import type { AuthMethodId, Consented, Credential, CredentialType, OtpType, Proof, SigningChallenge } from './keys.js';
import { makeOtp, readOtp } from './otp.js';
import { type Assertion, type Attestation, verifyAssertion, verifyAttestation } from './passkey.js';
import {
  decideCreation,
  decideRevocation,
  FAILURES,
  isOtp,
  requireSameContact,
  requireType,
  SENDS,
  sameIdentity,
  signatureInvalid,
  takeTurn,
} from './rules.js';
import { type OpenedSession, openSession, parseClientKey } from './sessions.js';
import { askToSign, type Call, lockRequestOf, redeem, redeemLogin, toSign, withConsent } from './signed-retry.js';
import {
  deleteOtp,
  findOtp,
  getCredential,
  hasSessionOfAnother,
  insertCredential,
  isTaken,
  lockCredential,
  lockCredentials,
  revokeCredential,
  saveCredential,
  saveOtp,
  sendsSpentUntil,
  useSignedRequest,
} from './store.js';

export type CredentialDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly signer: WalletSigner;
  readonly issuers: OidcIssuers;
  readonly messengers: Readonly<Record<Mode, Messenger>>;
  /** Signs the bundles clients encrypt to. */
  readonly quorumKey: () => P256KeyPair;
};

// ---- creating

export type NewCredential = { readonly accountId: InternalAccountId | undefined } & (
  | { readonly type: OtpType; readonly contact: string | undefined }
  | { readonly type: 'OAUTH'; readonly oidcToken: string }
  | { readonly type: 'PASSKEY'; readonly nickname: string; readonly challenge: string; readonly attestation: Attestation }
);

/** A credential, with the key to encrypt a one-time password to when one was just sent. */
export type ShownCredential = { readonly credential: Credential; readonly otpEncryptionTargetBundle?: string };

/** What was proven at the initial call; the retry brings the same body, but a token in it would be too old by then. */
type Proven = { readonly nickname: string; readonly named: boolean; readonly proof: Proof };

const ADDING: Readonly<Record<CredentialType, ActivityType>> = {
  EMAIL_OTP: ACTIVITY_TYPES.updateEmail,
  SMS_OTP: ACTIVITY_TYPES.updatePhone,
  OAUTH: ACTIVITY_TYPES.createOauth,
  PASSKEY: ACTIVITY_TYPES.createPasskey,
};

export async function createCredential(deps: CredentialDeps, call: Call, request: NewCredential): Promise<Consented<ShownCredential>> {
  const { platformId, now } = call;
  // Asking the issuer for its keys is I/O: it happens before the transaction, and is judged after the account was found.
  const token =
    request.type === 'OAUTH' && call.signed.kind === 'initial' ? await verifyOidcToken(deps.issuers, request.oidcToken, now) : undefined;

  const { outcome, code } = await deps.db.transaction(async (tx) => {
    const owned = call.signed.kind === 'retry' ? await redeem(deps.signer, tx, call) : undefined;
    const platform = await getPlatform(tx, platformId);
    // Locked, because an account without credentials has no other row that two first ones could meet at.
    const account = await lockWalletAccount(tx, platformId, request.accountId);
    const proven = owned ? parseProven(owned.request.facts) : await prove(deps, tx, platform, account, request, token);
    const existing = await lockCredentials(tx, platformId, account.id);
    const provisioned = await deps.signer.hasWallet(tx, { platformId, accountId: account.id });

    const taken = await isTaken(tx, platformId, proven.proof);
    const { by, replacement } = decideCreation({ existing, provisioned, ...proven, taken });
    const credential: Credential = {
      id: newId('AuthMethod'),
      accountId: account.id,
      nickname: proven.nickname,
      proof: proven.proof,
      replacement,
      verifiedAt: undefined,
      sendsSpentUntil: undefined,
      failuresSpentUntil: undefined,
      createdAt: now,
      updatedAt: now,
    };

    if (by === 'OWNER' && !owned) {
      const payload = toSign(account.id, ADDING[proven.proof.type], whatIsAdded(credential), now);
      const challenge = askToSign(tx, call, { accountId: account.id, payload, type: proven.proof.type, facts: storeProven(proven) });
      return { outcome: { challenge }, code: undefined };
    }
    for (const older of existing) {
      if (replacement && older.replacement && older.proof.type === proven.proof.type) revokeCredential(tx, platformId, older.id, now);
    }
    // The first credential of an account is challenged by a call of its own.
    if (by === 'PLATFORM' || !isOtp(proven.proof.type)) {
      await insertCredential(tx, platformId, credential);
      return { outcome: { done: { credential } }, code: undefined };
    }
    const spentUntil = await sendsSpentUntil(tx, platformId, account.id, proven.proof.type);
    const sending = { ...credential, sendsSpentUntil: takeTurn(spentUntil, now, SENDS) };
    await insertCredential(tx, platformId, sending);
    const { shown, ...sent } = await issueOtp(deps, tx, platform, sending, now);
    return { outcome: { done: shown }, ...sent };
  });
  await code?.send();
  return outcome;
}

/** The embedded-wallet account a request names. A closed one is gone: nothing opens it again. */
async function lockWalletAccount(tx: Tx, platformId: PlatformId, id: InternalAccountId | undefined): Promise<InternalAccount> {
  const account = await lockInternalAccount(tx, platformId, id);
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (account.type !== 'EMBEDDED_WALLET') throw invalidField('accountId', 'must be an embedded-wallet account');
  return account;
}

const CHANNELS = { EMAIL_OTP: 'EMAIL', SMS_OTP: 'SMS' } as const;

const canSend = ({ messengers }: CredentialDeps, { mode }: Platform, type: OtpType): boolean => messengers[mode].canSend(CHANNELS[type]);

async function prove(
  deps: CredentialDeps,
  tx: Tx,
  platform: Platform,
  account: InternalAccount,
  request: NewCredential,
  token: OidcToken | OidcProblem | undefined,
): Promise<Proven> {
  switch (request.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP': {
      if (!canSend(deps, platform, request.type)) throw invalidField('type', 'cannot be used: this installation sends no such messages');
      const contact = request.contact ?? (await contactOf(tx, platform.id, account, request.type));
      return { nickname: contact, named: request.contact !== undefined, proof: { type: request.type, contact } };
    }
    case 'OAUTH': {
      if (!token || typeof token === 'string') throw badToken(token ?? 'MALFORMED');
      const { issuer, audience, subject, email } = token;
      return { nickname: email ?? subject, named: false, proof: { type: 'OAUTH', identity: { issuer, audience, subject } } };
    }
    case 'PASSKEY': {
      const passkey = await verifyAttestation(request.challenge, request.attestation);
      if (!passkey) throw invalidField('attestation', 'does not hold for this challenge');
      return { nickname: request.nickname, named: false, proof: { type: 'PASSKEY', passkey } };
    }
  }
}

/** Where the customer's record keeps the contact, and how a request names it. */
const CONTACTS = { EMAIL_OTP: 'email', SMS_OTP: 'phoneNumber' } as const;

async function contactOf(tx: Tx, platformId: PlatformId, { customerId }: InternalAccount, type: OtpType): Promise<string> {
  assert(customerId !== null, 'an embedded wallet belongs to a customer');
  const contact = (await getCustomer(tx, platformId, customerId))[CONTACTS[type]];
  if (contact === null) throw invalidField(CONTACTS[type], 'is required: the customer has none');
  return contact;
}

const badToken = (cause: OidcProblem): ApiError =>
  new ApiError('INVALID_INPUT', { cause, errors: [{ field: 'oidcToken', message: 'is not a token that can be accepted' }] });

function whatIsAdded({ nickname, proof }: Credential): Parameters {
  switch (proof.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      return { [CONTACTS[proof.type]]: proof.contact };
    case 'OAUTH':
      return { provider: { ...proof.identity } };
    case 'PASSKEY':
      return { authenticator: nickname, credentialId: proof.passkey.credentialId };
  }
}

/** As JSON; the passkey's key is the only part that is not. */
const storeProven = ({ proof, ...proven }: Proven) => ({
  ...proven,
  proof:
    proof.type === 'PASSKEY' ? { ...proof, passkey: { ...proof.passkey, publicKey: proof.passkey.publicKey.toString('base64') } } : proof,
});

function parseProven(facts: unknown): Proven {
  const { proof, ...proven } = facts as ReturnType<typeof storeProven>;
  if (proof.type !== 'PASSKEY') return { ...proven, proof: proof as Proof };
  return {
    ...proven,
    proof: { ...proof, passkey: { ...proof.passkey, publicKey: Buffer.from(proof.passkey.publicKey as string, 'base64') } },
  };
}

// ---- challenging

type Sending = { readonly send: () => Promise<void> };

/** A fresh one-time password in place of the open one; sent once the transaction has committed. */
async function issueOtp(
  { custody, messengers, quorumKey }: CredentialDeps,
  tx: Tx,
  { id: platformId, mode, config, name }: Platform,
  credential: Credential,
  now: Date,
): Promise<{ shown: ShownCredential; code: Sending }> {
  const { proof } = credential;
  assert('contact' in proof, 'a one-time password goes to a contact');
  const settings = config.embeddedWalletConfig ?? {};
  const { code, challenge } = makeOtp(custody, platformId, credential.id, { mode, config: settings }, now);
  saveOtp(tx, platformId, challenge);
  const app = settings.appName ?? name;
  const send = () =>
    messengers[mode].send({
      channel: CHANNELS[proof.type],
      to: proof.contact,
      subject: `Your ${app} code`,
      text: `${code} is your ${app} code. Do not share it with anyone.`,
      sender: {
        address: settings.sendFromEmailAddress,
        name: settings.sendFromEmailSenderName,
        replyTo: settings.replyToEmailAddress,
      },
    });
  return { shown: { credential, otpEncryptionTargetBundle: otpTargetBundle(quorumKey(), challenge.targetPublicKey) }, code: { send } };
}

export type PasskeyChallenge = { readonly credential: Credential; readonly challenge: string; readonly signing: SigningChallenge };

/** Sends a one-time password again, or gives a passkey the text to sign in with. */
export async function challengeCredential(
  deps: CredentialDeps,
  call: Omit<Call, 'signed'>,
  id: AuthMethodId | undefined,
  clientPublicKey: string | undefined,
): Promise<ShownCredential | PasskeyChallenge> {
  const { platformId, now } = call;
  const { shown, code } = await deps.db.transaction(async (tx) => {
    const credential = await lockCredential(tx, platformId, id);
    switch (credential.proof.type) {
      case 'EMAIL_OTP':
      case 'SMS_OTP': {
        const platform = await getPlatform(tx, platformId);
        if (!canSend(deps, platform, credential.proof.type))
          throw new ApiError('INVALID_INPUT', { cause: 'CHANNEL_UNAVAILABLE' }, { reason: 'This installation sends no such messages.' });
        const sending = { ...credential, sendsSpentUntil: takeTurn(credential.sendsSpentUntil, now, SENDS) };
        saveCredential(tx, platformId, sending);
        return issueOtp(deps, tx, platform, sending, now);
      }
      case 'PASSKEY': {
        if (clientPublicKey === undefined) throw invalidField('clientPublicKey', 'is required for a passkey');
        parseClientKey(clientPublicKey);
        return { shown: await challengePasskey(tx, call, credential, clientPublicKey), code: undefined };
      }
      case 'OAUTH':
        throw new ApiError(
          'INVALID_INPUT',
          { cause: 'NO_CHALLENGE' },
          { reason: 'An OAUTH credential is verified with a token and has no challenge.' },
        );
    }
  });
  await code?.send();
  return shown;
}

/** The challenge is the hash of the session that would be opened, so the assertion signs for that session alone. */
async function challengePasskey(
  tx: Tx,
  call: Omit<Call, 'signed'>,
  credential: Credential,
  clientPublicKey: string,
): Promise<PasskeyChallenge> {
  const { id, accountId } = credential;
  const parameters = { credentialId: id, targetPublicKey: clientPublicKey };
  const payload = toSign(accountId, ACTIVITY_TYPES.createSession, parameters, call.now);
  const verification = { ...call, operation: 'verifyAuthCredential', target: id };
  const signing = askToSign(tx, verification, { accountId, payload, facts: { clientPublicKey } }, { bound: false });
  return { credential, challenge: sha256Hex(signing.payloadToSign), signing };
}

// ---- verifying

export type Verification =
  | { readonly type: OtpType; readonly encryptedOtpBundle: string }
  | { readonly type: 'OAUTH'; readonly oidcToken: string; readonly clientPublicKey: string }
  | { readonly type: 'PASSKEY'; readonly assertion: Assertion };

/** A session; nothing when a replacement was verified, which opens none. */
export type Verified = OpenedSession | undefined;

export async function verifyCredential(
  deps: CredentialDeps,
  call: Call,
  id: AuthMethodId | undefined,
  request: Verification,
  passkeyRequestId: string | undefined,
): Promise<Consented<Verified>> {
  const token = request.type === 'OAUTH' ? await verifyOidcToken(deps.issuers, request.oidcToken, call.now) : undefined;
  const outcome = await deps.db.transaction(async (tx) => {
    if (isOtp(request.type) && call.signed.kind === 'retry') return { done: await finishLogin(deps, tx, call, id) };
    const credential = await lockCredential(tx, call.platformId, id);
    requireType(credential, request.type);
    switch (request.type) {
      case 'EMAIL_OTP':
      case 'SMS_OTP':
        return checkOtp(deps, tx, call, credential, request.encryptedOtpBundle);
      case 'OAUTH':
        return { done: await signInWithToken(deps, tx, call, credential, request.clientPublicKey, token ?? 'MALFORMED') };
      case 'PASSKEY':
        return { done: await signInWithPasskey(deps, tx, call, credential, request.assertion, passkeyRequestId) };
    }
  });
  // A failed attempt is counted although the call is refused.
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** Where the code was sent that a login began with. */
type LoginFacts = { readonly contact: string };

const refuseCode = (reason: string): ApiError => new ApiError('UNAUTHORIZED', { cause: 'OTP_REFUSED' }, { reason });

/** The right code uses the one-time password up and asks for a signature by the key that came with it. */
async function checkOtp(
  { custody }: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  bundle: string,
): Promise<{ challenge: SigningChallenge } | { refusal: ApiError }> {
  const { platformId, now } = call;
  const failuresSpentUntil = takeTurn(credential.failuresSpentUntil, now, FAILURES);
  const otp = await findOtp(tx, platformId, credential.id);
  if (!otp || now >= otp.expiresAt) throw refuseCode('The OTP code has expired.');
  const read = await readOtp(custody, platformId, otp, bundle);
  if (!read) throw invalidField('encryptedOtpBundle', 'cannot be opened, or lacks a code and a compressed public key');

  if (!read.matches) {
    saveCredential(tx, platformId, { ...credential, failuresSpentUntil });
    if (otp.triesLeft > 1) saveOtp(tx, platformId, { ...otp, triesLeft: otp.triesLeft - 1 });
    else deleteOtp(tx, platformId, credential.id);
    return { refusal: refuseCode('Invalid OTP code') };
  }
  deleteOtp(tx, platformId, credential.id);
  const { accountId, proof } = credential;
  assert('contact' in proof, 'the type was compared');
  const { publicKey } = read;
  const payload = (tokenId: string) => JSON.stringify({ login: { publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' });
  const facts: LoginFacts = { contact: proof.contact };
  return { challenge: askToSign(tx, call, { accountId, payload, type: proof.type, expectedKey: publicKey, facts }) };
}

async function finishLogin(deps: CredentialDeps, tx: Tx, call: Call, id: AuthMethodId | undefined): Promise<Verified> {
  const { expectedKey, facts } = await redeemLogin(tx, call);
  const credential = await lockCredential(tx, call.platformId, id);
  requireSameContact(credential, (facts as LoginFacts).contact);
  assert(expectedKey, 'a login names its key');
  return signIn(deps, tx, call, credential, expectedKey);
}

async function signInWithToken(
  deps: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  clientPublicKey: string,
  token: OidcToken | OidcProblem,
): Promise<Verified> {
  const { proof } = credential;
  assert(proof.type === 'OAUTH', 'the type was compared');
  parseClientKey(clientPublicKey);
  const refuse = (cause: string) => new ApiError('UNAUTHORIZED', { cause }, { reason: 'The OIDC token was not accepted.' });
  if (typeof token === 'string') throw refuse(token);
  if (!sameIdentity(token, proof.identity)) throw refuse('OTHER_IDENTITY');
  // The token was asked for with this very key, so it is worth nothing to whoever reads it on the way.
  if (token.nonce !== sha256Hex(clientPublicKey)) throw refuse('NONCE_MISMATCH');
  return signIn(deps, tx, call, credential, clientPublicKey);
}

async function signInWithPasskey(
  deps: CredentialDeps,
  tx: Tx,
  call: Call,
  credential: Credential,
  assertion: Assertion,
  requestId: string | undefined,
): Promise<Verified> {
  const { platformId, now } = call;
  const { proof } = credential;
  assert(proof.type === 'PASSKEY', 'the type was compared');
  if (requestId === undefined) throw new ApiError('REQUEST_ID_MISSING');
  const request = await lockRequestOf(tx, call, requestId);
  const counter = await verifyAssertion(proof.passkey, sha256Hex(request.payload), assertion);
  if (counter === undefined) throw signatureInvalid('ASSERTION_INVALID');

  useSignedRequest(tx, platformId, request.id, now);
  const { clientPublicKey } = request.facts as { clientPublicKey: string };
  return signIn(deps, tx, call, { ...credential, proof: { ...proof, passkey: { ...proof.passkey, counter } } }, clientPublicKey);
}

/** The credential is verified: a replacement waits for the change of contact, any other opens a session, the first of all the wallet too. */
async function signIn({ signer }: CredentialDeps, tx: Tx, call: Call, credential: Credential, clientPublicKey: string): Promise<Verified> {
  const { platformId, now } = call;
  saveCredential(tx, platformId, { ...credential, verifiedAt: now, failuresSpentUntil: undefined });
  if (credential.replacement) return undefined;
  await signer.createWallet(tx, { platformId, accountId: credential.accountId }, now);
  return openSession(signer, tx, platformId, { ...credential, type: credential.proof.type }, clientPublicKey, now);
}

// ---- revoking

const REMOVING: Readonly<Record<CredentialType, ActivityType>> = {
  EMAIL_OTP: ACTIVITY_TYPES.deleteOtp,
  SMS_OTP: ACTIVITY_TYPES.deleteOtp,
  OAUTH: ACTIVITY_TYPES.deleteOauth,
  PASSKEY: ACTIVITY_TYPES.deletePasskey,
};

/** By a session of another credential; the sessions of the revoked one end with it. */
export function removeCredential({ signer }: CredentialDeps, tx: Tx, call: Call, id: AuthMethodId | undefined): Promise<Consented<void>> {
  const { platformId, now } = call;
  const gather = async () => {
    const { accountId } = await getCredential(tx, platformId, id);
    const existing = await lockCredentials(tx, platformId, accountId);
    const credential = existing.find((each) => each.id === id);
    if (!credential) throw new ApiError('AUTH_METHOD_NOT_FOUND');
    const provisioned = await signer.hasWallet(tx, { platformId, accountId });
    decideRevocation(credential, existing, provisioned);
    return credential;
  };
  return withConsent(signer, tx, call, {
    ask: async () => {
      const { accountId, nickname, proof } = await gather();
      const parameters = { credentialId: id as string, nickname };
      return { accountId, type: proof.type, payload: toSign(accountId, REMOVING[proof.type], parameters, now) };
    },
    act: async ({ owner }) => {
      const credential = await gather();
      if (!(await hasSessionOfAnother(tx, platformId, credential, owner.publicKey, now))) throw signatureInvalid('SAME_CREDENTIAL');
      await endCredential(signer, tx, platformId, credential, now);
    },
  });
}
