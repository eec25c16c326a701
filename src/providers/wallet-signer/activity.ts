// Activities of a wallet as the payload that is signed. The payload is the request: the signer executes nothing that it does not state.
import type { Id, InternalAccountId } from '../../kernel/ids.js';
import { parseId } from '../../kernel/ids.js';
import { type Json, parseJson } from '../../kernel/json.js';

export const ACTIVITY_TYPES = {
  createSigner: 'ACTIVITY_TYPE_CREATE_USERS_V3',
  grantPolicies: 'ACTIVITY_TYPE_CREATE_POLICIES',
  deleteSigner: 'ACTIVITY_TYPE_DELETE_USERS',
  transfer: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  signTransaction: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  exportWallet: 'ACTIVITY_TYPE_EXPORT_WALLET',
  updateEmail: 'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
  updatePhone: 'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
  createOauth: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
  deleteOauth: 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS',
  createPasskey: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
  deletePasskey: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
  deleteOtp: 'ACTIVITY_TYPE_DELETE_OTP_CREDENTIAL',
  createSession: 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2',
  deleteSession: 'ACTIVITY_TYPE_DELETE_API_KEYS',
  updateWallet: 'ACTIVITY_TYPE_UPDATE_WALLET',
} as const;

export type ActivityType = (typeof ACTIVITY_TYPES)[keyof typeof ACTIVITY_TYPES];
export type Parameters = Readonly<Record<string, Json>>;
export type Activity = {
  readonly type: ActivityType;
  readonly accountId: InternalAccountId;
  readonly parameters: Parameters;
  readonly at: Date;
};

/** How long a payload can be executed after its timestamp: the life of a signed-retry challenge. */
export const ACTIVITY_LIFE_MS = 5 * 60_000;

const TYPES: ReadonlySet<unknown> = new Set(Object.values(ACTIVITY_TYPES));
const isActivityType = (type: unknown): type is ActivityType => TYPES.has(type);

/** The payload to sign. The order of members is fixed, because the bytes are signed. */
export const describeActivity = ({ type, accountId, parameters, at }: Activity): string =>
  JSON.stringify({ organizationId: accountId, parameters, timestampMs: String(at.getTime()), type });

/** Parses a payload; undefined when it is not an activity. */
export function parseActivity(payload: string): Activity | undefined {
  const json = objectIn(payload);
  if (!json || Object.keys(json).length !== 4) return undefined;
  const { organizationId, parameters, timestampMs, type } = json;
  const accountId = typeof organizationId === 'string' ? parseId('InternalAccount', organizationId) : undefined;
  if (!accountId || !isActivityType(type)) return undefined;
  if (typeof timestampMs !== 'string' || !/^\d{1,15}$/.test(timestampMs) || !isObject(parameters)) return undefined;
  return { type, accountId, parameters, at: new Date(Number(timestampMs)) };
}

function objectIn(text: string): Record<string, Json> | undefined {
  try {
    const json = parseJson(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (json: Json | undefined): json is Record<string, Json> =>
  json !== null && typeof json === 'object' && !Array.isArray(json);

/** A transfer out of a wallet. The transfer's id is signed too, so one signature moves money once. */
export type WalletTransfer = {
  readonly transferId: string;
  readonly accountId: InternalAccountId;
  readonly to: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly cause: string;
};

export const describeTransfer = ({ accountId, amount, ...transfer }: WalletTransfer, at: Date): string =>
  describeActivity({ type: ACTIVITY_TYPES.transfer, accountId, parameters: { ...transfer, amount: amount.toString() }, at });

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The transfer that an activity states: its own parameters, or the `transfer` of the unsigned transaction that it signs. */
export function transferOf({ type, accountId, parameters }: Activity): WalletTransfer | undefined {
  if (type === ACTIVITY_TYPES.transfer) return readTransfer(accountId, parameters);
  if (type !== ACTIVITY_TYPES.signTransaction) return undefined;
  const { unsignedTransaction } = parameters;
  const text = typeof unsignedTransaction === 'string' ? Buffer.from(unsignedTransaction, 'hex').toString('utf8') : '';
  const transfer = objectIn(text)?.['transfer'];
  return isObject(transfer) ? readTransfer(accountId, transfer) : undefined;
}

function readTransfer(accountId: InternalAccountId, { transferId, to, amount, currency, cause }: Parameters): WalletTransfer | undefined {
  if (typeof transferId !== 'string' || !UUID.test(transferId)) return undefined;
  if (typeof to !== 'string' || !UUID.test(to) || typeof amount !== 'string' || !/^[1-9]\d{0,15}$/.test(amount)) return undefined;
  if (typeof currency !== 'string' || typeof cause !== 'string') return undefined;
  return { transferId, accountId, to, amount: BigInt(amount), currency, cause };
}

export type SignerId = Id<'Session'> | Id<'DelegatedKey'>;

export const signerIdOf = (parameters: Parameters): Id<'DelegatedKey'> | undefined =>
  typeof parameters['signerId'] === 'string' ? parseId('DelegatedKey', parameters['signerId']) : undefined;
