// A module is what one domain gives the service: operations, jobs, event payloads, and what it declares about tables and hooks.
// Each domain exports one from its module.ts; app.ts lists them.
import type { Context } from './context.js';
import type { Job } from './db/job.js';
import type { Upkeep } from './db/upkeep.js';
import type { EventSchemas } from './domains/core/webhooks/schemas.js';
import type { ObserveExchange } from './http/exchange.js';
import type { FindFaults } from './http/faults.js';
import type { Operation } from './http/operation.js';
import type { Hook } from './kernel/hook.js';
import type { ShownMoves } from './kernel/lifecycle.js';

/** Work a process does beside answering requests, for as long as it runs. */
export type Background = { start(): void; stop(): Promise<void> };

export type Listener = { readonly hook: Hook<unknown>; readonly create: (context: Context) => unknown };

export type Module = {
  /** Group and domain, as in the folder: `cards/disputes`. */
  readonly name: string;
  /** Tables that this domain alone writes. */
  readonly tables?: readonly string[];
  /** Tables of other domains that this domain reads in its own SQL. */
  readonly reads?: readonly string[];
  /** Hooks that this domain declares and calls. */
  readonly hooks?: readonly Hook<unknown>[];
  /** Hooks of earlier domains that this domain listens to. */
  readonly listeners?: readonly Listener[];
  /** Payload schemas of the events this domain sends, by group of events. */
  readonly events?: Partial<EventSchemas>;
  /** State machines that this domain's rules decide by, by the name of the status schema that shows them as `x-transitions`. */
  readonly transitions?: Readonly<Record<string, ShownMoves>>;
  readonly create?: (context: Context) => {
    readonly operations?: readonly Operation[];
    readonly jobs?: readonly Job[];
    readonly upkeep?: readonly Upkeep[];
    readonly background?: Background;
    /** Told of every request of a platform that has ended. */
    readonly observe?: ObserveExchange;
    /** Of a sandbox: what goes wrong on purpose. One module has them. */
    readonly faults?: FindFaults;
  };
};

export const listen = <Type>(hook: Hook<Type>, create: (context: Context) => Type): Listener => ({ hook, create });
