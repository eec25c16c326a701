// Random steps over every domain that moves money. After each step every currency sums to zero; at the end of each history every statement adds
// up, and what lies on the accounts of the service is explained by what the API shows.
import type { TestService } from '../support/service.js';
import { MoneyHistory, type Step, WEIGHTS } from './money-history.js';
import { randomOf } from './random.js';
import { coverage, type Outcome } from './report.js';

export type MoneyOptions = {
  readonly seed: string;
  readonly steps: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

/** The operations that tell of another balance. test/invariants/plans-operations.test.ts calls every operation, and finds these. */
export const CHANGES_BALANCES: readonly string[] = [
  'agentExecuteQuote',
  'applySandboxFixture',
  'approveAgentAction',
  'authorizeQuote',
  'createTransferOut',
  'executeQuote',
  'recordCardMessage',
  'sandboxFundInternalAccount',
  'sandboxRailEvent',
  'sandboxSend',
  'sandboxSimulateCardAuthorizationAdvice',
  'sandboxSimulateCardAuthorizationExpiry',
  'sandboxSimulateCardAuthorizationReversal',
  'sandboxSimulateCardClearing',
  'sandboxSimulateCardDisputeClose',
  'sandboxSimulateCardDisputeProvisionalCredit',
  'sandboxSimulateCardDisputeProvisionalCreditReversal',
  'sandboxSimulateCardFinancialAuthorization',
  'sandboxSimulateCardFinancialCreditAuthorization',
  'sandboxSimulateCardReturn',
  'sandboxSimulateCardReturnReversal',
];

/** Each history has a platform of its own, so that the checks after a step stay cheap. */
const STEPS_OF_A_HISTORY = 250;
const CALLERS = 4;
/** In so many, the rarest kind of step is accepted about fifteen times. */
const LEAST_STEPS = 20_000;

export async function money(
  service: TestService,
  { seed, steps, until = Number.POSITIVE_INFINITY, onProgress }: MoneyOptions,
): Promise<Outcome[]> {
  const done = { steps: 0, accepted: 0, histories: 0 };
  const failures = { steps: [] as string[], ends: [] as string[] };
  const accepted = new Map<Step, number>();
  const called = new Set<string>();
  const progress = setInterval(() => onProgress?.(`${done.steps} steps, ${done.histories} histories`), 10_000);
  const histories = Math.ceil(steps / STEPS_OF_A_HISTORY);
  const wantsMore = () => Date.now() < until && failures.steps.length + failures.ends.length < 5;
  let next = 0;
  const caller = async () => {
    while (next < histories && wantsMore()) {
      const random = randomOf(`${seed}/money/${next++}`);
      const history = await MoneyHistory.begin(service, random);
      const told = (error: Error) => `seed ${random.seed}, after ${history.trail.slice(-12).join('; ')}: ${error.message}`;
      for (let i = 0; i < Math.ceil(steps / histories) && wantsMore(); i += 1) {
        done.steps += 1;
        try {
          const { step, isAccepted } = await history.step();
          if (isAccepted) accepted.set(step, (accepted.get(step) ?? 0) + 1);
        } catch (error) {
          failures.steps.push(told(error as Error));
          break;
        }
      }
      await history.end().catch((error: Error) => void failures.ends.push(told(error)));
      done.histories += 1;
      for (const id of history.called) called.add(id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  clearInterval(progress);
  for (const count of accepted.values()) done.accepted += count;
  const tooShort = done.steps < LEAST_STEPS ? `fewer than ${LEAST_STEPS.toLocaleString('en-US')} steps` : undefined;
  return [
    {
      goal: 'money: every currency sums to zero after every step',
      trials: done.steps,
      failures: failures.steps,
      note: `${done.accepted.toLocaleString('en-US')} of ${done.steps.toLocaleString('en-US')} steps were accepted, seed ${seed}`,
    },
    {
      goal: 'money: statements add up; clearing, suspense and receivables are explained to the cent',
      trials: done.histories,
      failures: failures.ends,
    },
    coverage('money: every kind of step was accepted', Object.keys(WEIGHTS), new Set(accepted.keys()), tooShort),
    coverage('money: every operation that changes a balance was called', CHANGES_BALANCES, called, tooShort),
  ];
}
