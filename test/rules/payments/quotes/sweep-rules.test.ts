import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriedText } from '../../../../src/domains/payments/quotes/sweep-rules.js';

test('what a quote may say stays as it is', () => {
  for (const text of ['', ' Invoice  42 ~ #7', '~'.repeat(80)]) assert.equal(carriedText(text), text);
});

test('any other text becomes printable ASCII of at most 80 characters', () => {
  assert.equal(carriedText(`${'x'.repeat(80)}y`), 'x'.repeat(80));
  assert.equal(carriedText('Müller\r\n\tCafé ½'), 'Muller   Cafe 1?2');
  assert.equal(carriedText('\u0000\u007f😀ß'), '????');
  assert.equal(carriedText('ﬁ'.repeat(80)), 'fi'.repeat(40));
});
