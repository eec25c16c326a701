// Sandbox routes that belong to no other domain.
import Type from 'typebox';
import { type Operation, ok, operation } from '../../http/operation.js';
import { Closed, Timestamp } from '../../http/schemas.js';
import { DAY_MS, timestamp } from '../../kernel/time.js';
import { readClock } from '../core/platform/actions.js';
import { type ClockDeps, createChangeClock, PATIENCE_MS } from './actions.js';

const SandboxClock = Type.Object(
  {
    now: Timestamp(),
    frozen: Type.Boolean(),
    ran: Type.Optional(
      Type.Array(Type.Object({ job: Type.String(), count: Type.Integer() }), {
        description: `Work that fell due on the way and was done before this answer. What takes longer than ${PATIENCE_MS / 1000} seconds is left to the worker.`,
      }),
    ),
  },
  { title: 'SandboxClock' },
);

const SandboxClockRequest = Closed(
  {
    frozen: Type.Optional(Type.Boolean({ description: 'true stops the clock, false lets it run on from where it stands.' })),
    now: Type.Optional(Timestamp({ description: 'Sets the clock.' })),
    advanceMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 * 366 * DAY_MS, description: 'Moves the clock forward.' })),
  },
  { title: 'SandboxClockRequest', minProperties: 1 },
);

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
        const { now, frozen } = await readClock(db, platformId);
        return ok({ now: now.toISOString(), frozen });
      },
    }),
    operation({
      id: 'updateSandboxClock',
      method: 'PUT',
      path: '/sandbox/clock',
      tag: 'Sandbox',
      summary: "Freeze, set, advance or resume the platform's clock",
      permission: 'MANAGE',
      sandbox: true,
      body: SandboxClockRequest,
      success: { 200: SandboxClock },
      handle: async ({ platformId, body: { frozen, now, advanceMs } }) => {
        const change = {
          ...(frozen === undefined ? {} : { frozen }),
          ...(now === undefined ? {} : { now: timestamp(now) }),
          ...(advanceMs === undefined ? {} : { advanceMs }),
        };
        const clock = await changeClock(platformId, change);
        return ok({ now: clock.now.toISOString(), frozen: clock.frozen, ran: clock.ran });
      },
    }),
  ];
}
