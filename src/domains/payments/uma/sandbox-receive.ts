// Plays a payment from the counterparty of the sandbox to a customer: the same messages as from a provider on the network, in this process.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { idOf, type PlatformId, parseId } from '../../../kernel/ids.js';
import { MAX_AMOUNT, toWire } from '../../../kernel/money.js';
import { domainOfUma } from '../../../kernel/uma-address.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { RateProvider } from '../../../providers/rates.js';
import { readLookupAnswer, readPayAnswer, writeLookup, writePayRequest } from '../../../providers/uma/messages.js';
import { SANDBOX_DATA, SANDBOX_DOMAIN, SANDBOX_KEYS, type SandboxPerson, sandboxPerson } from '../../../providers/uma/sandbox-peer.js';
import { umaPublicKeys } from '../../../providers/uma/signatures.js';
import type { UmaReply } from '../../../providers/uma/uma.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { hasEndpoint } from '../../core/webhooks/actions.js';
import { findCustomerByUma, shareCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { IncomingPayment } from '../payments/payment.js';
import { amountIn, rateBetween, shownRate } from '../rates/actions.js';
import { answerLookup, answerPayRequest } from './answer.js';
import { keysOf, signerOf } from './keys.js';
import { announcePaid } from './receive.js';
import { isWithin, parseUmaAddress, receivableIn } from './rules.js';
import { lockInvoice } from './store.js';
import type { SandboxPayment } from './uma.js';

export type SandboxReceiveDeps = { readonly custody: KeyCustody; readonly rates: RateProvider };

export async function receiveInSandbox(
  deps: SandboxReceiveDeps,
  tx: Tx,
  platformId: PlatformId,
  request: SandboxPayment,
  now: Date,
): Promise<IncomingPayment> {
  const sender = parseUmaAddress(request.sender).address;
  const person = sandboxPerson(sender);
  const customer = await findReceiver(tx, platformId, request);
  if (!person) throw new ApiError('UMA_NOT_FOUND', undefined, { reason: 'The sandbox has no sender at that address.' });
  // Earlier versions took addresses of customers that no message can be sent to.
  if (domainOfUma(customer.umaAddress) === undefined) throw new ApiError('INVALID_UMA_ADDRESS');
  const platform = await getPlatform(tx, platformId);
  const receivable = receivableIn(platform, await findOwnAccounts(tx, platformId, customer.id), request.currency);
  if (!receivable) throw new ApiError('INVALID_CURRENCY');
  if (!isWithin(receivable, request.amount)) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  const sent = amountIn(deps.rates.table, { amount: request.amount, currency: request.currency }, person.currency);
  if (sent.amount > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  if (!(await hasEndpoint(tx, platformId))) throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET');

  const invoice = await agree(deps, tx, { platform, customer, sender, person, request, now });
  const rate = rateBetween(deps.rates.table, person.currency, request.currency);
  assert(rate, 'every currency has a published rate');
  const payment = await announcePaid(tx, {
    platform,
    invoice,
    sent,
    exchangeRate: shownRate({ rate }),
    counterpartId: null,
    ...(person.arrivesAfterMs === undefined && { refusedFor: 'COMPLIANCE_REJECTED' as const }),
    now,
  });
  assert(payment, 'a customer who takes the currency can be paid');
  return payment;
}

/** The customer that the request names in one or two ways. */
async function findReceiver(tx: Tx, platformId: PlatformId, { receiver, customerId }: SandboxPayment): Promise<Customer> {
  if (receiver === undefined && customerId === undefined) throw invalidField('receiverUmaAddress', 'is required, or customerId');
  const address = receiver === undefined ? undefined : parseUmaAddress(receiver).address;
  const byId = customerId === undefined ? undefined : await shareCustomer(tx, platformId, parseId('Customer', customerId));
  const byAddress = address === undefined ? undefined : await findCustomerByUma(tx, platformId, address);
  if (address !== undefined && !byAddress) throw new ApiError('UMA_NOT_FOUND');
  if (byId && byAddress && byId.id !== byAddress.id) throw invalidField('receiverUmaAddress', 'is not an address of the customer');
  const found = byId ?? byAddress;
  assert(found, 'a request names a receiver');
  return found;
}

type Agreeing = {
  readonly platform: Platform;
  readonly customer: Customer;
  readonly sender: string;
  readonly person: SandboxPerson;
  readonly request: SandboxPayment;
  readonly now: Date;
};

const accepted = ({ status, text }: UmaReply): string => {
  assert(status === 200, `the message of the sandbox was refused: ${text}`);
  return text;
};

/** Look-up and pay request of the sender's side. */
async function agree({ custody, rates }: SandboxReceiveDeps, tx: Tx, { platform, customer, sender, person, request, now }: Agreeing) {
  const own = signerOf(platform, await keysOf(tx, custody, platform.id, now));
  const answering = { platform, own, sender: { domain: SANDBOX_DOMAIN, keys: umaPublicKeys(SANDBOX_KEYS) }, now };
  const receiver = customer.umaAddress.toLowerCase();
  const url = await writeLookup(SANDBOX_KEYS, { receiver, domain: SANDBOX_DOMAIN });
  const found = await readLookupAnswer(accepted(await answerLookup(rates, tx, answering, url)));
  const body = await writePayRequest(SANDBOX_KEYS, {
    payer: sender,
    currency: request.currency,
    amount: toWire(request.amount),
    payerData: Object.fromEntries(found.payerFields.map(({ name }) => [name, SANDBOX_DATA[name] ?? 'Sandbox'])),
    payeeFields: person.payeeFields,
    callback: undefined,
    version: found.version,
  });
  const answer = await readPayAnswer(accepted(await answerPayRequest(rates, tx, answering, receiver, body)), sender, receiver);
  const invoice = await lockInvoice(tx, platform.id, idOf('Invoice', answer.invoice));
  assert(invoice, 'an invoice that was made exists');
  return invoice;
}
