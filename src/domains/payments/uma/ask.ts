// Asks other providers: who is at an address, and whether a payment may be sent. The answers are signed; what cannot be trusted is refused.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, type ErrorCode } from '../../../kernel/errors.js';
import { type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { isCurrency, toWire } from '../../../kernel/money.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { RateProvider } from '../../../providers/rates.js';
import { readLookupAnswer, readPayAnswer, readPublicKeys, writeLookup, writePayRequest } from '../../../providers/uma/messages.js';
import { isFresh, isSignedBy, type Signed } from '../../../providers/uma/signatures.js';
import { UmaFault, type UmaFaultCode, type UmaMessage, UmaUnreachable } from '../../../providers/uma/uma.js';
import type { Platform } from '../../core/platform/platform.js';
import { answerLookup, answerPayRequest, isCallbackOf, isPlainText } from './answer.js';
import { keysOf, type Signer, signerOf } from './keys.js';
import { fieldsOfProtocol, protocolData } from './rules.js';
import type { Agreement, FoundReceiver, PersonData, UmaAddress, UmaPeers, UmaPublicKeys, UmaReply } from './uma.js';

export type UmaDeps = { readonly db: Db; readonly custody: KeyCustody; readonly umaPeers: UmaPeers; readonly rates: RateProvider };

/** Sends a message to the receiver's provider. */
type Exchange = (message: UmaMessage) => Promise<UmaReply>;

type Counterparty = { readonly exchange: Exchange; readonly keys: () => Promise<UmaPublicKeys> };

/** What a failed message is to our caller. */
type Failures = { readonly refused: ErrorCode; readonly silent: ErrorCode; readonly unreadable: ErrorCode };

const LOOKUP_FAILURES: Failures = {
  refused: 'LNURLP_REQUEST_FAILED',
  silent: 'LOOKUP_REQUEST_FAILED',
  unreadable: 'PARSE_LNURLP_RESPONSE_ERROR',
};
const PAY_FAILURES: Failures = {
  refused: 'PAYREQ_REQUEST_FAILED',
  silent: 'QUOTE_REQUEST_FAILED',
  unreadable: 'PARSE_PAYREQ_RESPONSE_ERROR',
};
const KEY_FAILURES: Failures = {
  refused: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  silent: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  unreadable: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
};

/** Faults of an answer that our caller is told by name. */
const WRONG_ANSWERS: { readonly [code in UmaFaultCode]?: ErrorCode } = {
  UNSUPPORTED_UMA_VERSION: 'NO_COMPATIBLE_UMA_VERSION',
  INVALID_PUBKEY_FORMAT: 'INVALID_PUBKEY_FORMAT',
  CERT_CHAIN_INVALID: 'CERT_CHAIN_INVALID',
  CERT_CHAIN_EXPIRED: 'CERT_CHAIN_EXPIRED',
};

async function send(exchange: Exchange, message: UmaMessage, failures: Failures): Promise<UmaReply> {
  try {
    return await exchange(message);
  } catch (error) {
    if (!(error instanceof UmaUnreachable)) throw error;
    throw new ApiError(error.isTimeout ? failures.silent : failures.refused);
  }
}

function requireTaken({ status }: UmaReply, failures: Failures): void {
  if (status >= 200 && status < 300) return;
  if (status === 412) throw new ApiError('UNSUPPORTED_UMA_VERSION');
  throw new ApiError(status >= 500 ? 'COUNTERPARTY_SERVER_ERROR' : failures.refused);
}

/** Reads an answer; one that cannot be read is the fault of the other side. */
async function readAnswer<Read>(failures: Failures, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UmaFault)) throw error;
    throw new ApiError(WRONG_ANSWERS[error.code] ?? failures.unreadable);
  }
}

const isGenuine = (signed: Signed, { signing }: UmaPublicKeys): boolean => isSignedBy(signed, signing) && isFresh(signed);

/** How messages reach a domain: in this process for the platform's own, else over its peer. Refuses a domain that nobody answers for. */
function counterpartyOf(
  { umaPeers }: Pick<UmaDeps, 'umaPeers'>,
  own: Signer,
  domain: string,
  inProcess: (message: UmaMessage) => Promise<UmaReply>,
  failures: Failures,
): Counterparty {
  if (domain === own.domain) return { exchange: inProcess, keys: async () => own.keys };
  const peer = umaPeers.find(domain);
  if (!peer) throw new ApiError(failures.refused, undefined, { reason: 'The domain of the address is not connected.' });
  const exchange: Exchange = (message) => peer.send(message, { domain: own.domain, keys: own.keys });
  return { exchange, keys: () => fetchKeys(exchange, domain) };
}

export async function fetchKeys(exchange: Exchange, domain: string): Promise<UmaPublicKeys> {
  const reply = await send(exchange, { method: 'GET', url: `https://${domain}/.well-known/lnurlpubkey` }, KEY_FAILURES);
  requireTaken({ ...reply, status: reply.status >= 500 ? 424 : reply.status }, KEY_FAILURES);
  return readAnswer(KEY_FAILURES, () => readPublicKeys(reply.text));
}

// ---- looking up a receiver

export async function askReceiver(deps: UmaDeps, platform: Platform, { address, domain }: UmaAddress, now: Date): Promise<FoundReceiver> {
  const { db, custody, rates } = deps;
  const own = signerOf(platform, await keysOf(db, custody, platform.id, now));
  const { exchange, keys } = counterpartyOf(
    deps,
    own,
    domain,
    ({ url }) => db.transaction((tx) => answerLookup(rates, tx, { platform, own, sender: own, now }, url)),
    LOOKUP_FAILURES,
  );
  const url = await writeLookup(own.privateKeys, { receiver: address, domain: own.domain });
  const reply = await send(exchange, { method: 'GET', url }, LOOKUP_FAILURES);
  if (reply.status === 404) throw new ApiError('UMA_NOT_FOUND');
  requireTaken(reply, LOOKUP_FAILURES);
  const found = await readAnswer(LOOKUP_FAILURES, () => readLookupAnswer(reply.text));
  const payerFields = fieldsOfProtocol(found.payerFields);
  const isUsable = found.receiver.toLowerCase() === address && isCallbackOf(found.callback, domain) && payerFields !== undefined;
  if (!isUsable || !isGenuine(found.signed, await keys())) throw new ApiError('LNURLP_REQUEST_FAILED');
  return {
    address,
    callback: found.callback,
    version: found.version,
    currencies: found.currencies
      .filter(({ code, min, max }) => isCurrency(code) && Number.isFinite(min) && Number.isFinite(max))
      .map(({ code, min, max }) => ({ code, min: BigInt(Math.ceil(min)), max: BigInt(Math.floor(max)) })),
    payerFields,
  };
}

// ---- asking for a payment

export type PaymentRequest = {
  readonly platform: Platform;
  readonly sender: string;
  readonly receiver: FoundReceiver;
  readonly amount: bigint;
  readonly currency: string;
  readonly senderData: PersonData;
  /** The payment that will be made. */
  readonly paymentId: TransactionId;
  readonly now: Date;
};

export const outcomePath = (paymentId: TransactionId): string => `/uma/payments/${uuidOf(paymentId)}`;

/** Asks the receiver's provider for the payment. A provider in this process is asked in a transaction, one on the network outside of any. */
export async function requestPayment(deps: Omit<UmaDeps, 'db'>, tx: Tx | Db, request: PaymentRequest): Promise<Agreement> {
  const { platform, sender, receiver, amount, currency, senderData, paymentId, now } = request;
  const own = signerOf(platform, await keysOf(tx, deps.custody, platform.id, now));
  const domain = receiver.address.slice(receiver.address.indexOf('@') + 1);
  const { exchange, keys } = counterpartyOf(
    deps,
    own,
    domain,
    ({ body = '' }) => answerPayRequest(deps.rates, tx as Tx, { platform, own, sender: own, now }, receiver.address, body),
    PAY_FAILURES,
  );
  const body = await writePayRequest(own.privateKeys, {
    payer: sender,
    currency,
    amount: toWire(amount),
    payerData: protocolData(senderData),
    payeeFields: [],
    callback: `https://${own.domain}${outcomePath(paymentId)}`,
    version: receiver.version,
  });
  const reply = await send(exchange, { method: 'POST', url: receiver.callback, body }, PAY_FAILURES);
  requireTaken(reply, PAY_FAILURES);
  const answer = await readAnswer(PAY_FAILURES, () => readPayAnswer(reply.text, sender, receiver.address));
  const isAsked = answer.currency === currency && answer.amount === toWire(amount) && isCallbackOf(answer.callback, domain);
  if (!isAsked || !isPlainText(answer.invoice) || !isGenuine(answer.signed, await keys())) throw new ApiError('INVALID_PAYREQ_RESPONSE');
  return { sender, receiver: receiver.address, amount, currency, invoice: answer.invoice, callback: answer.callback };
}
