// The credentials that depend on a customer's contact: the first credential of a wallet, and the change of email or phone number.
import type { Tx } from '../../../db/pool.js';
import { assert, invalid } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Challenge, ContactChange } from '../../identity/customers/hooks.js';
import { activityPayload, redeem, requestSignature } from '../signed-requests/actions.js';
import { renderSigningChallenge } from '../signed-requests/schemas.js';
import type { Call, Facts } from '../signed-requests/signed-request.js';
import type { Credential, OtpType } from './credential.js';
import { endCredential } from './revoke.js';
import { credentialSet, decideContactChange, replacedCredential, requireSameSet } from './rules.js';
import { deleteOtp, insertFirstCredentials, lockCredentials, saveCredential } from './store.js';

/** A new embedded wallet has an EMAIL_OTP credential on the customer's email. Without an email the platform adds the first credential. */
export function insertFirstCredentialsOf(tx: Tx, platformId: PlatformId, customers: readonly Customer[], now: Date): void {
  const first = customers.flatMap(({ id, email }) => (email === null ? [] : [{ id: newId('AuthMethod'), customerId: id, email }]));
  if (first.length > 0) insertFirstCredentials(tx, platformId, first, now);
}

/** One contact to change, and the credential that uses it now. */
type Replaced = { readonly type: OtpType; readonly contact: string; readonly current: Credential };

/**
 * Guards `PATCH /customers/{customerId}`: the contact of a wallet credential changes only with the owner's signature, after the new
 * contact was verified. Returns the challenge, or undefined when the change may proceed.
 */
export async function guardContactChange(signer: WalletSigner, tx: Tx, change: ContactChange): Promise<Challenge | undefined> {
  const { platformId, customer, signed, body, now } = change;
  const call: Call = { platformId, now, operation: 'updateCustomerById', target: customer.id, body, signed };
  // Redeemed first: a used request is refused even if the requested change is already in place.
  const request = signed.kind === 'initial' ? undefined : (await redeem(signer, tx, call)).request;
  const account = (await findOwnAccounts(tx, platformId, customer.id)).find(({ type }) => type === 'EMBEDDED_WALLET');
  if (!account) return undefined;
  const existing = await lockCredentials(tx, platformId, account.id);
  if (request) {
    const { type, set } = parseSeenSet(request.facts);
    requireSameSet(type, existing, set);
  }
  const askedAt = request?.createdAt ?? now;
  const [replaced, second] = replacedBy(change, existing, askedAt);
  if (!replaced) return undefined;
  if (second) {
    const message = 'email and phoneNumber of a wallet customer cannot be changed together';
    throw invalid({ field: 'email', message }, { field: 'phoneNumber', message });
  }
  const { type, contact, current } = replaced;
  if (!(await signer.hasWallet(tx, { platformId, accountId: account.id }))) {
    // The wallet has no owner yet: the credential follows the customer's contact.
    deleteOtp(tx, platformId, current.id);
    saveCredential(tx, platformId, { ...current, nickname: contact, proof: { type, contact }, updatedAt: now });
    return undefined;
  }
  const replacement = decideContactChange(type, contact, existing, askedAt);
  if (!request) return challengeReplacement(tx, call, replaced, replacement, existing);

  await endCredential(signer, tx, platformId, current, now);
  saveCredential(tx, platformId, { ...replacement, replacement: false, updatedAt: now });
  return undefined;
}

/** A credential that the owner added for the new contact itself is not replaced. */
function replacedBy({ customer, email, phoneNumber }: ContactChange, existing: readonly Credential[], now: Date): Replaced[] {
  const replaced = (type: OtpType, contact: string | undefined, present: string | null): Replaced[] => {
    const current = contact === undefined ? undefined : replacedCredential({ type, contact, known: contact === present }, existing, now);
    return contact !== undefined && current ? [{ type, contact, current }] : [];
  };
  return [...replaced('EMAIL_OTP', email, customer.email), ...replaced('SMS_OTP', phoneNumber, customer.phoneNumber)];
}

function challengeReplacement(
  tx: Tx,
  call: Call,
  { type, contact, current }: Replaced,
  replacement: Credential,
  existing: readonly Credential[],
): Challenge {
  const { id: replaces, accountId } = current;
  const activity = type === 'EMAIL_OTP' ? ACTIVITY_TYPES.updateEmail : ACTIVITY_TYPES.updatePhone;
  const payload = activityPayload(accountId, activity, { contact, credentialId: replacement.id, replaces }, call.now);
  const facts = { type, set: credentialSet(type, existing) };
  return renderSigningChallenge(requestSignature(tx, call, { accountId, payload, facts }));
}

/** The credentials of the changed type at the time of the challenge. */
function parseSeenSet({ type, set }: Facts): { readonly type: OtpType; readonly set: readonly string[] } {
  assert((type === 'EMAIL_OTP' || type === 'SMS_OTP') && Array.isArray(set), 'the challenge stored the credentials it was issued for');
  return { type, set: set.map(String) };
}
