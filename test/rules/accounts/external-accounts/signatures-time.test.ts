// "Verification of one signature must not block the event loop for more than a few milliseconds."
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { bitcoinWallet, evmWallet, solanaWallet, tronWallet } from '../../../support/external-accounts/wallets.js';

const MOST_MS = 5;
/** The longest signature that the API accepts. */
const LONGEST_SIGNATURE = 8_192;
const TRIES = 40;
const wallets = [
  evmWallet('time'),
  tronWallet('time'),
  solanaWallet('time'),
  bitcoinWallet('time', 'P2WPKH'),
  bitcoinWallet('time', 'SPARK'),
];

/** The fastest of many runs, so that a busy machine does not distort the result. */
function quickestMs(work: () => unknown): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const begun = performance.now();
    work();
    quickest = Math.min(quickest, performance.now() - begun);
  }
  return quickest;
}

describe('one signature takes a few milliseconds at most', () => {
  for (const { accountType, address, sign } of wallets) {
    test(`${accountType} ${address.slice(0, 5)}: a valid one, an invalid one, and the longest accepted one`, async () => {
      const message = 'm'.repeat(1_000);
      const good = await sign(message);
      const longest = ['1', '0', 'z', 'A', '=', '0x', 'smp'].map((start) => start.padEnd(LONGEST_SIGNATURE, start.at(-1)));
      for (const signature of [good, await sign('another message'), ...longest]) {
        const took = quickestMs(() => verifyOwnership({ accountType, address, message, signature, scheme: 'bip137' }));
        assert.ok(took < MOST_MS, `${signature.slice(0, 4)}… took ${took} ms`);
      }
    });
  }
});
