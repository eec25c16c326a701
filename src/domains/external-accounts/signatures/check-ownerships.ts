// A signature check takes up to a millisecond. A few are done where they are; many go to a thread, so that the event loop is free.
import { createThread } from '../../../kernel/thread.js';
import type { Verdict } from './verdict.js';
import { type OwnershipClaim, verifyOwnership } from './verify-ownership.js';

/** Below this a message to another thread costs more than it saves. */
const WORTH_A_MESSAGE = 4;

const thread = createThread<readonly OwnershipClaim[], readonly Verdict[]>(new URL('./check-thread.js', import.meta.url));

/** The verdict on each claim, in order; where there is nothing to check there is none. */
export async function checkOwnerships(claims: readonly (OwnershipClaim | undefined)[]): Promise<readonly (Verdict | undefined)[]> {
  const made = claims.filter((claim) => claim !== undefined);
  const verdicts = made.length < WORTH_A_MESSAGE ? made.map(verifyOwnership) : await thread.ask(made);
  let next = 0;
  return claims.map((claim) => claim && verdicts[next++]);
}
