// The sandbox's card issuer. It stores nothing: numbers derive from the card's id, pages from a sealed token, behaviour from the card program.
import { createHash, randomBytes } from 'node:crypto';
import type { CardId, PlatformId } from '../kernel/ids.js';
import { plusMs } from '../kernel/time.js';
import {
  type CardDetails,
  type CardIssuer,
  IssuerRefused,
  IssuerSilent,
  type TokenizationPayload,
  type TokenizationRequest,
} from './card-issuer.js';
import type { KeyCustody } from './key-custody.js';
import { openPass, sealPass } from './sealed-pass.js';

const PAGE_LIFE_MS = 5 * 60_000;
const CARD_LIFE_YEARS = 4;

type Instruction = 'ORDER' | 'REPEATED_ORDER' | 'CHANGE';

/** How the issuer of a program reacts to an instruction. Programs that are not listed accept everything. */
const BEHAVIOURS: Readonly<Record<string, Partial<Record<Instruction, 'REFUSES' | 'SILENT'>>>> = {
  sandbox_issuer_rejects: { ORDER: 'REFUSES', REPEATED_ORDER: 'REFUSES' },
  sandbox_issuer_slow: { ORDER: 'SILENT' },
  sandbox_issuer_refuses: { CHANGE: 'REFUSES' },
  sandbox_issuer_silent: { CHANGE: 'SILENT' },
};

function requireAccepted(program: string, instruction: Instruction): void {
  const behaviour = BEHAVIOURS[program]?.[instruction];
  if (behaviour === 'REFUSES') throw new IssuerRefused('the program of this card refuses');
  // Without a delay, so that developers do not wait for the timeout.
  if (behaviour === 'SILENT') throw new IssuerSilent('the program of this card does not answer');
}

export const sandboxCardIssuer = (custody: KeyCustody): CardIssuer => ({
  async order({ card, brand, needsPassword, threeDSecurePassword, repeated }, now) {
    requireAccepted(card.program, repeated ? 'REPEATED_ORDER' : 'ORDER');
    // The password was in the lost order and is not stored.
    if (needsPassword && threeDSecurePassword === undefined) return { kind: 'REJECTED' };
    const reference = createHash('sha256').update(`reference ${card.id}`).digest('hex');
    return {
      kind: 'MADE',
      details: {
        brand,
        last4: sandboxNumber(card.id, brand).slice(-4),
        expMonth: now.getUTCMonth() + 1,
        expYear: now.getUTCFullYear() + CARD_LIFE_YEARS,
        processorRef: `sandbox_processor_${reference.slice(0, 24)}`,
        issuerRef: `sandbox_issuer_${reference.slice(24, 48)}`,
      },
    };
  },

  instruct: async ({ card }) => requireAccepted(card.program, 'CHANGE'),
  setPin: async ({ program }) => requireAccepted(program, 'CHANGE'),
  unblockPin: async ({ program }) => requireAccepted(program, 'CHANGE'),

  async tokenize({ program }, request) {
    requireAccepted(program, 'CHANGE');
    return payloadFor(request);
  },

  async openDetailsPage({ platformId, card, serviceUrl, cssUrl }, now) {
    requireAccepted(card.program, 'CHANGE');
    const expiresAt = plusMs(now, PAGE_LIFE_MS);
    const token = sealPagePass(custody, { page: 'details', platformId, cardId: card.id, version: card.version, style: cssUrl, expiresAt });
    return { url: `${serviceUrl}/sandbox/card-pages/details?token=${token}`, expiresAt };
  },

  async openPinPage({ platformId, card, serviceUrl, targetOrigin }, now) {
    requireAccepted(card.program, 'CHANGE');
    const expiresAt = plusMs(now, PAGE_LIFE_MS);
    const token = sealPagePass(custody, { page: 'pin', platformId, cardId: card.id, version: card.version, targetOrigin, expiresAt });
    return { url: `${serviceUrl}/sandbox/card-pages/pin?token=${token}`, expiresAt, sessionToken: token };
  },
});

function payloadFor(request: TokenizationRequest): TokenizationPayload {
  const opaque = (bytes: number) => randomBytes(bytes).toString('base64');
  switch (request.wallet) {
    case 'APPLE_PAY':
      return {
        wallet: 'APPLE_PAY',
        applePay: { activationData: opaque(96), encryptedPassData: opaque(256), ephemeralPublicKey: opaque(65) },
      };
    case 'GOOGLE_PAY':
      return {
        wallet: 'GOOGLE_PAY',
        provisioningPayload: opaque(256),
        ...(request.opaquePaymentCardRequested ? { googleAccountPayload: opaque(128) } : {}),
      };
    case 'SAMSUNG_PAY':
      return { wallet: 'SAMSUNG_PAY', provisioningPayload: opaque(256) };
  }
}

// ---- numbers

type Brand = CardDetails['brand'];

const RANGES: Readonly<Record<Brand, string>> = { VISA: '400000', MASTERCARD: '520000' };

const digitsFrom = (seed: string, count: number): string =>
  (createHash('sha256').update(seed).digest().readBigUInt64BE() % 10n ** BigInt(count)).toString().padStart(count, '0');

/** A card number of a test range, derived from the card's id, so that it needs no column. */
function sandboxNumber(id: CardId, brand: Brand): string {
  const body = RANGES[brand] + digitsFrom(`number ${id}`, 9);
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return body + ((10 - (sum % 10)) % 10);
}

// ---- pages

/** The sealed content of a page's address: its holder may see that one page for a few minutes. */
export type PagePass = {
  readonly platformId: PlatformId;
  readonly cardId: CardId;
  /** The card's version when the pass was issued. */
  readonly version: number;
  readonly expiresAt: Date;
} & ({ readonly page: 'details'; readonly style: string | null } | { readonly page: 'pin'; readonly targetOrigin: string });

const contextOf = (page: PagePass['page']): string => `card page ${page}`;
const sealPagePass = (custody: KeyCustody, pass: PagePass): string => sealPass(custody, contextOf(pass.page), pass);

/** The pass in a token for this page; undefined for anything else. The caller checks `expiresAt`. */
export function openPagePass<Page extends PagePass['page']>(
  custody: KeyCustody,
  page: Page,
  token: string,
): Extract<PagePass, { page: Page }> | undefined {
  const pass = openPass<Extract<PagePass, { page: Page }>>(custody, contextOf(page), token);
  return pass && { ...pass, expiresAt: new Date(pass.expiresAt) };
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export type Page = { readonly html: string; readonly headers: Record<string, string> };

const pageOf = (body: string, policy: string): Page => ({
  html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Card</title></head>\n${body}</html>\n`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; base-uri 'none'; form-action 'none'; ${policy}`,
    'referrer-policy': 'no-referrer',
  },
});

/** The sandbox issuer's page with the card's data, for the platform to frame and to style by `#card #pan #expiry #cvv .pan-separator`. */
export function detailsPage(id: CardId, { brand, expMonth, expYear }: CardDetails, style: string | null): Page {
  const groups = sandboxNumber(id, brand).replaceAll(/.{4}(?=.)/g, '$&<span class="pan-separator"> </span>');
  const expiry = `${String(expMonth).padStart(2, '0')}/${String(expYear).slice(-2)}`;
  const link = style === null ? '' : `<link rel="stylesheet" href="${escaped(style)}">`;
  return pageOf(
    `<body>${link}<div id="card"><div id="pan">${groups}</div><div id="expiry">${expiry}</div><div id="cvv">${digitsFrom(`code ${id}`, 3)}</div></div></body>`,
    `style-src ${style === null ? "'none'" : new URL(style).origin}`,
  );
}

/** The sandbox issuer's page for choosing a PIN. It reports the submission to the framing window and to no other. */
export function pinPage(targetOrigin: string): Page {
  // In the form that browsers compare with.
  const { origin } = new URL(targetOrigin);
  const script = `
const origin = ${JSON.stringify(origin)};
const post = (message) => parent.postMessage({ embedType: 'PIN_SETTING', ...message }, origin);
const submit = async () => {
  const report = (status) => post({ type: 'Embed:PinSubmissionStatusChanged', status });
  report('STARTED');
  const body = JSON.stringify({ sessionToken: new URLSearchParams(location.search).get('token'), pin: document.querySelector('#pin').value });
  const answer = await fetch('pin', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
  report(answer && answer.ok ? 'SUCCEEDED' : 'FAILED');
};
document.querySelector('#submit').addEventListener('click', submit);
addEventListener('message', (event) => { if (event.origin === origin && event.data?.type === 'Embed:SubmitPin') submit(); });
post({ type: 'Embed:Rendered' });
`;
  return pageOf(
    `<body><label>PIN <input id="pin" type="password" inputmode="numeric" pattern="[0-9]{4}" maxlength="4" autocomplete="off"></label>
<button id="submit" type="button">Set PIN</button><script>${script}</script></body>`,
    `script-src ${sha256(script)}; connect-src 'self'; frame-ancestors ${origin}`,
  );
}
