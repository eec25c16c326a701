// The counterparty of the sandbox: a provider at a domain of its own, in this process. It reads and writes the same messages as a provider on
// the network. The name of a receiver or sender chooses what happens.
import { createHash } from 'node:crypto';
import { newUuid } from '../../kernel/ids.js';
import { currencyOf } from '../../kernel/money.js';
import { MINUTE_MS } from '../../kernel/time.js';
import type { ScheduledMessage } from '../rails.js';
import { sandboxRates } from '../sandbox-rates.js';
import {
  agreedVersion,
  domainOf,
  type FieldRequest,
  readLookup,
  readPayRequest,
  writeLookupAnswer,
  writePayAnswer,
  writePublicKeys,
} from './messages.js';
import { isFresh, isSignedBy, type Signed, umaPublicKeys } from './signatures.js';
import { faultReply, UmaFault, type UmaMessage, type UmaPeer, type UmaPrivateKeys, type UmaReply, type UmaSender } from './uma.js';

export const SANDBOX_DOMAIN = 'sandbox.uma.money';

const LONG_MS = 6 * MINUTE_MS;

export type SandboxPerson = {
  readonly currency: string;
  /** What the person asks for about a payer. */
  readonly payerFields: readonly FieldRequest[];
  /** What the person asks for about the receiver of a payment. */
  readonly payeeFields: readonly FieldRequest[];
  /** What happens to a payment to the person. */
  readonly payout: Omit<ScheduledMessage, 'id'>;
  /** How long a payment of the person takes after it was approved; undefined when compliance refuses it. */
  readonly arrivesAfterMs: number | undefined;
};

const plain = (currency: string): SandboxPerson => ({
  currency,
  payerFields: [],
  payeeFields: [],
  payout: { kind: 'SETTLED', afterMs: 0 },
  arrivesAfterMs: 0,
});

const PEOPLE: Readonly<Record<string, SandboxPerson>> = {
  '$success.usd': plain('USD'),
  '$success.eur': {
    ...plain('EUR'),
    payerFields: [
      { name: 'name', mandatory: true },
      { name: 'birthDate', mandatory: true },
      { name: 'nationality', mandatory: false },
    ],
    payeeFields: [
      { name: 'name', mandatory: true },
      { name: 'countryOfResidence', mandatory: true },
      { name: 'nationality', mandatory: false },
    ],
  },
  '$success.mxn': plain('MXN'),
  '$pending.long.usd': { ...plain('USD'), payout: { kind: 'SETTLED', afterMs: LONG_MS }, arrivesAfterMs: LONG_MS },
  '$fail.compliance.usd': {
    ...plain('USD'),
    payout: { kind: 'FAILED', reason: 'COMPLIANCE_REJECTED', afterMs: 0 },
    arrivesAfterMs: undefined,
  },
};

/** Undefined for an address of another domain, and for a name that nobody has. */
export function sandboxPerson(address: string): SandboxPerson | undefined {
  const [name = '', domain] = address.toLowerCase().split('@');
  return domain === SANDBOX_DOMAIN && Object.hasOwn(PEOPLE, name) ? PEOPLE[name] : undefined;
}

/** What senders of the sandbox say of themselves, by the names of the protocol. They know every field that they are asked for. */
export const SANDBOX_DATA: Readonly<Record<string, unknown>> = {
  name: 'Sandbox Sender',
  birthDate: '1985-06-15',
  nationality: 'US',
  countryOfResidence: 'US',
  email: 'sender@sandbox.uma.money',
  phoneNumber: '+15555550100',
  postalAddress: { line1: '1 Sandbox Street', city: 'San Francisco', state: 'CA', postalCode: '94105', country: 'US' },
  userType: 'INDIVIDUAL',
};

/** Everybody can make these messages, so the keys need no secret. */
const derived = (what: string): Buffer => createHash('sha256').update(`switchyard sandbox uma ${what}`).digest();
export const SANDBOX_KEYS: UmaPrivateKeys = { signing: derived('signing'), encryption: derived('encryption') };

/** Millisatoshi per smallest unit, at the published rates. */
function multiplierOf(currency: string): number {
  const rate = sandboxRates.table.rateOf(currency, 'BTC');
  return rate ? (Number(rate.numerator) / Number(rate.denominator)) * 10 ** (11 - currencyOf(currency).decimals) : 1;
}

function require({ signed, domain }: { readonly signed: Signed; readonly domain: string }, sender: UmaSender): void {
  if (domain !== sender.domain || !isSignedBy(signed, sender.keys.signing))
    throw new UmaFault('INVALID_SIGNATURE', 'The message is not signed by its sender.');
  if (!isFresh(signed)) throw new UmaFault('INVALID_TIMESTAMP', 'The message is too old.');
}

async function answerLookup(url: string, sender: UmaSender): Promise<UmaReply> {
  const lookup = await readLookup(url);
  require(lookup, sender);
  const person = sandboxPerson(lookup.receiver);
  if (!person) throw new UmaFault('USER_NOT_FOUND', 'Nobody has this address.');
  const { currency, payerFields } = person;
  const text = await writeLookupAnswer(SANDBOX_KEYS, {
    receiver: lookup.receiver,
    callback: `https://${SANDBOX_DOMAIN}/pay/${encodeURIComponent(lookup.receiver)}`,
    currencies: [{ code: currency, multiplier: multiplierOf(currency), min: 1, max: Number.MAX_SAFE_INTEGER }],
    payerFields,
    version: await agreedVersion(lookup.version),
  });
  return { status: 200, text };
}

async function answerPayRequest(payee: string, body: string, sender: UmaSender): Promise<UmaReply> {
  const request = await readPayRequest(body);
  require({ signed: request.signed, domain: domainOf(request.payer) }, sender);
  const person = sandboxPerson(payee);
  if (!person) throw new UmaFault('USER_NOT_FOUND', 'Nobody has this address.');
  if (request.currency !== person.currency) throw new UmaFault('INVALID_CURRENCY', 'The receiver does not take the currency.');
  const missing = person.payerFields.filter(({ name, mandatory }) => mandatory && request.payerData[name] === undefined);
  if (missing.length > 0) throw new UmaFault('MISSING_MANDATORY_PAYER_DATA', `Missing: ${missing.map(({ name }) => name).join(', ')}.`);
  const text = await writePayAnswer(SANDBOX_KEYS, {
    invoice: `sandbox-${newUuid()}`,
    currency: request.currency,
    amount: request.amount,
    callback: `https://${SANDBOX_DOMAIN}/paid`,
    payer: request.payer,
    payee,
    multiplier: multiplierOf(request.currency),
    version: request.version,
  });
  return { status: 200, text };
}

async function answer({ method, url, body = '' }: UmaMessage, sender: UmaSender): Promise<UmaReply> {
  const { pathname } = new URL(url);
  if (method === 'GET' && pathname === '/.well-known/lnurlpubkey')
    return { status: 200, text: writePublicKeys(umaPublicKeys(SANDBOX_KEYS)) };
  if (method === 'GET') return answerLookup(url, sender);
  return answerPayRequest(decodeURIComponent(pathname.replace(/^\/pay\//, '')), body, sender);
}

export const sandboxPeer: UmaPeer = {
  isInProcess: true,
  arrivesAfterMs: (sender) => sandboxPerson(sender)?.arrivesAfterMs ?? 0,
  outcomeOf: (receiver) => {
    const person = sandboxPerson(receiver);
    return person ? [{ ...person.payout, id: person.payout.kind }] : [];
  },
  send: async (message, sender) => {
    try {
      return await answer(message, sender);
    } catch (error) {
      if (error instanceof UmaFault) return faultReply(error);
      throw error;
    }
  },
};
