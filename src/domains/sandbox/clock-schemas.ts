// A change of the sandbox clock on the wire.
import Type from 'typebox';
import { Closed, Timestamp } from '../../http/schemas.js';
import { DAY_MS } from '../../kernel/time.js';

export const SandboxClockRequest = Closed(
  {
    frozen: Type.Optional(Type.Boolean({ description: 'true freezes the clock, false resumes it from its current time.' })),
    now: Type.Optional(Timestamp({ description: 'Sets the clock.' })),
    advanceMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 * 366 * DAY_MS, description: 'Moves the clock forward.' })),
  },
  { title: 'SandboxClockRequest', minProperties: 1 },
);
