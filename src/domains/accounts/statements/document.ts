// A month's statement as a document: HTML to print, or CSV for a spreadsheet. Both are streamed while the changes are read.
import { Readable } from 'node:stream';
import { formatAmount } from '../../../kernel/money.js';
import { plusMs } from '../../../kernel/time.js';
import { dayOf, windowOf } from './rules.js';
import { balanceChangeId, transactionIdOf } from './schemas.js';
import type { Statement } from './statement.js';

export const DOCUMENT_TYPES = ['text/html', 'text/csv'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** The type that the Accept header prefers; HTML if it prefers neither. */
export function preferredType(accept: string | readonly string[] = '*/*'): DocumentType {
  const weights = new Map(
    String(accept)
      .split(',')
      .map((part) => {
        const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
        const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
        return [range, q === undefined ? 1 : Number(q) || 0] as const;
      }),
  );
  const weightOf = (type: DocumentType) => weights.get(type) ?? weights.get('text/*') ?? weights.get('*/*') ?? 0;
  return weightOf('text/csv') > weightOf('text/html') ? 'text/csv' : 'text/html';
}

export function renderDocument(statement: Statement, type: DocumentType): { stream: Readable; headers: Record<string, string> } {
  const { write, headers } = WRITERS[type];
  return {
    stream: Readable.from(write(statement)),
    headers: { 'content-type': `${type}; charset=utf-8`, vary: 'Accept', ...headers(statement) },
  };
}

const WRITERS: Readonly<
  Record<
    DocumentType,
    { write: (statement: Statement) => AsyncIterable<string>; headers: (statement: Statement) => Record<string, string> }
  >
> = {
  'text/html': {
    write: writeHtml,
    // The page loads nothing and runs no script.
    headers: () => ({ 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }),
  },
  'text/csv': {
    write: writeCsv,
    headers: ({ period }) => ({ 'content-disposition': `attachment; filename="statement-${period.slice(0, 7)}.csv"` }),
  },
};

async function* writeCsv({ account, span, period, pages }: Statement): AsyncIterable<string> {
  const { start, end } = windowOf(period);
  // Only ids, times and amounts, so no cell needs quoting and none is a formula.
  const csvRow = (...cells: string[]) => `${cells.join(',')}\r\n`;
  const money = (amount: bigint) => formatAmount(amount, account.currency);
  yield csvRow('kind', 'effectiveAt', 'id', 'transactionId', 'amount', 'balance', 'currency');
  yield csvRow('OPENING', start.toISOString(), '', '', '', money(span.opening.balance), account.currency);
  for await (const changes of pages()) {
    yield changes
      .map((change) =>
        csvRow(
          'CHANGE',
          change.effectiveAt.toISOString(),
          balanceChangeId(account.id, change.number),
          transactionIdOf(change) ?? '',
          money(change.amount),
          money(change.balance),
          account.currency,
        ),
      )
      .join('');
  }
  yield csvRow('CLOSING', end.toISOString(), '', '', '', money(span.closing.balance), account.currency);
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1a1a; max-width: 56rem; margin: 2.5rem auto; padding: 0 1.5rem }
h1 { font-size: 1.5rem; margin: 0 } .period { color: #555; margin: .2rem 0 1.5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: 0 0 1.5rem } dt { color: #555 } dd { margin: 0 }
table { width: 100%; border-collapse: collapse } th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #ddd }
th { color: #555; font-weight: 600 } .amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.total td { font-weight: 600; border-bottom: 2px solid #1a1a1a } .id { font: 12px ui-monospace, monospace; overflow-wrap: anywhere }
footer { color: #555; margin-top: 1.5rem; font-size: 12px }
@media print { body { margin: 0; max-width: none; font-size: 11px } thead { display: table-header-group } tr { break-inside: avoid } }`;

async function* writeHtml({ account, holder, span, period, totals, pages }: Statement): AsyncIterable<string> {
  const { end } = windowOf(period);
  const month = `${MONTHS[Number(period.slice(5, 7)) - 1]} ${period.slice(0, 4)}`;
  const money = (amount: bigint) => formatDollars(amount, account.currency);
  const id = (text: string) => `<span class="id">${text}</span>`;
  const fact = (name: string, value: string) => `<dt>${name}</dt><dd>${value}</dd>`;
  const row = (day: string, what: string, amount: string, balance: bigint, attributes = '') =>
    `<tr${attributes}><td>${day}</td><td>${what}</td><td class="amount">${amount}</td><td class="amount">${money(balance)}</td></tr>\n`;
  const total = (day: string, what: string, balance: bigint) => row(day, what, '', balance, ' class="total"');

  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Statement for ${month}</title><style>${STYLE}</style></head><body>
<h1>Account statement</h1><p class="period">${month}, US Central time</p>
<dl>${holder === undefined ? '' : fact('Name', escapeHtml(holder))}${fact('Customer', id(account.customerId ?? ''))}${fact('Account', id(account.id))}
${fact('Opening balance', money(span.opening.balance))}${fact('Money in', money(totals.moneyIn))}
${fact('Money out', money(-totals.moneyOut))}${fact('Closing balance', money(span.closing.balance))}</dl>
<table><thead><tr><th>Date</th><th>Description</th><th class="amount">Amount</th><th class="amount">Balance</th></tr></thead><tbody>
${total(period, 'Opening balance', span.opening.balance)}`;
  for await (const changes of pages()) {
    yield changes
      .map((change) => {
        const transaction = transactionIdOf(change);
        const what = escapeHtml(describe(change.cause)) + (transaction ? `<br>${id(transaction)}` : '');
        return row(dayOf(change.effectiveAt), what, money(change.amount), change.balance);
      })
      .join('');
  }
  yield `${total(dayOf(plusMs(end, -1)), 'Closing balance', span.closing.balance)}</tbody></table>
<footer>${totals.count} balance changes. Opening balance and all changes add up to the closing balance.</footer></body></html>
`;
}

/** CARD_CLEARING reads "Card clearing". */
function describe(cause = ''): string {
  const words = cause.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** "$1,234.56", with a typographic minus sign if negative. */
function formatDollars(amount: bigint, currency: string): string {
  const text = formatAmount(amount < 0n ? -amount : amount, currency).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
  return `${amount < 0n ? '−' : ''}$${text}`;
}
