// The UMA side of a history: payments that wait for the platform, and the messages of another provider.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expectStatus } from '../../support/client.js';
import { quoting } from '../../support/quotes.js';
import type { Bounds } from '../../support/receiver-model.js';
import { PROVIDER_ADDRESS, PROVIDER_DOMAIN } from '../../support/uma-provider.js';
import { type Message, newUmaKeys, readLookupAnswer, readPayAnswer, sendMessage, umaSender } from '../../support/uma-sender.js';
import { envelopeOf, settle } from '../../support/webhooks/platform.js';
import type { Reply } from '../../support/webhooks/receiver.js';
import { History } from './history.js';
import { theOutside } from './outside.js';
import { type Agreed, type Incoming, isOutgoing, isWaiting, type Outgoing, type Person, UmaBook } from './uma-book.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
type Resource = any;

export const EURO: Bounds = { code: 'EUR', min: 500, max: 600_000 };
export const DOLLAR: Bounds = { code: 'USD', min: 1, max: 100_000_000_000_000 };
export const INFO = { FULL_NAME: 'Ada Lovelace', COUNTRY_OF_RESIDENCE: 'GB' };
export const WITH_INFO = { status: 200, body: JSON.stringify({ receiverCustomerInfo: INFO }) };
export const ASKED_OF_PAYERS = [
  { name: 'FULL_NAME', mandatory: true },
  { name: 'BIRTH_DATE', mandatory: false },
];

export abstract class UmaHistory extends History {
  protected readonly pay = quoting(this.platform);
  protected readonly outside = theOutside();
  protected readonly book = new UmaBook(() => this.now);
  protected readonly people: Person[] = [];
  /** The domain of the platform. */
  protected domain = '';
  private readonly port = Number(new URL(this.service.url).port);

  protected get present(): Person[] {
    return this.people.filter(({ isDeleted }) => !isDeleted);
  }
  /** Mostly somebody who is still there. */
  protected somebody(): Person {
    return this.random.pick(this.random.chance(0.85) && this.present.length > 0 ? this.present : this.people);
  }

  // ---- comparison

  protected async comparePayment(payment: Outgoing | Incoming): Promise<void> {
    const settledAt = payment.settledAt && new Date(payment.settledAt).toISOString();
    const expected = [payment.status, payment.failure, payment.refund, settledAt, payment.sent, payment.received, payment.ends];
    const read = async () => {
      const shown = await expectStatus(200, this.platform.get(`/transactions/${payment.id}`));
      const end = (side: Resource) => side.umaAddress ?? side.accountId;
      const amount = (of: Resource) => (of ? [of.amount, of.currency.code] : undefined);
      const amounts = [amount(shown.sentAmount), amount(shown.receivedAmount)];
      return [
        shown.status,
        shown.failureReason,
        shown.refund?.status,
        shown.settledAt,
        ...amounts,
        [end(shown.source), end(shown.destination)],
      ];
    };
    // The worker runs beside the history: what is due now is done soon.
    let shown = await read();
    for (let left = 400; left > 0 && !isDeepStrictEqual(shown, expected); left -= 1) {
      await new Promise((wake) => setTimeout(wake, 25));
      shown = await read();
    }
    this.same(shown, expected, `the ${payment.kind} payment`);
    await this.comparePerson(payment.person);
    if (!isOutgoing(payment) && payment.cause && 'quote' in payment.cause) await this.comparePayment(payment.cause);
  }

  protected async comparePerson({ id, accounts }: Person): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${id}`));
    const shown = new Map(data.map((account: Resource) => [account.id, [account.balance.amount, account.totalBalance.amount]]));
    for (const account of accounts) this.same(shown.get(account.id), [account.balance, account.balance], `the ${account.currency} account`);
  }

  // ---- payments that wait for the platform

  protected anyAnswer(): Reply {
    return this.random.pick<Reply>([200, 200, WITH_INFO, WITH_INFO, 202, 202, 403, 422, 500, 'RESET']);
  }

  /** What the platform's endpoint says when it is asked. */
  protected ask(reply: Reply): Reply {
    this.outside.endpoint.received.length = 0;
    this.outside.question = reply;
    return reply;
  }

  /** The worker runs beside the history: what is due now is done soon. */
  protected async until(isDone: () => boolean, what: string): Promise<void> {
    for (let left = 400; left > 0 && !isDone(); left -= 1) await new Promise((wake) => setTimeout(wake, 25));
    this.same(isDone(), true, what);
  }

  /** The payment to the address that is not known yet. */
  protected async newIncoming(address: string): Promise<string> {
    const known = new Set(this.book.payments.map(({ id }) => id));
    const query = new URLSearchParams({ type: 'INCOMING', receiverAccountIdentifier: address, limit: '100' });
    for (let left = 400; ; left -= 1) {
      const { data } = await expectStatus(200, this.platform.get(`/transactions?${query}`));
      const found = data.filter(({ id }: Resource) => !known.has(id));
      if (found.length > 0 || left === 0) {
        this.same(found.length, 1, 'one new payment');
        return found[0].id;
      }
      await new Promise((wake) => setTimeout(wake, 25));
    }
  }

  /** The platform was asked, and its answer decides. */
  protected async announce(payment: Incoming, reply: Reply): Promise<void> {
    const isAsked = () => this.outside.endpoint.received.some((received) => envelopeOf(received).data?.id === payment.id);
    await this.until(isAsked, 'the platform is asked');
    if (reply === 202) this.book.wait(payment);
    else if (reply === WITH_INFO) this.book.approve(payment);
    else if (reply === 200 && payment.asksPayee) this.book.refuse(payment, 'MISSING_MANDATORY_PAYEE_DATA');
    else if (reply === 200) this.book.approve(payment);
    else if (reply === 403) this.book.refuse(payment);
    else if (reply === 422) this.book.refuse(payment, 'PAY_REQUEST_FAILED');
    else this.book.refuse(payment, 'PAYMENT_APPROVAL_WEBHOOK_ERROR');
    await this.comparePayment(payment);
  }

  async decide(): Promise<void> {
    const waiting = this.book.payments.filter(isWaiting);
    const payment = this.any(waiting.length > 0 && this.random.chance(0.8) ? waiting : this.book.payments);
    if (!payment) return;
    const isApproved = this.random.chance(0.6);
    const hasInfo = this.random.chance(0.6);
    this.note('decide', isApproved ? 'approve' : 'reject', payment.kind, payment.status);
    const path = `/transactions/${payment.id}/${isApproved ? 'approve' : 'reject'}`;
    const answer = await this.platform.post(path, isApproved && hasInfo ? { receiverCustomerInfo: INFO } : {});
    if (isOutgoing(payment) || !isWaiting(payment)) return this.agree(answer, [409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL']);
    const isIncomplete = isApproved && payment.asksPayee && !hasInfo;
    this.agree(answer, isIncomplete ? [400, 'MISSING_MANDATORY_USER_INFO'] : 200);
    if (isApproved && !isIncomplete) this.book.approve(payment);
    else if (!isApproved) this.book.refuse(payment);
    await this.comparePayment(payment);
  }

  // ---- messages of the other provider

  protected send(message: Message, id: string, host = this.domain): Promise<{ status: number; text: string }> {
    this.called.add(id);
    return sendMessage(this.port, host, message);
  }

  /** Refusals are in the form of the protocol. */
  protected agreeMessage({ status, text }: { status: number; text: string }, expected: number | readonly [number, string]): void {
    const got = status === 200 ? 200 : [status, JSON.parse(text).code];
    this.same(got, expected, text);
  }

  protected sender = (domain = PROVIDER_DOMAIN, keys = this.outside.provider.keys) => umaSender(keys, domain, this.domain);

  async published(): Promise<void> {
    this.note('published');
    const [keys, configuration] = ['/.well-known/lnurlpubkey', '/.well-known/uma-configuration'].map(
      (path) => ({ method: 'GET', path }) as Message,
    );
    const read = async (message: Message | undefined, id: string, host?: string) => this.send(message as Message, id, host);
    const first = await read(keys, 'getUmaPublicKeys');
    this.same(first.status, 200, first.text);
    this.same(Object.keys(JSON.parse(first.text)).sort(), ['encryptionPubKey', 'signingPubKey'], 'the keys');
    this.same((await read(keys, 'getUmaPublicKeys', `${this.domain.toUpperCase()}:443`)).text, first.text, 'the same keys');
    const { uma_major_versions: versions, uma_request_endpoint: endpoint } = JSON.parse(
      (await read(configuration, 'getUmaConfiguration')).text,
    );
    this.same([versions, new URL(endpoint).hostname], [[0, 1], this.domain], 'the configuration');
    for (const message of [keys, configuration])
      this.same((await read(message, 'getUmaPublicKeys', 'elsewhere.example')).status, 404, 'another Host');
  }

  async asked(): Promise<void> {
    const person = this.somebody();
    const wrong = this.random.pick([undefined, undefined, 'TWICE', 'FORGED', 'STRANGER', 'UNSIGNED', 'NOBODY'] as const);
    this.note('asked', wrong ?? '', person.isDeleted ? 'deleted' : '');
    const sender =
      wrong === 'FORGED' ? this.sender(PROVIDER_DOMAIN, newUmaKeys()) : this.sender(wrong === 'STRANGER' ? 'evil.example' : undefined);
    const genuine = await sender.lookup(wrong === 'NOBODY' ? `$nobody@${this.domain}` : person.address);
    const message = wrong === 'UNSIGNED' ? { ...genuine, path: genuine.path.split('?')[0] as string } : genuine;
    const answer = await this.send(message, 'answerUmaLookup');
    if (wrong === 'FORGED') return this.agreeMessage(answer, [401, 'INVALID_SIGNATURE']);
    if (wrong === 'STRANGER') return this.agreeMessage(answer, [403, 'COUNTERPARTY_NOT_ALLOWED']);
    if (wrong === 'UNSIGNED') return this.agreeMessage(answer, [400, 'MISSING_REQUIRED_UMA_PARAMETERS']);
    if (wrong === 'NOBODY' || person.isDeleted) return this.agreeMessage(answer, [404, 'USER_NOT_FOUND']);
    this.agreeMessage(answer, 200);
    const { currencies, payerFields } = await readLookupAnswer(answer.text);
    const shown = currencies.map(({ code, min, max }) => ({ code, min, max }));
    this.same(
      [shown, payerFields.map(({ mandatory }) => mandatory)],
      [
        [DOLLAR, EURO],
        [true, false],
      ],
      'who can be paid, and how',
    );
    if (wrong === 'TWICE') this.agreeMessage(await this.send(message, 'answerUmaLookup'), [401, 'INVALID_NONCE']);
  }

  async agreeToPay(): Promise<void> {
    const person = this.somebody();
    const currency = this.random.pick(['USD', 'EUR'] as const);
    const wrong = this.random.chance(0.7) ? undefined : this.random.pick(['CURRENCY', 'AMOUNT', 'DATA', 'CALLBACK', 'FORGED'] as const);
    const amount = wrong === 'AMOUNT' ? EURO.max + 1 : this.random.int(EURO.min, 20_000);
    const code = wrong === 'CURRENCY' ? 'MXN' : wrong === 'AMOUNT' || wrong === 'DATA' ? 'EUR' : currency;
    const tells = this.random.chance(0.7);
    this.note('agree', amount, code, wrong ?? '', person.isDeleted ? 'deleted' : '');
    const host = wrong === 'CALLBACK' ? 'evil.example' : PROVIDER_DOMAIN;
    const sender = wrong === 'FORGED' ? this.sender(PROVIDER_DOMAIN, newUmaKeys()) : this.sender();
    const message = await sender.payRequest(person.address, {
      payer: PROVIDER_ADDRESS,
      currency: code,
      amount,
      payerData: wrong === 'DATA' ? {} : { name: 'Grace Hopper' },
      callback: tells || wrong === 'CALLBACK' ? `https://${host}/told` : undefined,
    });
    const answer = await this.send(message, 'answerUmaPayRequest');
    if (wrong && person.isDeleted) return;
    if (wrong === 'FORGED') return this.agreeMessage(answer, [401, 'INVALID_SIGNATURE']);
    if (wrong === 'CURRENCY') return this.agreeMessage(answer, [400, 'INVALID_CURRENCY']);
    if (wrong === 'AMOUNT') return this.agreeMessage(answer, [400, 'AMOUNT_OUT_OF_RANGE']);
    if (wrong === 'DATA') return this.agreeMessage(answer, [400, 'MISSING_MANDATORY_PAYER_DATA']);
    if (wrong === 'CALLBACK') return this.agreeMessage(answer, [400, 'PARSE_PAYREQ_REQUEST_ERROR']);
    if (person.isDeleted) return this.agreeMessage(answer, [404, 'USER_NOT_FOUND']);
    this.agreeMessage(answer, 200);
    const agreed = await readPayAnswer(answer.text, PROVIDER_ADDRESS, person.address);
    this.same([agreed.amount, agreed.currency, new URL(agreed.callback).hostname], [amount, code, this.domain], 'what was agreed');
    const invoice = { invoice: agreed.invoice, amount: String(amount), currency: code };
    this.book.agreed({ ...invoice, person, tells });
    this.agreeMessage(await this.send(message, 'answerUmaPayRequest'), [401, 'INVALID_NONCE']);
  }

  /** "a pay request leaves an invoice at the receiver's side that can be paid once, within a day" */
  async paid(): Promise<void> {
    const fresh = this.book.invoices.filter(({ isPaid }) => !isPaid);
    const invoice = this.any(fresh.length > 0 && this.random.chance(0.75) ? fresh : this.book.invoices);
    if (!invoice) return;
    const wrong = this.random.chance(0.8) ? undefined : this.random.pick(['AMOUNT', 'INVOICE', 'FORGED'] as const);
    const { person, amount, currency } = invoice;
    const question = this.ask(this.anyAnswer());
    this.note('paid', invoice.isPaid ? 'again' : '', wrong ?? '', JSON.stringify(question));
    const settlement = {
      invoice: wrong === 'INVOICE' ? randomUUID() : invoice.invoice,
      amount: wrong === 'AMOUNT' ? String(Number(amount) + 1) : amount,
      currency,
      outcome: 'PAID' as const,
    };
    const sender = wrong === 'FORGED' ? this.sender(PROVIDER_DOMAIN, newUmaKeys()) : this.sender();
    const answer = await this.send(sender.paid(settlement), 'acceptUmaPayment');
    if (wrong === 'FORGED') return this.agreeMessage(answer, [401, 'INVALID_SIGNATURE']);
    if (wrong) return this.agreeMessage(answer, [409, 'INVALID_REQUEST']);
    if (invoice.isPaid) {
      this.agreeMessage(answer, 200);
      return this.comparePerson(person);
    }
    if (person.isDeleted || invoice.expiresAt <= this.now) return this.agreeMessage(answer, [409, 'INVALID_REQUEST']);
    this.agreeMessage(answer, 200);
    invoice.isPaid = true;
    const value = [Number(amount), currency] as const;
    const id = await this.newIncoming(person.address);
    const fields = { id, person, sent: value, received: value, ends: [PROVIDER_ADDRESS, person.address] as const };
    await this.announce(this.book.announced({ ...fields, asksPayee: false, arrivesAfter: 0, cause: invoice }), question);
  }

  /** The other provider says what became of a payment to it. "The first outcome counts". */
  async outcome(): Promise<void> {
    const all = this.book.outgoing.filter(({ invoice }) => invoice !== undefined);
    const open = all.filter(({ status }) => status === 'PROCESSING');
    const payment = this.any(open.length > 0 && this.random.chance(0.8) ? open : all);
    if (!payment) return;
    const isWrong = this.random.chance(0.15);
    await this.report(payment, this.random.pick(['SETTLED', 'REFUSED'] as const), isWrong);
  }

  protected async report(payment: Outgoing, outcome: 'SETTLED' | 'REFUSED', isWrong = false): Promise<void> {
    const { status } = payment;
    this.note('outcome', outcome, 'of', status, isWrong ? 'wrong' : '');
    const invoice = payment.invoice as Agreed;
    const amount = isWrong ? String(Number(invoice.amount) + 1) : invoice.amount;
    const message = this.sender().outcome(payment.id.split(':')[1] as string, { ...invoice, amount, outcome });
    const answer = await this.send(message, 'acceptUmaOutcome');
    if (isWrong || status === 'PENDING') this.agreeMessage(answer, [409, 'INVALID_REQUEST']);
    else if (status === 'PROCESSING') {
      this.agreeMessage(answer, 200);
      this.book.settle(payment, outcome);
    }
    // Whatever is answered about a payment that is over, it stays as it is.
    await settle(this.platform);
    await this.comparePayment(payment);
  }
}
