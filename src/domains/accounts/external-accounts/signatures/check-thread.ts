// The worker thread of `check-ownerships.ts`.
import { answerOrders } from '../../../../kernel/thread.js';
import type { Verdict } from './verdict.js';
import { type OwnershipClaim, verifyOwnership } from './verify-ownership.js';

answerOrders((claims: readonly OwnershipClaim[]): readonly Verdict[] => claims.map(verifyOwnership));
