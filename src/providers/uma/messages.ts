// The messages of UMA as text, built and read with the UMA SDK. A message that cannot be read is a `UmaFault`, never another error.
import { X509Certificate } from 'node:crypto';
import type * as Sdk from '@uma-sdk/core';
import { currencyOf } from '../../kernel/money.js';
import { isPublicKey, newStamp, type Signed, signText } from './signatures.js';
import { UmaFault, type UmaFaultCode, type UmaPrivateKeys, type UmaPublicKeys } from './uma.js';

/** Loaded at the first message: most processes never need it. */
let loading: Promise<typeof Sdk> | undefined;
const load = (): Promise<typeof Sdk> => {
  loading ??= import('@uma-sdk/core');
  return loading;
};

/** Money is settled between the two providers, outside the Lightning network. */
export const SETTLEMENT_LAYER = 'switchyard';

export type FieldRequest = { readonly name: string; readonly mandatory: boolean };
type Person = Readonly<Record<string, unknown>>;

/** Runs the reading of a message. Whatever is wrong with it is a fault of its sender. */
export async function reading<Read>(code: UmaFaultCode, read: (sdk: typeof Sdk) => Read): Promise<Read> {
  const sdk = await load();
  try {
    return read(sdk);
  } catch (error) {
    if (error instanceof UmaFault) throw error;
    if (error instanceof sdk.UnsupportedVersionError)
      throw new UmaFault('UNSUPPORTED_UMA_VERSION', 'The UMA version is not supported.', {
        supportedMajorVersions: error.supportedMajorVersions,
      });
    throw new UmaFault(code, 'The message cannot be read.');
  }
}

const required = <Value>(value: Value | undefined | null, what: string): Value => {
  if (value === undefined || value === null || value === '') throw new UmaFault('MISSING_REQUIRED_UMA_PARAMETERS', `${what} is missing.`);
  return value;
};

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

// ---- public keys

export const writePublicKeys = ({ signing, encryption }: UmaPublicKeys): string =>
  JSON.stringify({ signingPubKey: signing, encryptionPubKey: encryption });

export async function readPublicKeys(text: string): Promise<UmaPublicKeys> {
  return reading('COUNTERPARTY_PUBKEY_FETCH_ERROR', ({ PubKeyResponse }) => {
    const given = required(JSON.parse(text) as PublicKeyMembers | null, 'The answer');
    for (const chain of [given.signingCertChain, given.encryptionCertChain]) if (chain != null) requireValidChain(chain);
    const keys = PubKeyResponse.fromJson(text);
    const signing = Buffer.from(keys.getSigningPubKey()).toString('hex');
    const encryption = Buffer.from(keys.getEncryptionPubKey()).toString('hex');
    if (!isPublicKey(signing) || !isPublicKey(encryption)) throw new UmaFault('INVALID_PUBKEY_FORMAT', 'The keys are not well formed.');
    return { signing, encryption };
  });
}

type PublicKeyMembers = { readonly signingCertChain?: unknown; readonly encryptionCertChain?: unknown };

const certificateOf = (hex: unknown): X509Certificate | undefined => {
  try {
    return typeof hex === 'string' ? new X509Certificate(Buffer.from(hex, 'hex')) : undefined;
  } catch {
    return undefined;
  }
};

/** The leaf comes first; each certificate is issued by the next, and the present time is within the life of all. Nobody vouches for the last one. */
function requireValidChain(chain: unknown): void {
  const certificates = Array.isArray(chain) && chain.length > 0 ? chain.map(certificateOf) : [undefined];
  certificates.forEach((certificate, i) => {
    const issuer = i + 1 < certificates.length ? certificates[i + 1] : certificate;
    const isIssued =
      certificate && issuer && (issuer === certificate || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)));
    if (!isIssued || certificate.publicKey.asymmetricKeyType !== 'ec')
      throw new UmaFault('CERT_CHAIN_INVALID', 'The certificate chain is not valid.');
    const now = Date.now();
    if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo))
      throw new UmaFault('CERT_CHAIN_EXPIRED', 'A certificate is not valid at present.');
  });
}

// ---- configuration

export const writeConfiguration = async (requestEndpoint: string): Promise<string> =>
  JSON.stringify({ uma_major_versions: [...(await load()).getSupportedMajorVersions()].sort(), uma_request_endpoint: requestEndpoint });

// ---- look-up of a receiver

export type Lookup = { readonly receiver: string; readonly domain: string; readonly version: string; readonly signed: Signed };

export async function writeLookup(
  keys: UmaPrivateKeys,
  { receiver, domain, version }: { readonly receiver: string; readonly domain: string; readonly version?: string | undefined },
): Promise<string> {
  const { encodeToUrl, getSignableLnurlpRequestPayload, UmaProtocolVersion } = await load();
  const { nonce, timestamp } = newStamp();
  const request = {
    receiverAddress: receiver,
    isSubjectToTravelRule: true,
    vaspDomain: domain,
    nonce,
    timestamp: new Date(timestamp * 1000),
    umaVersion: version ?? UmaProtocolVersion,
  };
  return encodeToUrl({ ...request, signature: signText(getSignableLnurlpRequestPayload(request), keys.signing) }).toString();
}

export const readLookup = (url: string): Promise<Lookup> =>
  reading('PARSE_LNURLP_REQUEST_ERROR', ({ parseLnurlpRequest, isLnurlpRequestForUma, getSignableLnurlpRequestPayload }) => {
    const request = parseLnurlpRequest(new URL(url));
    if (!isLnurlpRequestForUma(request)) throw new UmaFault('MISSING_REQUIRED_UMA_PARAMETERS', 'The look-up is not signed.');
    const { receiverAddress, vaspDomain, nonce, timestamp, umaVersion, signature } = request;
    const seconds = timestamp.getTime() / 1000;
    if (!Number.isSafeInteger(seconds)) throw new UmaFault('PARSE_LNURLP_REQUEST_ERROR', 'The timestamp cannot be read.');
    return {
      receiver: receiverAddress,
      domain: vaspDomain.toLowerCase(),
      version: umaVersion,
      signed: { payload: getSignableLnurlpRequestPayload(request), signature, nonce, timestamp: seconds },
    };
  });

/** A currency that a receiver takes. `multiplier`: millisatoshi per smallest unit. */
export type ReceivingCurrency = { readonly code: string; readonly multiplier: number; readonly min: number; readonly max: number };

export type LookupAnswer = {
  readonly receiver: string;
  /** Where the pay request goes. */
  readonly callback: string;
  readonly currencies: readonly ReceivingCurrency[];
  /** Data about the payer that the receiver asks for, by the names of the protocol. */
  readonly payerFields: readonly FieldRequest[];
  readonly version: string;
};

const optionsOf = (fields: readonly FieldRequest[]): Record<string, { mandatory: boolean }> =>
  Object.fromEntries(fields.map(({ name, mandatory }) => [name, { mandatory }]));
const fieldsOf = (options: Readonly<Record<string, { mandatory: boolean }>> | undefined): FieldRequest[] =>
  Object.entries(options ?? {}).map(([name, { mandatory }]) => ({ name, mandatory }));

/** The version of an answer: the lower of both sides. */
export const agreedVersion = async (asked: string): Promise<string> => {
  const { selectLowerVersion, UmaProtocolVersion } = await load();
  return selectLowerVersion(asked, UmaProtocolVersion);
};

export async function writeLookupAnswer(keys: UmaPrivateKeys, answer: LookupAnswer): Promise<string> {
  const { Currency, KycStatus, LnurlpResponse, getMajorVersion } = await load();
  const { receiver, callback, payerFields, version } = answer;
  const { nonce, timestamp } = newStamp();
  const major = getMajorVersion(version);
  const currencies = answer.currencies.map(({ code, multiplier, min, max }) => {
    const { name, symbol, decimals } = currencyOf(code);
    return new Currency(code, name, symbol, multiplier, min, max, decimals, major);
  });
  const millisatoshi = answer.currencies.map(({ multiplier, min, max }) => ({ min: min * multiplier, max: max * multiplier }));
  return new LnurlpResponse(
    callback,
    Math.ceil(Math.min(...millisatoshi.map(({ min }) => min))),
    Math.floor(Math.max(...millisatoshi.map(({ max }) => max))),
    JSON.stringify([['text/identifier', receiver]]),
    {
      kycStatus: KycStatus.Verified,
      signature: signText(`${receiver}|${nonce}|${timestamp}`, keys.signing),
      signatureNonce: nonce,
      signatureTimestamp: timestamp,
      isSubjectToTravelRule: true,
      receiverIdentifier: receiver,
    },
    version,
    currencies,
    optionsOf([{ name: 'identifier', mandatory: true }, { name: 'compliance', mandatory: true }, ...payerFields]),
    undefined,
    undefined,
    undefined,
    [
      {
        settlementLayer: SETTLEMENT_LAYER,
        assets: answer.currencies.map(({ code }) => ({ identifier: code, multipliers: { [code]: 1 } })),
      },
    ],
  ).toJsonString();
}

/** Always sent with a pay request, so they are not asked of the caller. */
const STANDARD_FIELDS: ReadonlySet<string> = new Set(['identifier', 'compliance']);

export const readLookupAnswer = (text: string): Promise<LookupAnswer & { readonly signed: Signed }> =>
  reading('PARSE_LNURLP_REQUEST_ERROR', ({ LnurlpResponse, isVersionSupported }) => {
    const answer = LnurlpResponse.fromJson(text);
    if (!answer.isUma()) throw new UmaFault('MISSING_REQUIRED_UMA_PARAMETERS', 'The answer is not one of UMA.');
    const { compliance, currencies, payerData, umaVersion, callback, settlementOptions } = answer;
    if (!isVersionSupported(umaVersion)) throw new UmaFault('UNSUPPORTED_UMA_VERSION', 'The UMA version is not supported.');
    if (!settlementOptions?.some(({ settlementLayer }) => settlementLayer === SETTLEMENT_LAYER))
      throw new UmaFault('MISSING_REQUIRED_UMA_PARAMETERS', 'There is no common way of settlement.');
    return {
      receiver: compliance.receiverIdentifier,
      callback,
      currencies: currencies.map(({ code, multiplier, minSendable, maxSendable }) => ({
        code,
        multiplier,
        min: Math.max(1, minSendable),
        max: Math.min(Number.MAX_SAFE_INTEGER, maxSendable),
      })),
      payerFields: fieldsOf(payerData).filter(({ name }) => !STANDARD_FIELDS.has(name)),
      version: umaVersion,
      signed: {
        payload: answer.signablePayload(),
        signature: compliance.signature,
        nonce: compliance.signatureNonce,
        timestamp: compliance.signatureTimestamp,
      },
    };
  });

// ---- pay request

export type PayRequest = {
  readonly payer: string;
  readonly currency: string;
  /** In the smallest unit of the receiving currency. */
  readonly amount: number;
  readonly payerData: Person;
  /** Data about the receiver that the payer asks for. */
  readonly payeeFields: readonly FieldRequest[];
  /** Where the outcome of the payment goes. */
  readonly callback: string | undefined;
};

export async function writePayRequest(keys: UmaPrivateKeys, request: PayRequest & { readonly version: string }): Promise<string> {
  const { KycStatus, PayRequest: Message, getMajorVersion } = await load();
  const { payer, currency, amount, payerData, payeeFields, callback, version } = request;
  const { nonce, timestamp } = newStamp();
  const compliance = {
    kycStatus: KycStatus.Verified,
    utxos: [],
    utxoCallback: callback,
    signatureNonce: nonce,
    signatureTimestamp: timestamp,
    signature: signText(`${payer}|${nonce}|${timestamp}`, keys.signing),
  };
  return new Message(
    amount,
    currency,
    currency,
    getMajorVersion(version),
    { ...payerData, identifier: payer, compliance },
    optionsOf(payeeFields),
    undefined,
    undefined,
    { layer: SETTLEMENT_LAYER, assetIdentifier: currency },
  ).toJsonString();
}

export type SignedPayRequest = PayRequest & { readonly version: string; readonly signed: Signed };

export const readPayRequest = (text: string): Promise<SignedPayRequest> =>
  reading('PARSE_PAYREQ_REQUEST_ERROR', (sdk) => {
    const request = sdk.PayRequest.fromJson(text);
    const { payerData, receivingCurrencyCode, sendingAmountCurrencyCode, umaMajorVersion, amount, settlement } = request;
    const currency = required(receivingCurrencyCode, 'convert');
    const { identifier, compliance, ...data } = payerData ?? {};
    const { signature, signatureNonce, signatureTimestamp, utxoCallback } = required(compliance, 'payerData.compliance');
    const payer = required(identifier, 'payerData.identifier');
    if (!sdk.isValidUmaAddress(payer)) throw new UmaFault('PARSE_PAYREQ_REQUEST_ERROR', 'payerData.identifier is not a UMA address.');
    if (umaMajorVersion > 0 && sendingAmountCurrencyCode !== currency)
      throw new UmaFault('INVALID_CURRENCY', 'The amount must be in the receiving currency.');
    if (umaMajorVersion > 0 && settlement?.layer !== SETTLEMENT_LAYER)
      throw new UmaFault('PARSE_PAYREQ_REQUEST_ERROR', 'There is no common way of settlement.');
    if (!Number.isSafeInteger(amount) || amount < 1)
      throw new UmaFault('AMOUNT_OUT_OF_RANGE', 'The amount must be a whole number above zero.');
    return {
      payer,
      currency,
      amount,
      payerData: data,
      payeeFields: fieldsOf(request.requestedPayeeData).filter(({ name }) => !STANDARD_FIELDS.has(name)),
      callback: utxoCallback ?? undefined,
      version: sdk.getHighestSupportedVersionForMajorVersion(umaMajorVersion),
      signed: { payload: request.signablePayload(), signature, nonce: signatureNonce, timestamp: signatureTimestamp },
    };
  });

export type PayAnswer = {
  /** Names the payment from now on. */
  readonly invoice: string;
  readonly currency: string;
  readonly amount: number;
  /** Where the notice that it is paid goes. */
  readonly callback: string;
};

export async function writePayAnswer(
  keys: UmaPrivateKeys,
  answer: PayAnswer & { readonly payer: string; readonly payee: string; readonly multiplier: number; readonly version: string },
): Promise<string> {
  const { PayReqResponse, getMajorVersion } = await load();
  const { invoice, currency, amount, callback, payer, payee, multiplier, version } = answer;
  const { nonce, timestamp } = newStamp();
  const compliance = {
    utxos: [],
    utxoCallback: callback,
    signatureNonce: nonce,
    signatureTimestamp: timestamp,
    signature: signText(`${payer}|${payee}|${nonce}|${timestamp}`, keys.signing),
  };
  return new PayReqResponse(
    invoice,
    { identifier: payee, compliance },
    { amount, currencyCode: currency, decimals: currencyOf(currency).decimals, multiplier, fee: 0 },
    false,
    undefined,
    getMajorVersion(version),
  ).toJsonString();
}

export const readPayAnswer = (text: string, payer: string, payee: string): Promise<PayAnswer & { readonly signed: Signed }> =>
  reading('PARSE_PAYREQ_REQUEST_ERROR', ({ PayReqResponse }) => {
    const answer = PayReqResponse.fromJson(text);
    const { compliance } = answer.payeeData ?? {};
    const { utxoCallback, signature, signatureNonce, signatureTimestamp } = required(compliance, 'payeeData.compliance');
    const { amount, currencyCode } = required(answer.converted, 'converted');
    return {
      invoice: required(answer.pr, 'pr'),
      currency: currencyCode,
      amount: required(amount, 'converted.amount'),
      callback: required(utxoCallback, 'utxoCallback'),
      signed: {
        payload: answer.signablePayload(payer, payee),
        signature: required(signature, 'signature'),
        nonce: required(signatureNonce, 'signatureNonce'),
        timestamp: required(signatureTimestamp, 'signatureTimestamp'),
      },
    };
  });
