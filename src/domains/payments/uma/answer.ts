// Answers messages of other providers: who can be paid here, and how. Every message is signed and counts once.
import type { Tx } from '../../../db/pool.js';
import { newId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { DAY_MS, plusMs } from '../../../kernel/time.js';
import type { RateProvider } from '../../../providers/rates.js';
import {
  agreedVersion,
  domainOf,
  type ReceivingCurrency,
  readLookup,
  readPayRequest,
  writeLookupAnswer,
  writePayAnswer,
} from '../../../providers/uma/messages.js';
import { isFresh, isSignedBy, type Signed } from '../../../providers/uma/signatures.js';
import { faultReply, UmaFault, type UmaReply, type UmaSender } from '../../../providers/uma/uma.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { Platform } from '../../core/platform/platform.js';
import { findCustomerByUma } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { millisatoshiOf } from '../rates/actions.js';
import type { Signer } from './keys.js';
import { dataOfProtocol, fieldsOfConfig, fieldsOfProtocol, isWithin, protocolName, type Receivable, receivableIn } from './rules.js';
import { insertInvoice, insertNonce } from './store.js';
import type { FieldDefinition, Invoice } from './uma.js';

export type Answering = {
  readonly platform: Platform;
  readonly own: Signer;
  /** Who sent the message, with the keys that its domain publishes. */
  readonly sender: UmaSender;
  readonly now: Date;
};

/** A message that is not taken is answered, not thrown. */
export async function replying(work: () => Promise<string>): Promise<UmaReply> {
  try {
    return { status: 200, text: await work() };
  } catch (error) {
    if (error instanceof UmaFault) return faultReply(error);
    throw error;
  }
}

/** Refuses a message that its sender did not sign, that is too old, or that was here before. */
export async function requireGenuine(
  tx: Tx,
  platformId: PlatformId,
  { domain, keys }: UmaSender,
  claimed: string,
  signed: Signed,
): Promise<void> {
  if (claimed !== domain || !isSignedBy(signed, keys.signing))
    throw new UmaFault('INVALID_SIGNATURE', 'The message is not signed by the domain that sent it.');
  if (!isFresh(signed)) throw new UmaFault('INVALID_TIMESTAMP', 'The message is too old.');
  if (!isPlainText(signed.nonce) || !(await insertNonce(tx, platformId, domain, signed.nonce, new Date(signed.timestamp * 1000))))
    throw new UmaFault('INVALID_NONCE', 'The message was here before.');
}

const NOBODY = (): UmaFault => new UmaFault('USER_NOT_FOUND', 'Nobody can be paid at this address.');

type Payee = { readonly customer: Customer; readonly accounts: readonly InternalAccount[] };

async function findPayee(tx: Tx, platform: Platform, receiver: string): Promise<Payee> {
  const customer = await findCustomerByUma(tx, platform.id, receiver);
  if (!customer) throw NOBODY();
  return { customer, accounts: await findOwnAccounts(tx, platform.id, customer.id) };
}

const receivables = (platform: Platform, { accounts }: Payee): Receivable[] =>
  platform.config.supportedCurrencies.flatMap(({ currencyCode }) => receivableIn(platform, accounts, currencyCode) ?? []);

const toReceivingCurrency = ({ table }: RateProvider, { config }: Receivable): ReceivingCurrency => ({
  code: config.currencyCode,
  multiplier: millisatoshiOf(table, config.currencyCode),
  min: Math.max(1, config.minAmount),
  max: config.maxAmount,
});

/** The fields of all currencies; one that a currency needs is mandatory. */
function fieldsOf(found: readonly Receivable[]): FieldDefinition[] {
  const all = found.flatMap(({ config }) => fieldsOfConfig(config));
  return [...new Set(all.map(({ name }) => name))].map((name) => ({
    name,
    mandatory: all.some((field) => field.name === name && field.mandatory),
  }));
}

const payPath = (name: string): string => `/uma/pay-requests/${encodeURIComponent(name)}`;

export const answerLookup = (rates: RateProvider, tx: Tx, { platform, own, sender }: Answering, url: string): Promise<UmaReply> =>
  replying(async () => {
    const lookup = await readLookup(url);
    await requireGenuine(tx, platform.id, sender, lookup.domain, lookup.signed);
    const payee = await findPayee(tx, platform, lookup.receiver);
    const found = receivables(platform, payee);
    if (found.length === 0) throw NOBODY();
    const receiver = payee.customer.umaAddress.toLowerCase();
    return writeLookupAnswer(own.privateKeys, {
      receiver: lookup.receiver,
      callback: `https://${own.domain}${payPath(receiver.slice(0, receiver.indexOf('@')))}`,
      currencies: found.map((receivable) => toReceivingCurrency(rates, receivable)),
      payerFields: fieldsOf(found).map(({ name, mandatory }) => ({ name: protocolName(name), mandatory })),
      version: await agreedVersion(lookup.version),
    });
  });

/** An invoice can be paid for a day: longer than any quote lives. */
const INVOICE_LIFE_MS = DAY_MS;

export const noticePath = (id: Invoice['id']): string => `/uma/invoices/${uuidOf(id)}`;

/** `receiver` is the address that the pay request was sent for. */
export const answerPayRequest = (
  rates: RateProvider,
  tx: Tx,
  { platform, own, sender, now }: Answering,
  receiver: string,
  body: string,
): Promise<UmaReply> =>
  replying(async () => {
    const request = await readPayRequest(body);
    await requireGenuine(tx, platform.id, sender, domainOf(request.payer), request.signed);
    const payee = await findPayee(tx, platform, receiver);
    const receivable = receivableIn(platform, payee.accounts, request.currency);
    if (!receivable) throw new UmaFault('INVALID_CURRENCY', 'The receiver does not take the currency.');
    const amount = BigInt(request.amount);
    if (!isWithin(receivable, amount)) throw new UmaFault('AMOUNT_OUT_OF_RANGE', 'The amount is outside the bounds of the receiver.');
    const senderData = dataOfProtocol(request.payerData);
    const missing = fieldsOfConfig(receivable.config).filter(({ name, mandatory }) => mandatory && senderData[name] === undefined);
    if (missing.length > 0)
      throw new UmaFault('MISSING_MANDATORY_PAYER_DATA', `Missing: ${missing.map(({ name }) => protocolName(name)).join(', ')}.`);
    const requestedFields = fieldsOfProtocol(request.payeeFields);
    if (!requestedFields) throw new UmaFault('PARSE_PAYREQ_REQUEST_ERROR', 'A mandatory field of the receiver is unknown.');
    if (request.callback !== undefined && !isCallbackOf(request.callback, sender.domain))
      throw new UmaFault('PARSE_PAYREQ_REQUEST_ERROR', 'utxoCallback must be at the domain of the payer.');
    const id = newId('Invoice');

    insertInvoice(tx, platform.id, {
      id,
      customerId: payee.customer.id,
      sender: request.payer.toLowerCase(),
      receiver: payee.customer.umaAddress.toLowerCase(),
      amount,
      currency: request.currency,
      senderData,
      requestedFields,
      callback: request.callback ?? null,
      paymentId: null,
      createdAt: now,
      expiresAt: plusMs(now, INVOICE_LIFE_MS),
    });
    return writePayAnswer(own.privateKeys, {
      invoice: uuidOf(id),
      currency: request.currency,
      amount: request.amount,
      callback: `https://${own.domain}${noticePath(id)}`,
      payer: request.payer,
      payee: receiver,
      multiplier: millisatoshiOf(rates.table, request.currency),
      version: request.version,
    });
  });

const MAX_CALLBACK = 2_000;
const PLAIN = /^[!-~]+$/;

/** Text of another provider that may be stored: printable and short. */
export const isPlainText = (text: string): boolean => text.length <= 255 && PLAIN.test(text);

/** Messages go to the domain that signs them and nowhere else. */
export function isCallbackOf(url: string, domain: string): boolean {
  if (url.length > MAX_CALLBACK || !PLAIN.test(url) || !URL.canParse(url)) return false;
  const { hostname, username, password } = new URL(url);
  return hostname === domain && username === '' && password === '';
}
