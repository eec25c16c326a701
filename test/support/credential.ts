// A credential of a wallet, in memory, for tests of pure rules.
import type { Credential, Proof } from '../../src/domains/access/credentials/credential.js';
import { newId } from '../../src/kernel/ids.js';

const now = new Date('2026-03-01T12:00:00Z');

/** Verified, and made at noon. */
export const credential = (proof: Proof, changes: Partial<Credential> = {}): Credential => ({
  id: newId('AuthMethod'),
  accountId: 'InternalAccount:1',
  nickname: 'x',
  proof,
  replacement: false,
  verifiedAt: now,
  sendsSpentUntil: undefined,
  failuresSpentUntil: undefined,
  createdAt: now,
  updatedAt: now,
  ...changes,
});
