// Notices between two providers that settle with each other: that an invoice is paid, and what became of it. A notice is the protocol's
// callback after a payment. The callback signs neither its receiver nor its content, so the settlement in it is signed on its own.
import type * as Sdk from '@uma-sdk/core';
import { reading } from './messages.js';
import { isSignedBy, newStamp, type Signed, type Stamp, signText } from './signatures.js';
import { UmaFault, type UmaPrivateKeys, type UmaPublicKeys } from './uma.js';

/** PAID is sent to the receiver's provider, the others to the sender's. */
export const NOTICE_OUTCOMES = ['PAID', 'SETTLED', 'REFUSED'] as const;
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number];

export type Settlement = {
  readonly invoice: string;
  /** In the smallest unit of the currency, in digits. */
  readonly amount: string;
  readonly currency: string;
  readonly outcome: NoticeOutcome;
};

export type Notice = {
  /** The domain that sent it. */
  readonly domain: string;
  readonly settlement: Settlement;
  readonly signed: Signed;
  readonly settlementSignature: string;
};

/** Names the receiver of the notice, so that a notice for one provider says nothing to another. */
const payloadOf = ({ invoice, amount, currency, outcome }: Settlement, audience: string, { nonce, timestamp }: Stamp): string =>
  ['switchyard settlement', audience, invoice, amount, currency, outcome, nonce, timestamp].join('|');

export function writeNotice(keys: UmaPrivateKeys, domain: string, audience: string, settlement: Settlement): string {
  const stamp = newStamp();
  const callback: Sdk.PostTransactionCallback = {
    utxos: [],
    vaspDomain: domain,
    signatureNonce: stamp.nonce,
    signatureTimestamp: stamp.timestamp,
    signature: signText(`${stamp.nonce}|${stamp.timestamp}`, keys.signing),
  };
  const signature = signText(payloadOf(settlement, audience, stamp), keys.signing);
  return JSON.stringify({ ...callback, settlement: { ...settlement, signature } });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0 && value.length <= 255;
const isOutcome = (value: unknown): value is NoticeOutcome => NOTICE_OUTCOMES.some((outcome) => outcome === value);

export const readNotice = (text: string): Promise<Notice> =>
  reading('PARSE_UTXO_CALLBACK_ERROR', ({ parsePostTransactionCallback, getSignablePostTransactionCallback }) => {
    const callback = parsePostTransactionCallback(text);
    const { settlement } = JSON.parse(text) as { settlement?: Record<string, unknown> };
    const { invoice, amount, currency, outcome, signature } = settlement ?? {};
    if (!isText(invoice) || !isText(amount) || !isText(currency) || !isOutcome(outcome) || !isText(signature))
      throw new UmaFault('PARSE_UTXO_CALLBACK_ERROR', 'The callback names no settlement.');
    return {
      domain: callback.vaspDomain.toLowerCase(),
      settlement: { invoice, amount, currency, outcome },
      signed: {
        payload: getSignablePostTransactionCallback(callback),
        signature: callback.signature,
        nonce: callback.signatureNonce,
        timestamp: callback.signatureTimestamp,
      },
      settlementSignature: signature,
    };
  });

export const isSettlementSigned = (
  { settlement, signed, settlementSignature }: Notice,
  audience: string,
  { signing }: UmaPublicKeys,
): boolean => isSignedBy({ payload: payloadOf(settlement, audience, signed), signature: settlementSignature }, signing);
