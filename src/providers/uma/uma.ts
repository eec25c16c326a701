// UMA: how payment providers find each other's customers and agree on payments. Messages travel as text, whoever the other side is: a
// provider on the network, another platform's customers here, or the counterparty of the sandbox in this process.

import type { ScheduledMessage } from '../rails.js';

export type UmaPrivateKeys = { readonly signing: Buffer; readonly encryption: Buffer };
/** Uncompressed, in hex. */
export type UmaPublicKeys = { readonly signing: string; readonly encryption: string };

export type UmaMessage = { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: string };
export type UmaReply = { readonly status: number; readonly text: string };

/** Who sends a message. The other side reads the keys at `https://<domain>/.well-known/lnurlpubkey`. */
export type UmaSender = { readonly domain: string; readonly keys: UmaPublicKeys };

export type UmaPeer = {
  /** Whether it answers without a network, so that it may be asked inside a transaction. */
  readonly isInProcess: boolean;
  /** What becomes of a payment to the receiver, where that is known beforehand: in the sandbox. Others report it later. */
  outcomeOf?(receiver: string): readonly ScheduledMessage[];
  /** How long money of the sender takes after the receiver's side has approved the payment; at once where it is not said. */
  arrivesAfterMs?(sender: string): number;
  /** Throws `UmaUnreachable` when there is no answer. */
  send(message: UmaMessage, sender: UmaSender): Promise<UmaReply>;
};

export class UmaUnreachable extends Error {
  readonly isTimeout: boolean;
  constructor(isTimeout: boolean) {
    super(isTimeout ? 'the counterparty did not answer in time' : 'the counterparty cannot be reached');
    this.isTimeout = isTimeout;
  }
}

export type UmaPeers = {
  /** Undefined for a domain that no message is sent to. Domains are in lower case. */
  find(domain: string): UmaPeer | undefined;
};

/** Why a message is not taken. The names are those of the protocol. */
export const UMA_FAULTS = {
  PARSE_LNURLP_REQUEST_ERROR: 400,
  PARSE_PAYREQ_REQUEST_ERROR: 400,
  PARSE_UTXO_CALLBACK_ERROR: 400,
  MISSING_REQUIRED_UMA_PARAMETERS: 400,
  MISSING_MANDATORY_PAYER_DATA: 400,
  INVALID_CURRENCY: 400,
  AMOUNT_OUT_OF_RANGE: 400,
  INVALID_PUBKEY_FORMAT: 400,
  CERT_CHAIN_INVALID: 400,
  CERT_CHAIN_EXPIRED: 400,
  UNSUPPORTED_UMA_VERSION: 412,
  INVALID_SIGNATURE: 401,
  INVALID_TIMESTAMP: 401,
  INVALID_NONCE: 401,
  COUNTERPARTY_NOT_ALLOWED: 403,
  COUNTERPARTY_PUBKEY_FETCH_ERROR: 424,
  USER_NOT_FOUND: 404,
  INVALID_REQUEST: 409,
} as const;
export type UmaFaultCode = keyof typeof UMA_FAULTS;

export class UmaFault extends Error {
  readonly code: UmaFaultCode;
  readonly beside: Readonly<Record<string, unknown>>;
  constructor(code: UmaFaultCode, reason: string, beside: Readonly<Record<string, unknown>> = {}) {
    super(reason);
    this.code = code;
    this.beside = beside;
  }
}

/** The answer to a message that is not taken. */
export const faultReply = ({ code, message, beside }: UmaFault): UmaReply => ({
  status: UMA_FAULTS[code],
  text: JSON.stringify({ status: 'ERROR', reason: message, code, ...beside }),
});
