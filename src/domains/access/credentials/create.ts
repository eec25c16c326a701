// Creation of a credential: the platform adds the first one, the wallet's owner signs for the others.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type InternalAccountId, newId, type PlatformId } from '../../../kernel/ids.js';
import { type OidcProblem, type OidcToken, verifyOidcToken } from '../../../providers/oidc.js';
import { ACTIVITY_TYPES, type ActivityType, type Parameters } from '../../../providers/wallet-signer/activity.js';
import { lockInternalAccount } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { getCustomer } from '../../identity/customers/actions.js';
import { activityPayload, objectFact, redeem, requestSignature, textFact } from '../signed-requests/actions.js';
import type { Call, CredentialType, Facts, SigningOutcome } from '../signed-requests/signed-request.js';
import { canSend, issueOtp } from './challenge.js';
import type { ChallengedCredential, Credential, NewCredential, OtpType, Proof } from './credential.js';
import type { CredentialDeps } from './deps.js';
import { verifyAttestation } from './passkey.js';
import { decideCreation, isOtp, SENDS, takeAllowance } from './rules.js';
import { insertCredential, isTaken, lockCredentials, markCredentialRevoked, sendsSpentUntil } from './store.js';

const ACTIVITIES: Readonly<Record<CredentialType, ActivityType>> = {
  EMAIL_OTP: ACTIVITY_TYPES.updateEmail,
  SMS_OTP: ACTIVITY_TYPES.updatePhone,
  OAUTH: ACTIVITY_TYPES.createOauth,
  PASSKEY: ACTIVITY_TYPES.createPasskey,
};

export async function createCredential(
  deps: CredentialDeps,
  call: Call,
  request: NewCredential,
): Promise<SigningOutcome<ChallengedCredential>> {
  const { platformId, now } = call;
  // Fetching the issuer's keys is I/O, so it happens before the transaction. The token is judged after the account was found.
  const token =
    request.type === 'OAUTH' && call.signed.kind === 'initial' ? await verifyOidcToken(deps.issuers, request.oidcToken, now) : undefined;

  const { outcome, send } = await deps.db.transaction(async (tx) => {
    const owned = call.signed.kind === 'retry' ? await redeem(deps.signer, tx, call) : undefined;
    const platform = await getPlatform(tx, platformId);
    // The account is locked because two concurrent first credentials have no other common row.
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
      const payload = activityPayload(account.id, ACTIVITIES[proven.proof.type], activityParameters(credential), now);
      const challenge = requestSignature(tx, call, { accountId: account.id, payload, type: proven.proof.type, facts: storeProven(proven) });
      return { outcome: { challenge }, send: undefined };
    }
    for (const older of existing) {
      if (replacement && older.replacement && older.proof.type === proven.proof.type) markCredentialRevoked(tx, platformId, older.id, now);
    }
    // The first credential of an account is challenged by a separate call.
    if (by === 'PLATFORM' || !isOtp(proven.proof.type)) {
      await insertCredential(tx, platformId, credential);
      return { outcome: { result: { credential } }, send: undefined };
    }
    const spentUntil = await sendsSpentUntil(tx, platformId, account.id, proven.proof.type);
    const challenged = { ...credential, sendsSpentUntil: takeAllowance(spentUntil, now, SENDS) };
    await insertCredential(tx, platformId, challenged);
    const otp = issueOtp(deps, tx, platform, challenged, now);
    return { outcome: { result: otp.challenged }, send: otp.send };
  });
  // The credential is made and the signature is used: a repeat would be refused. A code that was not sent is sent again by a challenge.
  await send?.().catch(() => {
    // The text of the error may name the recipient.
    const credentialId = 'result' in outcome ? outcome.result.credential.id : undefined;
    deps.log.warn({ credentialId }, 'the one-time password of a new credential could not be sent');
  });
  return outcome;
}

/** The embedded-wallet account that a request names. A closed account is not found: nothing reopens it. */
async function lockWalletAccount(tx: Tx, platformId: PlatformId, id: InternalAccountId | undefined): Promise<InternalAccount> {
  const account = await lockInternalAccount(tx, platformId, id);
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (account.type !== 'EMBEDDED_WALLET') throw invalidField('accountId', 'must be an embedded-wallet account');
  return account;
}

// ---- what is proven

/** The proof of the initial call. The retry sends the same body, but a token in it would be too old by then. */
type Proven = { readonly nickname: string; readonly named: boolean; readonly proof: Proof };

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

/** The field of the customer that holds the contact. A request names it the same way. */
const CONTACT_FIELDS = { EMAIL_OTP: 'email', SMS_OTP: 'phoneNumber' } as const;

async function contactOf(tx: Tx, platformId: PlatformId, { customerId }: InternalAccount, type: OtpType): Promise<string> {
  assert(customerId !== null, 'an embedded wallet belongs to a customer');
  const field = CONTACT_FIELDS[type];
  const contact = (await getCustomer(tx, platformId, customerId))[field];
  if (contact === null) throw invalidField(field, 'is required: the customer has none');
  return contact;
}

const badToken = (cause: OidcProblem): ApiError =>
  new ApiError('INVALID_INPUT', { cause, errors: [{ field: 'oidcToken', message: 'is not a token that can be accepted' }] });

function activityParameters({ nickname, proof }: Credential): Parameters {
  switch (proof.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      return { [CONTACT_FIELDS[proof.type]]: proof.contact };
    case 'OAUTH':
      return { provider: { ...proof.identity } };
    case 'PASSKEY':
      return { authenticator: nickname, credentialId: proof.passkey.credentialId };
  }
}

// ---- the proof as facts of the challenge

const storeProven = ({ nickname, named, proof }: Proven): Facts => ({ nickname, named, proof: storeProof(proof) });

function storeProof(proof: Proof) {
  switch (proof.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      return { ...proof };
    case 'OAUTH':
      return { type: proof.type, identity: { ...proof.identity } };
    case 'PASSKEY':
      return { type: proof.type, passkey: { ...proof.passkey, publicKey: proof.passkey.publicKey.toString('base64') } };
  }
}

const parseProven = (facts: Facts): Proven => ({
  nickname: textFact(facts, 'nickname'),
  named: facts['named'] === true,
  proof: parseProof(objectFact(facts, 'proof')),
});

function parseProof(facts: Facts): Proof {
  const { type } = facts;
  switch (type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      return { type, contact: textFact(facts, 'contact') };
    case 'OAUTH': {
      const identity = objectFact(facts, 'identity');
      return {
        type,
        identity: {
          issuer: textFact(identity, 'issuer'),
          audience: textFact(identity, 'audience'),
          subject: textFact(identity, 'subject'),
        },
      };
    }
    case 'PASSKEY': {
      const passkey = objectFact(facts, 'passkey');
      return {
        type,
        passkey: {
          credentialId: textFact(passkey, 'credentialId'),
          publicKey: Buffer.from(textFact(passkey, 'publicKey'), 'base64'),
          counter: Number(passkey['counter']),
          rpId: textFact(passkey, 'rpId'),
        },
      };
    }
    default:
      throw new Error(`a challenge stored an unknown proof: ${String(type)}`);
  }
}
