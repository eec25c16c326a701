// Operations on the sandbox clock.
import Type from 'typebox';
import { type Operation, ok, operation } from '../../http/operation.js';
import { Timestamp } from '../../http/schemas.js';
import { timestamp } from '../../kernel/time.js';
import { readClock } from '../core/platform/actions.js';
import { ADVANCE_TIMEOUT_MS, type ChangedClock, type ClockDeps, createChangeClock, type DueWork, listDue } from './actions.js';
import { SandboxClockRequest } from './clock-schemas.js';

const SandboxClockRun = Type.Object(
  {
    job: Type.String({ description: 'The name of the job.' }),
    count: Type.Integer({ description: 'How many items it did.' }),
  },
  { title: 'SandboxClockRun' },
);
const SandboxClockRemainder = Type.Object(
  { job: Type.String({ description: 'The name of the job.' }), dueAt: Timestamp({ description: 'When its earliest work is due.' }) },
  { title: 'SandboxClockRemainder' },
);

const SandboxClock = Type.Object(
  {
    now: Timestamp({ description: "The time of the platform's clock." }),
    frozen: Type.Boolean({ description: 'Whether the clock stands still.' }),
    due: Type.Array(SandboxClockRemainder, { description: 'What falls due next: each job that has work, the earliest first.' }),
    ran: Type.Optional(
      Type.Array(SandboxClockRun, {
        description:
          'Jobs that became due on the way and were run before this answer, with the number of items done. Webhooks are sent after the other jobs, at the times they were due.',
      }),
    ),
    complete: Type.Optional(
      Type.Boolean({
        description: `Whether everything that became due on the way was done before this answer. An advance takes at most about ${ADVANCE_TIMEOUT_MS / 1000} seconds; after that the clock is set to its target and the worker does the rest.`,
      }),
    ),
    remaining: Type.Optional(
      Type.Array(SandboxClockRemainder, {
        description: 'Jobs that have work left, with the earliest due time of that work. Empty if `complete`.',
      }),
    ),
  },
  { title: 'SandboxClock' },
);

const renderDue = (jobs: readonly DueWork[]) => jobs.map(({ job, dueAt }) => ({ job, dueAt: dueAt.toISOString() }));

const renderChangedClock = ({ now, frozen, due, ran, remaining }: ChangedClock) => ({
  now: now.toISOString(),
  frozen,
  due: renderDue(due),
  ran,
  complete: remaining.length === 0,
  remaining: renderDue(remaining),
});

export function sandboxRoutes(deps: ClockDeps): Operation[] {
  const { db } = deps;
  const changeClock = createChangeClock(deps);
  return [
    operation({
      id: 'getSandboxClock',
      method: 'GET',
      path: '/sandbox/clock',
      tag: 'Sandbox',
      summary: "Read the platform's clock",
      permission: 'VIEW',
      sandbox: true,
      success: { 200: SandboxClock },
      handle: async ({ platformId }) => {
        const [{ now, frozen }, due] = await Promise.all([readClock(db, platformId), listDue(deps, platformId)]);
        return ok({ now: now.toISOString(), frozen, due: renderDue(due) });
      },
    }),
    operation({
      id: 'updateSandboxClock',
      ungated: 'WAITS',
      method: 'PUT',
      path: '/sandbox/clock',
      tag: 'Sandbox',
      summary: "Freeze, set, advance or resume the platform's clock",
      permission: 'MANAGE',
      sandbox: true,
      body: SandboxClockRequest,
      success: { 200: SandboxClock },
      handle: async ({ platformId, requestId, body: { frozen, now, advanceMs } }) => {
        const change = {
          ...(frozen === undefined ? {} : { frozen }),
          ...(now === undefined ? {} : { now: timestamp(now) }),
          ...(advanceMs === undefined ? {} : { advanceMs }),
        };
        return ok(renderChangedClock(await changeClock(platformId, change, requestId)));
      },
    }),
  ];
}
