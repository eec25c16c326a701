import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOwnerships } from '../../../../src/domains/accounts/external-accounts/signatures/check-ownerships.js';
import { type OwnershipClaim, verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { bitcoinWallet, evmWallet, solanaWallet, tronWallet } from '../../../support/external-accounts/wallets.js';

const wallets = [evmWallet('many'), solanaWallet('many'), tronWallet('many'), bitcoinWallet('many', 'P2WPKH')];
const claims = async (): Promise<OwnershipClaim[]> =>
  (
    await Promise.all(
      wallets.map(async ({ accountType, address, sign }) =>
        Promise.all(
          [sign('mine'), sign('not mine'), 'nonsense'].map(async (signature) => ({
            accountType,
            address,
            message: 'mine',
            signature: await signature,
            scheme: 'bip137' as const,
          })),
        ),
      ),
    )
  ).flat();

test('few in place or many on a thread: each claim gets its own verdict, in order', async () => {
  const all = await claims();
  const alone = all.map(verifyOwnership);
  assert.deepEqual(
    alone.map(({ valid }) => valid),
    wallets.flatMap(() => [true, false, false]),
  );
  assert.deepEqual(await checkOwnerships(all), alone);
  assert.deepEqual(await checkOwnerships(all.slice(0, 2)), alone.slice(0, 2));
  assert.deepEqual(await checkOwnerships([]), []);
});

test('an undefined claim has no verdict, and the others keep theirs', async () => {
  const all = await claims();
  const gapped = all.flatMap((claim) => [undefined, claim]);
  assert.deepEqual(
    await checkOwnerships(gapped),
    all.flatMap((claim) => [undefined, verifyOwnership(claim)]),
  );
});
