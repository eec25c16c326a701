// Histories of what a card of each program allows: its PIN, the pages of its issuer, and digital wallets.
import { randomUUID } from 'node:crypto';
import type { Command, Expected } from './history.js';
import { CardProgramHistory, type CardState, LINK_LIFE } from './program-cards.js';

/** A link to a page of the issuer: "`expiresAt` (minutes)". */
type Link = { readonly card: CardState; readonly token: string; readonly expiresAt: number; readonly style?: string | undefined };
/** "one successful submit" */
type PinSession = Link & { readonly origin: string; isUsed: boolean };

const PIN_BLOCK = Buffer.from('a block that only the issuer can open').toString('base64');

const WEIGHTS = {
  reveal: 5,
  details: 5,
  pin: 16,
  pinUrl: 5,
  pinPage: 4,
  submit: 5,
  tokenize: 5,
  unknown: 2,
} as const;
type Kind = keyof typeof WEIGHTS;

export class IssuingHistory extends CardProgramHistory {
  private readonly links: Link[] = [];
  private sessions: PinSession[] = [];

  override commands(): Readonly<Record<string, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return { ...super.commands(), ...Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) };
  }

  // ---- card details and digital wallets

  async reveal(): Promise<void> {
    const card = this.anyCard();
    const { cardCapabilities: can, issuer } = this.termsOf(card);
    const { isRegulated, hasSession } = card.person;
    const isShowable = can.supportsPanReveal && card.last4 !== undefined && card.world.status !== 'CLOSED';
    const needsSession = isRegulated && !hasSession;
    if (isShowable && needsSession && issuer) return;
    const own = this.random.chance(0.5) ? undefined : this.random.pick(['https://other.example.com/own.css', null]);
    const body = own === undefined ? undefined : { cssUrl: own };
    const answer = await this.platform.post(`/cards/${card.id}/reveal`, body);
    this.note('reveal', card.world.status, card.program, own);
    if (!isShowable) return this.agree(answer, [409, 'CONFLICT']);
    if (needsSession) return this.agree(answer, [409, 'SCA_SESSION_REQUIRED']);
    const expected = this.issuerAnswer(card, 200);
    this.agree(answer, expected);
    if (expected !== 200) return;
    const expiresAt = this.now + LINK_LIFE;
    this.same(Date.parse(answer.body.expiresAt), expiresAt, 'the end of the link');
    const token = new URL(answer.body.panEmbedUrl).searchParams.get('token') as string;
    this.links.push({ card, token, expiresAt, style: own === undefined ? this.style : (own ?? undefined) });
  }

  private isOpen({ card, expiresAt }: Link): boolean {
    return this.now < expiresAt && card.world.status !== 'CLOSED';
  }

  /** Sometimes the last instant at which a link is open, or the first at which it is not. */
  private async awaitEndOf({ expiresAt }: Link): Promise<void> {
    const ms = expiresAt - this.now - this.random.int(0, 1);
    if (ms > 0 && this.random.chance(0.3)) await this.settle(ms);
  }

  async details(): Promise<void> {
    const link = this.any(this.links.slice(-4));
    if (!link) return;
    await this.awaitEndOf(link);
    const isForged = this.random.chance(0.1);
    const answer = await this.platform.get(`/sandbox/card-pages/details?token=${isForged ? forged(link.token) : link.token}`);
    this.note('details', link.card.world.status, isForged ? 'forged' : '');
    if (isForged || !this.isOpen(link)) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    const number = (/id="pan">(.*?)<\/div>/.exec(answer.text)?.[1] ?? '').replaceAll(/<[^>]*>|\s/g, '');
    this.same([number.length, number.slice(-4)], [16, link.card.last4], 'the card number');
    this.same(/href="([^"]*)"/.exec(answer.text)?.[1], link.style, 'the style sheet');
    for (const id of ['card', 'expiry', 'cvv']) this.same(answer.text.includes(`id="${id}"`), true, id);
  }

  async tokenize(): Promise<void> {
    const card = this.anyCard();
    const { supportsDigitalWalletTokenization: isSupported } = this.termsOf(card).cardCapabilities;
    const { status } = card.world;
    // If a closed card also lacks the capability, the specification does not define which error is reported.
    if (status === 'CLOSED' && !isSupported) return;
    const [fields, answered] = this.random.pick<readonly [Record<string, unknown>, readonly string[]]>([
      [{ wallet: 'APPLE_PAY', certificate: 'Y2VydA==', nonce: 'bm9uY2U=', nonceSignature: 'c2ln' }, ['applePay']],
      [{ wallet: 'GOOGLE_PAY', walletAccountId: 'account', serverSessionId: randomUUID() }, ['provisioningPayload']],
      // "`googleAccountPayload` only when opaque requested"
      [
        { wallet: 'GOOGLE_PAY', walletAccountId: 'account', serverSessionId: randomUUID(), opaquePaymentCardRequested: true },
        ['googleAccountPayload', 'provisioningPayload'],
      ],
      [{ wallet: 'SAMSUNG_PAY', walletAccountId: 'account', deviceId: 'device' }, ['provisioningPayload']],
    ]);
    const isWrong = status === 'ACTIVE' && isSupported && this.random.chance(0.15);
    // "fields of another wallet -> 400"
    const other = fields['wallet'] === 'APPLE_PAY' ? { deviceId: 'device' } : { nonce: 'bm9uY2U=' };
    const answer = await this.platform.post(`/cards/${card.id}/tokenize`, { ...fields, ...(isWrong ? other : {}) });
    this.note('tokenize', fields['wallet'], status, isWrong ? 'wrong' : '');
    if (isWrong) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (status === 'CLOSED') return this.agree(answer, [409, 'CARD_NOT_MUTABLE']);
    if (status !== 'ACTIVE' || !isSupported) return this.agree(answer, [409, 'CONFLICT']);
    const expected = this.issuerAnswer(card, 200);
    this.agree(answer, expected);
    if (expected === 200) this.same(Object.keys(answer.body).sort(), [...answered, 'wallet'].sort(), 'the provisioning data');
  }

  // ---- the PIN

  /** Why the PIN of the card cannot be managed. Undefined if it can, null if the specification does not define which error is reported. */
  private pinRefusal(card: CardState): Expected | undefined | null {
    const { supportsPin } = this.termsOf(card);
    // "any mutation of a CLOSED card returns 409 CARD_NOT_MUTABLE"
    if (card.world.status === 'CLOSED') return supportsPin ? [409, 'CARD_NOT_MUTABLE'] : null;
    return supportsPin && card.last4 !== undefined ? undefined : [409, 'CONFLICT'];
  }

  /** "NOT_SET->OK, OK->BLOCKED, BLOCKED->OK; not on creation, not on OK->OK" */
  private setPinStatus(card: CardState, status: string): void {
    if (card.pin !== status) card.notified.push(`CARD.PIN_STATUS_CHANGE ${status}`);
    card.pin = status;
  }

  async pin(): Promise<void> {
    // Mostly a card that has a PIN, so that a PIN has a long history.
    const chosen = this.random.chance(0.6)
      ? this.any(this.cards.filter(({ pin, world }) => pin !== 'NOT_SET' && world.status !== 'CLOSED'))
      : undefined;
    const card = chosen ?? this.anyCard();
    const step = this.random.weighted({ set: card.pin === 'NOT_SET' ? 8 : 2, block: card.pin === 'OK' ? 6 : 2, unblock: 3, bad: 0.5 });
    const refusal = this.pinRefusal(card);
    if (refusal === null || (step === 'bad' && refusal)) return;
    const answer =
      step === 'set'
        ? await this.platform.post(`/cards/${card.id}/set-pin`, { encryptedPinBlock: PIN_BLOCK })
        : step === 'bad'
          ? await this.platform.post(`/cards/${card.id}/set-pin`, { encryptedPinBlock: '1234' })
          : step === 'block'
            ? await this.platform.post(`/sandbox/cards/${card.id}/simulate/pin_blocked`)
            : await this.platform.post(`/cards/${card.id}/pin/unblock`);
    this.note('pin', step, card.pin, card.world.status, card.program);
    // "409 CONFLICT when no PIN"; an issuer reports a blocked PIN itself and is not asked.
    const hasNone = step !== 'set' && card.pin === 'NOT_SET' ? ([409, 'CONFLICT'] as const) : undefined;
    const accepted = step === 'block' ? 204 : this.issuerAnswer(card, 204);
    const expected = step === 'bad' ? ([400, 'INVALID_INPUT'] as const) : (refusal ?? hasNone ?? accepted);
    this.agree(answer, expected);
    if (expected === 204) {
      this.setPinStatus(card, step === 'block' ? 'BLOCKED' : 'OK');
      // The facts do not say what a page is worth after a PIN was set in another way.
      if (step === 'set') this.sessions = this.sessions.filter((session) => session.card !== card);
    }
    await this.compareCard(card);
  }

  async pinUrl(): Promise<void> {
    const card = this.anyCard();
    const refusal = this.pinRefusal(card);
    if (refusal === null || (card.world.status === 'CLOSED' && !this.targetOrigin)) return;
    const answer = await this.platform.get(`/cards/${card.id}/pin-entry-url`);
    this.note('pinUrl', card.world.status, card.program);
    // "needs `cardConfigs.pinTargetOrigin` (else 409 CONFLICT)"
    const expected = refusal ?? (this.targetOrigin ? this.issuerAnswer(card, 200) : ([409, 'CONFLICT'] as const));
    this.agree(answer, expected);
    if (expected !== 200) return;
    const { iframeUrl, sessionToken, expiresAt, environment } = answer.body;
    this.same([environment, answer.headers.get('cache-control')], ['SANDBOX', 'no-store'], 'the page of the PIN');
    this.same(Date.parse(expiresAt), this.now + LINK_LIFE, 'its end');
    this.same(new URL(iframeUrl).searchParams.get('token'), sessionToken, 'its token');
    const session = { card, token: sessionToken, expiresAt: this.now + LINK_LIFE, origin: this.targetOrigin ?? '', isUsed: false };
    this.sessions.push(session);
  }

  async pinPage(): Promise<void> {
    const session = this.any(this.sessions.filter(({ isUsed }) => !isUsed).slice(-4));
    if (!session) return;
    await this.awaitEndOf(session);
    const answer = await this.platform.get(`/sandbox/card-pages/pin?token=${session.token}`);
    this.note('pinPage', session.card.world.status);
    if (!this.isOpen(session)) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.headers.get('content-security-policy')?.endsWith(`frame-ancestors ${session.origin}`), true, 'who may show the page');
    for (const message of ['Embed:Rendered', 'Embed:SubmitPin', 'Embed:PinSubmissionStatusChanged'])
      this.same(answer.text.includes(message), true, message);
  }

  async submit(): Promise<void> {
    const session = this.any(this.sessions.slice(-4));
    if (!session) return;
    const { card } = session;
    await this.awaitEndOf(session);
    const isFourDigits = this.random.chance(0.85);
    const body = { sessionToken: session.token, pin: isFourDigits ? String(this.random.int(1_000, 9_999)) : '12345' };
    const answer = await this.platform.post('/sandbox/card-pages/pin', body);
    this.note('submit', card.pin, card.world.status, session.isUsed ? 'again' : '');
    if (!isFourDigits) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (session.isUsed || !this.isOpen(session)) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 204);
    session.isUsed = true;
    this.sessions = this.sessions.filter((other) => other === session || other.card !== card);
    this.setPinStatus(card, 'OK');
    await this.compareCard(card);
  }

  /** A card that does not exist. */
  async unknown(): Promise<void> {
    const path = `/cards/Card:${randomUUID()}`;
    const calls: readonly (readonly [string, string, unknown?])[] = [
      ['POST', `${path}/reveal`],
      ['POST', `${path}/tokenize`, { wallet: 'SAMSUNG_PAY', walletAccountId: 'account', deviceId: 'device' }],
      ['POST', `${path}/set-pin`, { encryptedPinBlock: PIN_BLOCK }],
      ['POST', `${path}/pin/unblock`],
      ['GET', `${path}/pin-entry-url`],
      ['POST', `/sandbox${path}/simulate/pin_blocked`],
    ];
    const [method, at, body] = this.random.pick(calls);
    this.note('unknown', at.split('/').at(-1));
    this.agree(await this.platform.request(method, at, body), [404, 'NOT_FOUND']);
  }
}

/** The token with another character in its middle. */
function forged(token: string): string {
  const at = Math.floor(token.length / 2);
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}
