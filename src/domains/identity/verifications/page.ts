// The hosted verification page as HTML. It works without script, loads nothing, and never shows an identifier or a file.
import { createHash } from 'node:crypto';
import type { FieldError } from '../../../kernel/errors.js';
import type { KycError } from '../../../providers/kyc.js';
import { valueAt } from './page-schemas.js';
import type { HeldDocument, Packet } from './verification.js';

export type Page = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
label{display:block;margin:.75rem 0}input,select{display:block;width:100%;box-sizing:border-box;padding:.5rem;font:inherit}
fieldset{margin:1.5rem 0;border:1px solid #bbb}button{padding:.75rem 1.5rem;font:inherit}.problem{color:#a00000}`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** A browser applies form-action to the redirect after the submission as well, so the place to return to is named. */
const pageOf = (title: string, body: string, redirectUri: string | null = null): Page => ({
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${redirectUri === null ? '' : ` ${new URL(redirectUri).origin}`}`,
    'referrer-policy': 'no-referrer',
  },
});

/** For every link that cannot be used, whatever the reason. */
export const deadLinkPage = (): Page =>
  pageOf('This link cannot be used', '<p>It may have expired, or it was used already. Ask whoever sent it to you for a new one.</p>');

export const closingPage = (): Page => pageOf('Thank you', '<p>Your data was received. You can close this page.</p>');

export type FormFacts = {
  readonly packet: Packet;
  readonly problems: readonly KycError[];
  /** Problems of what was sent last. */
  readonly refused: readonly FieldError[];
  /** What was sent last, to be shown again. */
  readonly sent: ReadonlyMap<string, string>;
  readonly redirectUri: string | null;
};

export function formPage({ packet, problems, refused, sent, redirectUri }: FormFacts): Page {
  const asked = problems.filter(({ field }) => field !== undefined && field !== 'email' && field !== 'phoneNumber');
  const documents = problems.filter(({ acceptedDocumentTypes }) => acceptedDocumentTypes !== undefined);
  const needsPeople = problems.some(({ type }) => type === 'MISSING_BENEFICIAL_OWNER' || type === 'MISSING_CONTROL_PERSON');
  const inputs = [
    ...asked.map((problem) => fieldInput(problem, packet, sent)),
    ...(needsPeople ? [ownerInputs(sent)] : []),
    ...documents.map((problem, n) => documentInputs(problem, n, packet, sent)),
  ];
  const messages = [...refused.map(({ field, message }) => `${field}: ${message}`), ...problems.map(({ reason }) => reason)];
  return pageOf(
    'Verify your identity',
    `${messages.length === 0 ? '<p>Nothing is missing. Submit to be verified.</p>' : `<p>Still needed:</p><ul>${messages.map((text) => `<li class="problem">${escaped(text)}</li>`).join('')}</ul>`}
<form method="post" enctype="multipart/form-data">
${inputs.join('\n')}
<button type="submit">Submit</button>
</form>`,
    redirectUri,
  );
}

const DATES: ReadonlySet<string> = new Set(['birthDate', 'incorporatedOn']);
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  idType: ['SSN', 'ITIN', 'NON_US_TAX_ID'],
  roles: ['UBO', 'CONTROL_PERSON', 'UBO,CONTROL_PERSON', 'DIRECTOR', 'COMPANY_OFFICER', 'TRUSTEE', 'GENERAL_PARTNER'],
};

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** `legalName` is shown as "Legal name". */
const labelOf = (name: string): string => {
  const words = lastPart(name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const isSecret = (name: string): boolean => lastPart(name) === 'identifier' || lastPart(name) === 'documentNumber';

function input(name: string, value: string, choices = CHOICES[lastPart(name)]): string {
  const label = `<label>${escaped(labelOf(name))} `;
  if (choices) {
    const options = ['', ...choices].map((choice) => `<option${choice === value ? ' selected' : ''}>${escaped(choice)}</option>`);
    return `${label}<select name="${escaped(name)}">${options.join('')}</select></label>`;
  }
  const type = DATES.has(lastPart(name)) ? 'date' : isSecret(name) ? 'password' : 'text';
  const shown = isSecret(name) ? '' : ` value="${escaped(value)}"`;
  return `${label}<input name="${escaped(name)}" type="${type}" autocomplete="off"${shown}></label>`;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '');

/** An input of the customer is named by the field of the problem, one of an owner by the owner and the field. */
function fieldInput({ resourceId, field = '' }: KycError, { customer, owners }: Packet, sent: ReadonlyMap<string, string>): string {
  const owner = owners.find(({ id }) => id === resourceId);
  const name = owner ? `owners.${owner.id}.${field}` : field;
  const known = textOf(owner ? valueAt(owner, field) : valueAt(customer.profile, field));
  return input(name, sent.get(name) ?? known);
}

const OWNER_INPUTS = [
  'roles',
  'ownershipPercentage',
  ...[
    ...['firstName', 'lastName', 'birthDate', 'nationality', 'address.line1', 'address.city', 'address.postalCode', 'address.country'],
    ...['idType', 'identifier', 'countryOfIssuance'],
  ].map((name) => `personalInfo.${name}`),
];

const ownerInputs = (sent: ReadonlyMap<string, string>): string =>
  `<fieldset><legend>A person who owns or controls the business</legend>${OWNER_INPUTS.map((member) =>
    input(`owners.0.${member}`, sent.get(`owners.0.${member}`) ?? ''),
  ).join('')}</fieldset>`;

/** Of an incomplete document the other side is asked for. */
const isToReplace = ({ type }: KycError, named: HeldDocument | undefined): named is HeldDocument =>
  named !== undefined && type !== 'INCOMPLETE_DOCUMENT';

function documentInputs(problem: KycError, n: number, { customer, owners, documents }: Packet, sent: ReadonlyMap<string, string>): string {
  const name = (member: string) => `documents.${n}.${member}`;
  const named = documents.find(({ id }) => id === problem.resourceId);
  const known: Readonly<Record<string, string>> = isToReplace(problem, named)
    ? { documentType: named.documentType, country: named.country, side: named.side ?? '' }
    : {};
  const text = (member: string, choices?: readonly string[]) => input(name(member), sent.get(name(member)) ?? known[member] ?? '', choices);
  const holder = named?.holderId ?? problem.resourceId;
  const owner = owners.find(({ id }) => id === holder);
  const legend = owner ? `${owner.personalInfo.firstName} ${owner.personalInfo.lastName}: ${problem.reason}` : problem.reason;
  return `<fieldset><legend>${escaped(legend)}</legend>
<input type="hidden" name="${name('documentHolder')}" value="${escaped(owner?.id ?? customer.id)}">
${text('documentType', problem.acceptedDocumentTypes ?? [])}${text('side', ['FRONT', 'BACK'])}${['country', 'documentNumber', 'issuingAuthority'].map((member) => text(member)).join('')}
<label>File (PDF, JPEG or PNG) <input name="${name('file')}" type="file" accept="application/pdf,image/jpeg,image/png"></label></fieldset>`;
}
