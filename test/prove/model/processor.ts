// Histories of an issuer's processor beside the simulated network: credentials, decisions, and messages in any order and repeated.
import { createHash, randomUUID } from 'node:crypto';
import { merchant } from '../../support/card-transactions.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { issuerHeaders } from '../../support/issuer.js';
import type { Command, Expected } from './history.js';
import { type CardState, NetworkHistory } from './network.js';
import { type MessageKind, OPENINGS, type Request, type Row } from './network-model.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is checked against the document.
type Resource = any;

type Credential = {
  readonly id: string;
  readonly keyId: string;
  readonly program: string;
  readonly secret: string | undefined;
  readonly createdAt: string;
  isRevoked: boolean;
};

/** A message that was taken, and the row that answered it. */
type Told = {
  readonly kind: MessageKind;
  readonly token: string;
  readonly row: Row;
  readonly amount: number | undefined;
  readonly answer: Row;
};

const PROGRAMS = ['service_full', 'service_basic', 'issuer_decided'] as const;

const WEIGHTS = {
  credential: 2,
  credentials: 1,
  revoke: 2,
  ask: 14,
  repeat: 5,
  early: 6,
  late: 6,
  tell: 14,
  again: 5,
  astray: 4,
} as const;
type Kind = keyof typeof WEIGHTS;

export class ProcessorHistory extends NetworkHistory {
  private readonly credentialList: Credential[] = [];
  private readonly told: Told[] = [];

  override commands(): Readonly<Record<string, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return { ...super.commands(), ...Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) };
  }

  // ---- credentials of the processor

  async credential(name: string = this.random.pick([...PROGRAMS, 'nobodys'])): Promise<void> {
    const certificateSha256 = this.random.chance(0.15) ? createHash('sha256').update(name).digest('hex') : undefined;
    const body = { program: name, ...(certificateSha256 && { certificateSha256 }) };
    const answer = await this.platform.post('/sandbox/issuer-credentials', body);
    this.note('credential', name, certificateSha256 ? 'certificate' : '');
    if (name === 'nobodys') return this.agree(answer, [400, 'INVALID_INPUT']);
    this.agree(answer, 201);
    const { id, keyId, secret, ...shown } = answer.body;
    const createdAt = new Date(this.now).toISOString();
    this.same(shown, { ...body, createdAt }, 'the credential');
    // A certificate is the proof, and no secret is made.
    this.same(secret === undefined, certificateSha256 !== undefined, 'its secret');
    this.credentialList.push({ id, keyId, program: name, secret, createdAt, isRevoked: false });
    await this.credentials();
  }

  async credentials(): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get('/sandbox/issuer-credentials'));
    this.note('credentials');
    const shown = data.map(({ id, keyId, program, secret, createdAt }: Resource) => [id, keyId, program, secret, createdAt]);
    const valid = this.credentialList.filter(({ isRevoked }) => !isRevoked).reverse();
    const expected = valid.map(({ id, keyId, program, createdAt }) => [id, keyId, program, undefined, createdAt]);
    this.same(shown, expected, 'the credentials, newest first, without their secrets');
  }

  async revoke(): Promise<void> {
    const credential = this.any(this.credentialList);
    if (!credential) return;
    const answer = await this.platform.delete(`/sandbox/issuer-credentials/${credential.id}`);
    this.note('revoke', credential.isRevoked ? 'again' : '');
    this.agree(answer, credential.isRevoked ? [404, 'NOT_FOUND'] : 204);
    credential.isRevoked = true;
    // "a revoked one is refused at once"
    const card = this.random.pick(this.cards);
    this.agree(await this.signed('/issuer/authorizations', this.question(card.id, randomUUID(), 1), credential), [401, 'UNAUTHORIZED']);
  }

  private question(cardId: string, issuerTransactionToken: string, amount: number): Record<string, unknown> {
    return { cardId, issuerTransactionToken, amount, currency: 'USD', merchant: merchant() };
  }

  private async keyFor(program: string): Promise<Credential> {
    const find = () => this.credentialList.find((one) => one.program === program && one.secret && !one.isRevoked);
    for (let key = find(); ; key = find()) {
      if (key) return key;
      await this.credential(program);
    }
  }

  private signed(path: string, body: unknown, { keyId, secret = 'isk_none' }: Credential): Promise<Answer> {
    const text = JSON.stringify(body);
    return this.platform.post(path, text, { headers: issuerHeaders({ keyId, secret }, text) });
  }

  // ---- requests

  private async decided(card: CardState, row: Row, answer: Answer): Promise<void> {
    this.agree(answer, 200);
    const { transactionId, ...decision } = answer.body;
    const expected = { decision: row.declined ? 'DECLINED' : 'APPROVED', issuerTransactionToken: row.token };
    this.same(decision, { ...expected, ...(row.declined && { declinedReason: row.declined }) }, 'the decision');
    if (row.id) this.same(transactionId, row.id, 'the transaction');
    await this.compare(card);
    this.same(transactionId, row.id, 'the transaction');
  }

  private async asked(card: CardState, token: string, { kind, amount, currency, network }: Request): Promise<Answer> {
    const body = { ...this.question(card.id, token, amount), kind, ...(currency && { currency }), ...(network && { network }) };
    return this.signed('/issuer/authorizations', body, await this.keyFor(card.program));
  }

  async ask(): Promise<void> {
    const card = this.random.pick(this.cards);
    if (card.book.rows.length >= 90) return;
    const some = this.someRequest();
    const request: Request = {
      ...some,
      // 0 is an account verification.
      amount: some.kind === 'AUTHORIZATION' && this.random.chance(0.15) ? 0 : some.amount,
      network: this.random.pick([undefined, undefined, undefined, 'VISA', 'DISCOVER']),
      ...(this.random.chance(0.1) ? { currency: 'EUR' } : {}),
    };
    const token = randomUUID();
    const answer = await this.asked(card, token, request);
    this.note('ask', request.kind, request.amount, request.network, request.currency, card.book.status);
    await this.decided(card, card.book.request(token, request), answer);
  }

  /** "A repeated request receives the same decision as the first." */
  async repeat(): Promise<void> {
    const found = this.any(this.rows.filter(({ row }) => row.request && row.purchase === undefined && !row.request.ending));
    if (!found) return;
    const { card, row } = found;
    const request = row.request as Request;
    const how = this.random.weighted({ same: 4, amount: 1, card: 1 });
    this.note('repeat', how, row.status);
    if (how === 'same') return this.decided(card, row, await this.asked(card, row.token, request));
    const conflict = [409, 'CONFLICT'] as const;
    const other = this.cards.find((one) => one !== card && one.program === card.program);
    if (how === 'card' && other) this.agree(await this.asked(other, row.token, request), conflict);
    // "compared only while no message has changed the transaction and it has not ended"
    if (how === 'amount' && !row.hasMessages && row.status !== 'VOIDED')
      this.agree(await this.asked(card, row.token, { ...request, amount: request.amount + 1 }), conflict);
    await this.compare(card);
  }

  /** "A clearing or an advice for an unknown transaction opens the transaction." */
  async early(): Promise<void> {
    const card = this.random.pick(this.cards);
    if (card.book.rows.length >= 90) return;
    const kind = this.random.pick(['CLEARING', 'AUTHORIZATION_ADVICE'] as const);
    const [token, messageToken, amount] = [randomUUID(), randomUUID(), this.random.int(1, 500)];
    const answer = await this.tellAs(card, {
      kind,
      issuerTransactionToken: token,
      messageToken,
      amount,
      cardId: card.id,
      merchant: merchant(),
    });
    this.note('early', kind, amount, card.book.status);
    const row = card.book.openByMessage(kind, token, amount);
    this.told.push({ kind, token: messageToken, row, amount, answer: row });
    await this.recorded(card, answer, row, false);
  }

  /** The request of a transaction that messages have opened. */
  async late(): Promise<void> {
    // If somebody owes money or the purchase was returned, the facts do not define what the request adds.
    const isClear = ({ card: { holder }, row }: { card: CardState; row: Row }) =>
      row.request === undefined &&
      row.purchase === undefined &&
      row.refunded === 0 &&
      row.status !== 'EXCEPTION' &&
      holder.balance.owed === 0;
    const found = this.any(this.rows.filter(isClear));
    if (!found) return;
    const { card, row } = found;
    const request = {
      kind: this.random.pick(['AUTHORIZATION', 'FINANCIAL_AUTHORIZATION', 'CREDIT_AUTHORIZATION'] as const),
      amount: this.random.chance(0.4) ? row.settled || row.advised : this.random.int(1, 500),
    };
    const answer = await this.asked(card, row.token, request);
    this.note('late', request.kind, request.amount, `after ${row.settled} settled ${row.advised} advised`, card.book.status);
    // "The network has treated the transaction as a purchase": it is no credit any more.
    const isPurchase = row.advised > 0 || row.dispute !== undefined || row.recovered > 0;
    if (OPENINGS[request.kind].isCredit && isPurchase) {
      this.agree(answer, [409, 'CONFLICT']);
      return this.compare(card);
    }
    card.book.requestLate(row, request);
    await this.decided(card, row, answer);
  }

  // ---- messages

  private async tellAs(card: CardState, body: Record<string, unknown>): Promise<Answer> {
    const { keyId, secret = '' } = await this.keyFor(card.program);
    const text = JSON.stringify(body);
    return this.post('/issuer/messages', text, issuerHeaders({ keyId, secret }, text));
  }

  private async recorded(card: CardState, answer: Answer, row: Row, duplicate: boolean): Promise<void> {
    this.agree(answer, 200);
    await this.compare(card);
    this.same(answer.body, { issuerTransactionToken: row.token, transactionId: row.id, duplicate }, 'the recorded message');
  }

  /** "accepted in any status of the transaction; only one without meaning is refused" */
  async tell(): Promise<void> {
    const message = this.someMessage();
    if (!message) return;
    const { card, row, kind, amount } = message;
    const token = randomUUID();
    const body = { kind, issuerTransactionToken: row.token, messageToken: token, ...(amount === undefined ? {} : { amount }) };
    const answer = await this.tellAs(card, body);
    this.note('tell', kind, amount, `of ${row.status}`, card.book.status);
    if (!card.book.isMeaningful(kind, row, amount)) {
      this.agree(answer, [400, 'INVALID_INPUT']);
      return this.compare(card);
    }
    const answered = card.book.take(kind, row, amount, token);
    this.told.push({ kind, token, row, amount, answer: answered });
    await this.recorded(card, answer, answered, false);
  }

  /** "A message is identified by its own token and its kind, and counts once." */
  async again(): Promise<void> {
    const told = this.any(this.told);
    if (!told) return;
    const { kind, token, row, amount, answer: answered } = told;
    const card = this.cards.find(({ book }) => book.rows.includes(row)) as CardState;
    const other = this.any(card.book.rows.filter((one) => one !== row));
    const isOther = other !== undefined && this.random.chance(0.3);
    const to = isOther ? other : row;
    const body = { kind, issuerTransactionToken: to.token, messageToken: token, ...(amount === undefined ? {} : { amount }) };
    const answer = await this.tellAs(card, body);
    this.note('again', kind, isOther ? 'for another transaction' : '');
    if (!isOther) return this.recorded(card, answer, answered, true);
    this.agree(answer, [409, 'CONFLICT']);
    await this.compare(card);
  }

  /** Messages that name nothing the processor may reach. */
  async astray(): Promise<void> {
    const card = this.random.pick(this.cards);
    const row = this.any(card.book.rows);
    const unknown = { issuerTransactionToken: randomUUID(), messageToken: randomUUID() };
    const known = { kind: 'CLEARING', amount: 1, messageToken: randomUUID(), ...(row && { issuerTransactionToken: row.token }) };
    const stranger = this.cards.find((one) => one !== card && one.program === card.program);
    const place = { cardId: card.id, merchant: merchant() };
    const cases: Readonly<Record<string, readonly [Record<string, unknown>, Expected, string?] | undefined>> = {
      'a reversal of nothing': [{ kind: 'AUTHORIZATION_REVERSAL', ...unknown, ...place }, [404, 'TRANSACTION_NOT_FOUND']],
      'an expiry of nothing': [{ kind: 'CLEARING', amount: 0, ...unknown, ...place }, [404, 'TRANSACTION_NOT_FOUND']],
      'no card': [{ kind: 'CLEARING', amount: 1, ...unknown }, [404, 'NOT_FOUND']],
      'no merchant': [{ kind: 'CLEARING', amount: 1, ...unknown, cardId: card.id }, [400, 'INVALID_INPUT']],
      "another program's card": row && [known, [404, 'NOT_FOUND'], 'issuer_decided'],
      'another card': row && stranger && [{ ...known, cardId: stranger.id, merchant: merchant() }, [409, 'CONFLICT']],
      "an issuer's card": [
        { kind: 'CLEARING', amount: 1, ...unknown, ...place, cardId: this.undecided },
        [409, 'CONFLICT'],
        'issuer_decided',
      ],
    };
    const name = this.random.pick(Object.keys(cases).filter((one) => cases[one]));
    const [body, refusal, program = card.program] = cases[name] as readonly [Record<string, unknown>, Expected, string?];
    this.note('astray', name);
    this.agree(await this.signed('/issuer/messages', body, await this.keyFor(program)), refusal);
    await this.compare(card);
  }
}
