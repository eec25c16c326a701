// The public page of an invitation as HTML. It has no script and loads nothing.
import { createHash } from 'node:crypto';
import { formatAmount } from '../../../kernel/money.js';
import type { Invitation, InvitationStatus } from './invitation.js';

export type Page = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}code{font-size:1.25rem}';
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const pageOf = (title: string, body: string): Page => ({
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
  },
});

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

/** The state in words. */
const STATES: { readonly [status in InvitationStatus]: string } = {
  PENDING: 'The invitation is open.',
  CLAIMED: 'The invitation was claimed.',
  CANCELLED: 'The invitation was cancelled.',
  EXPIRED: 'The invitation has expired.',
};

export function invitationPage(invitation: Invitation): Page {
  const { status, inviterUma, firstName, amountToSend, code } = invitation;
  const greeting = firstName === null ? 'You are invited' : `${firstName}, you are invited`;
  const amount = amountToSend && `${formatAmount(amountToSend.amount, amountToSend.currency)} ${amountToSend.currency}`;
  return pageOf(
    greeting,
    [
      paragraph(`${inviterUma} invites you to receive money at an address of your own.`),
      ...(amount ? [paragraph(`${inviterUma} wants to send you ${amount}.`)] : []),
      paragraph(STATES[status]),
      ...(status === 'PENDING' ? [`<p>Give this code to the service where you open your account: <code>${escaped(code)}</code></p>`] : []),
    ].join('\n'),
  );
}

export const unknownInvitationPage = (): Page =>
  pageOf('There is no such invitation', paragraph('Check the link, or ask whoever sent it to you for a new one.'));
