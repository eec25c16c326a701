// Which customers need strong customer authentication and verified contacts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInRegulatedRegion } from '../../../../src/domains/identity/customers/region.js';

const EEA = [
  ...['AT', 'BE', 'BG', 'HR', 'CY', 'CZ', 'DK', 'EE', 'FI', 'FR', 'DE', 'GR', 'HU', 'IE', 'IT', 'LV', 'LT', 'LU', 'MT', 'NL', 'PL', 'PT'],
  ...['RO', 'SK', 'SI', 'ES', 'SE', 'IS', 'LI', 'NO'],
];

test('the thirty countries of the European Economic Area are regulated', () => {
  assert.equal(EEA.length, 30);
  assert.deepEqual(
    EEA.filter((region) => !isInRegulatedRegion({ region })),
    [],
  );
});

test('GB, CH, US and a customer without a region are not', () => {
  for (const region of ['GB', 'CH', 'US', 'de', '', null]) assert.equal(isInRegulatedRegion({ region }), false, String(region));
});
