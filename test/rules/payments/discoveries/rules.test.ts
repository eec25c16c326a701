// Which banks and mobile wallets a list shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInstitutions } from '../../../../src/domains/payments/discoveries/rules.js';

test('"both together narrow; none: all; nothing matches: empty"', () => {
  const names = (filter: Parameters<typeof findInstitutions>[0]) => findInstitutions(filter).map(({ bankName }) => bankName);
  const all = names({});
  assert.ok(all.includes('Bancolombia') && all.includes('Vietcombank'));
  assert.deepEqual(names({ country: 'CO' }), ['Bancolombia', 'Davivienda', 'Nequi']);
  assert.deepEqual(names({ currency: 'VND' }), ['Vietcombank', 'Techcombank']);
  assert.deepEqual(names({ country: 'VN', currency: 'VND' }), ['Vietcombank', 'Techcombank']);
  assert.deepEqual(names({ country: 'CO', currency: 'VND' }), []);
  assert.deepEqual(names({ country: 'ZZ' }), []);
});
