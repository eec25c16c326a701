// The liveness checks that the page of the sandbox decides: of a reset, and of the ownership of a wallet.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { concludeLinkedLiveness, openLivenessPass } from '../../accounts/external-accounts/actions.js';
import { platformNow } from '../../core/platform/actions.js';
import { decideLiveness, openResetPass } from './resets.js';
import { LIVENESS_OUTCOMES, type LivenessOutcome } from './sca.js';

type Check = {
  readonly platformId: PlatformId;
  readonly outcomes: readonly LivenessOutcome[];
  conclude(tx: Tx, outcome: LivenessOutcome, now: Date): Promise<unknown>;
};

/** The check that a token names, or 404. */
function checkOf(custody: KeyCustody, token: string): Check {
  const reset = openResetPass(custody, token);
  if (reset) {
    const { platformId, resetId } = reset;
    return {
      platformId,
      outcomes: LIVENESS_OUTCOMES,
      conclude: (tx, outcome, now) => decideLiveness(tx, platformId, resetId, outcome, now),
    };
  }
  const wallet = openLivenessPass(custody, token);
  if (!wallet) throw new ApiError('NOT_FOUND');
  return {
    platformId: wallet.platformId,
    outcomes: ['PASS', 'FAIL'],
    conclude: async (tx, outcome, now) => {
      if (outcome === 'REVIEW') throw invalidField('outcome', 'is PASS or FAIL for a wallet');
      await concludeLinkedLiveness(tx, wallet, now, outcome);
    },
  };
}

/** What the holder of the link may choose. */
export const outcomesOf = (custody: KeyCustody, token: string): readonly LivenessOutcome[] => checkOf(custody, token).outcomes;

export async function concludeByLink(db: Db, custody: KeyCustody, token: string, outcome: LivenessOutcome): Promise<void> {
  const { platformId, conclude } = checkOf(custody, token);
  await db.transaction(async (tx) => conclude(tx, outcome, await platformNow(tx, platformId)));
}
