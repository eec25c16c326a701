// How the life of a customer touches the credentials of its wallet: the first one, a change of contact, the end.
import type { Tx } from '../../../db/pool.js';
import { invalid } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Challenge, ContactChange } from '../../identity/customers/hooks.js';
import { type DelegationDeps, revokeDelegatedKey } from './delegated-keys.js';
import type { Credential, OtpType } from './keys.js';
import { credentialSet, decideContactChange, requireSameSet } from './rules.js';
import { renderSigningChallenge } from './schemas.js';
import { askToSign, type Call, redeem, toSign } from './signed-retry.js';
import {
  deleteOtp,
  insertFirstCredential,
  listActiveKeysOf,
  lockCredentials,
  revokeCredential,
  revokeSessionsOf,
  saveCredential,
} from './store.js';

const isWallet = ({ type }: InternalAccount): boolean => type === 'EMBEDDED_WALLET';

const walletsOf = async (tx: Tx, platformId: PlatformId, { id }: Customer): Promise<InternalAccount[]> =>
  (await findOwnAccounts(tx, platformId, id)).filter(isWallet);

/** An embedded wallet starts with an EMAIL_OTP credential on the customer's email; without one the platform adds the first. */
export async function startCredentials(tx: Tx, platformId: PlatformId, { id, email }: Customer, now: Date): Promise<void> {
  if (email !== null) insertFirstCredential(tx, platformId, { id: newId('AuthMethod'), customerId: id, email, now });
}

/** The credentials of the type to be changed, as they were when the owner was asked. */
type Seen = { readonly type: OtpType; readonly set: readonly string[] };

/**
 * Guards `PATCH /customers/{customerId}`: the contact a wallet credential hangs on changes only with the owner's signature and
 * once the new one was verified. Answers what to sign, or nothing when the change may pass.
 */
export async function guardContactChange(signer: WalletSigner, tx: Tx, change: ContactChange): Promise<Challenge | undefined> {
  const { platformId, customer, email, phoneNumber, signed, body, now } = change;
  const call: Call = { platformId, now, operation: 'updateCustomerById', target: customer.id, body, signed };
  // First of all: what was asked for may be in place by now, and a used request is refused even then.
  const request = signed.kind === 'initial' ? undefined : (await redeem(signer, tx, call)).request;
  const [account] = await walletsOf(tx, platformId, customer);
  if (!account) return undefined;
  const existing = await lockCredentials(tx, platformId, account.id);
  if (request) {
    const { type, set } = request.facts as Seen;
    requireSameSet(type, existing, set);
  }
  const present = (type: OtpType) => existing.find(({ replacement, proof }) => !replacement && proof.type === type);
  const wanted = [
    ...(email === undefined ? [] : [{ type: 'EMAIL_OTP', contact: email } as const]),
    ...(phoneNumber === undefined ? [] : [{ type: 'SMS_OTP', contact: phoneNumber } as const]),
  ].filter(({ type }) => present(type));
  const [first, second] = wanted;
  if (!first) return undefined;
  if (second) {
    const message = 'email and phoneNumber of a wallet customer cannot be changed together';
    throw invalid({ field: 'email', message }, { field: 'phoneNumber', message });
  }
  const old = present(first.type) as Credential;
  if (!(await signer.hasWallet(tx, { platformId, accountId: account.id }))) {
    // Nobody owns the wallet yet: the credential simply follows its customer.
    deleteOtp(tx, platformId, old.id);
    saveCredential(tx, platformId, { ...old, nickname: first.contact, proof: first, updatedAt: now });
    return undefined;
  }
  const replacement = decideContactChange(first.type, first.contact, existing, request?.createdAt ?? now);
  if (!request) return askToReplace(tx, call, old, replacement, first, existing);

  await endCredential(signer, tx, platformId, old, now);
  saveCredential(tx, platformId, { ...replacement, replacement: false, updatedAt: now });
  return undefined;
}

function askToReplace(
  tx: Tx,
  call: Call,
  { id: replaces, accountId }: Credential,
  { id: credentialId }: Credential,
  { type, contact }: { readonly type: OtpType; readonly contact: string },
  existing: readonly Credential[],
): Challenge {
  const activity = type === 'EMAIL_OTP' ? ACTIVITY_TYPES.updateEmail : ACTIVITY_TYPES.updatePhone;
  const payload = toSign(accountId, activity, { contact, credentialId, replaces }, call.now);
  const facts: Seen = { type, set: credentialSet(type, existing) };
  return renderSigningChallenge(askToSign(tx, call, { accountId, payload, facts }));
}

/** The credential, its open one-time password and the sessions it opened. */
export async function endCredential(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  { id, accountId }: Credential,
  now: Date,
): Promise<void> {
  revokeCredential(tx, platformId, id, now);
  deleteOtp(tx, platformId, id);
  const ended = await revokeSessionsOf(tx, platformId, id, now);
  await signer.dismissSessions(tx, { platformId, accountId }, ended, now);
}

/** With a deleted customer go its delegated keys: no card is left to sign for. */
export async function endDelegations(deps: DelegationDeps, tx: Tx, platformId: PlatformId, customer: Customer, now: Date): Promise<void> {
  for (const { id } of await walletsOf(tx, platformId, customer)) {
    for (const key of await listActiveKeysOf(tx, platformId, id)) await revokeDelegatedKey(deps, tx, platformId, key.id, now);
  }
}

/**
 * With a closed account go its credentials and sessions. A wallet that stays open keeps them: without them its owner could never
 * sign out the money that is on it, or comes back to it.
 */
export async function endCredentials(signer: WalletSigner, tx: Tx, platformId: PlatformId, customer: Customer, now: Date): Promise<void> {
  for (const { id, status } of await walletsOf(tx, platformId, customer)) {
    if (status !== 'CLOSED') continue;
    for (const credential of await lockCredentials(tx, platformId, id)) await endCredential(signer, tx, platformId, credential, now);
  }
}
