import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preferredType, renderDocument } from '../../../../src/domains/accounts/statements/document.js';
import type { BalanceChange, Statement } from '../../../../src/domains/accounts/statements/statement.js';

const change = (number: bigint, amount: bigint, balance: bigint, day: string): BalanceChange => ({
  number,
  amount,
  balance,
  transactionId: number === 4n ? undefined : `019542f5-b3e7-7d02-0000-00000000000${number}`,
  effectiveAt: new Date(day),
  cause: amount > 0n ? 'DEPOSIT' : 'CARD_CLEARING',
});

const march: Statement = {
  account: {
    id: 'InternalAccount:019542f5-b3e7-7d02-0000-0000000000aa',
    customerId: 'Customer:019542f5-b3e7-7d02-0000-0000000000bb',
    type: 'INTERNAL_FIAT',
    currency: 'USD',
    hasFundedCard: false,
  },
  holder: '<b>Smith & "Sons"</b>',
  period: '2026-03-01',
  span: { opening: { number: 2n, balance: 5n }, closing: { number: 4n, balance: 123_456_700n } },
  totals: { count: 2n, moneyIn: 123_456_789n, moneyOut: 94n },
  async *pages() {
    yield [change(3n, 123_456_789n, 123_456_794n, '2026-03-08T07:30:00Z')];
    yield [change(4n, -94n, 123_456_700n, '2026-04-01T04:59:59.999Z')];
  },
};

const textOf = async (type: 'text/html' | 'text/csv') => (await renderDocument(march, type).stream.toArray()).join('');

describe('a statement document', () => {
  test('the HTML names account, month and balances, and lists every change on its day in US Central time', async () => {
    const page = await textOf('text/html');
    for (const part of [
      'March 2026',
      march.account.id,
      march.account.customerId as string,
      '<dt>Opening balance</dt><dd>$0.05</dd>',
      '<dt>Money in</dt><dd>$1,234,567.89</dd>',
      '<dt>Money out</dt><dd>−$0.94</dd>',
      '<dt>Closing balance</dt><dd>$1,234,567.00</dd>',
      '<td>2026-03-08</td><td>Deposit<br><span class="id">Transaction:019542f5-b3e7-7d02-0000-000000000003</span></td><td class="amount">$1,234,567.89</td><td class="amount">$1,234,567.94</td>',
      '<td>2026-03-31</td><td>Card clearing</td><td class="amount">−$0.94</td><td class="amount">$1,234,567.00</td>',
      '<dt>Name</dt><dd>&#60;b&#62;Smith &#38; &#34;Sons&#34;&#60;/b&#62;</dd>',
    ]) {
      assert.ok(page.includes(part), `${part} is missing in\n${page}`);
    }
    assert.match(page, /^<!doctype html>/);
    assert.ok(page.endsWith('</body></html>\n'));
  });

  test('the HTML loads nothing', async () => {
    assert.doesNotMatch(await textOf('text/html'), /<script|<link|<img|https?:|url\(/i);
    assert.match(renderDocument(march, 'text/html').headers['content-security-policy'] as string, /default-src 'none'/);
  });

  test('the CSV has one row per change between opening and closing', async () => {
    const lines = (await textOf('text/csv')).split('\r\n');
    assert.equal(lines[0], 'kind,effectiveAt,id,transactionId,amount,balance,currency');
    assert.equal(lines[1], 'OPENING,2026-03-01T06:00:00.000Z,,,,0.05,USD');
    assert.match(
      lines[2] as string,
      /^CHANGE,2026-03-08T07:30:00\.000Z,BalanceChange:[0-9a-f-]{36},Transaction:019542f5-b3e7-7d02-0000-000000000003,1234567\.89,1234567\.94,USD$/,
    );
    assert.match(lines[3] as string, /^CHANGE,2026-04-01T04:59:59\.999Z,BalanceChange:[0-9a-f-]{36},,-0\.94,1234567\.00,USD$/);
    assert.equal(lines[4], 'CLOSING,2026-04-01T05:00:00.000Z,,,,1234567.00,USD');
    assert.deepEqual(lines.slice(5), ['']);
  });
});

describe('content negotiation', () => {
  for (const [accept, type] of [
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/csv, text/html', 'text/html'],
    ['text/csv, text/html;q=0.9', 'text/csv'],
    ['text/csv;q=0.8, text/html;q=0.9', 'text/html'],
    ['text/csv;q=0.5, */*;q=0.1', 'text/csv'],
    ['text/html;q=0, */*', 'text/csv'],
    ['text/csv;q=0, */*', 'text/html'],
    ['text/csv;q=nonsense, */*;q=0.1', 'text/html'],
    ['application/json', 'text/html'],
  ] as const) {
    test(`Accept: ${accept ?? '(none)'} gets ${type}`, () => assert.equal(preferredType(accept), type));
  }
});
