// A signature check takes up to a millisecond. A few run in place; many run on worker threads, so that the event loop stays free.
import { availableParallelism } from 'node:os';
import { createThread, MIN_ITEMS_FOR_THREAD } from '../../../../kernel/thread.js';
import type { Verdict } from './verdict.js';
import { type OwnershipClaim, verifyOwnership } from './verify-ownership.js';

const file = new URL('./check-thread.js', import.meta.url);
const threads = Array.from({ length: Math.min(2, availableParallelism()) }, () =>
  createThread<readonly OwnershipClaim[], readonly Verdict[]>(file),
);

/** The verdict on each claim, in order; undefined for an undefined claim. */
export async function checkOwnerships(claims: readonly (OwnershipClaim | undefined)[]): Promise<readonly (Verdict | undefined)[]> {
  const given = claims.filter((claim) => claim !== undefined);
  const verdicts = given.length < MIN_ITEMS_FOR_THREAD ? given.map(verifyOwnership) : await verifyOnThreads(given);
  let next = 0;
  return claims.map((claim) => claim && verdicts[next++]);
}

async function verifyOnThreads(claims: readonly OwnershipClaim[]): Promise<readonly Verdict[]> {
  const share = Math.ceil(claims.length / threads.length);
  return (await Promise.all(threads.map((thread, i) => thread.request(claims.slice(i * share, (i + 1) * share))))).flat();
}
