// The faults of sandbox platforms: setting them, and taking the ones that apply. A process reads those of a platform at most once a second, so
// all processes agree within two seconds, and a platform without any costs a look into memory.
import type { Logger } from 'pino';
import type { Db } from '../../db/pool.js';
import type { FindFaults, PlatformFaults, RequestFault } from '../../http/faults.js';
import type { Operation } from '../../http/operation.js';
import { describeError, type ErrorCode } from '../../kernel/errors.js';
import type { PlatformId } from '../../kernel/ids.js';
import { isJsonObject } from '../../kernel/json.js';
import { type TakeProviderFault, withProviderFaults } from '../../providers/sandbox-faults.js';
import type { DeliveryFault } from '../core/webhooks/hooks.js';
import { appliesToEvent, appliesToRequest, checkFaults, isFinal } from './fault-rules.js';
import type { Fault, SetFault } from './fault-schemas.js';
import { listFaults, replaceFaults, type StoredFault, takeOne } from './fault-store.js';

export const KNOWN_FOR_MS = 1_000;
/** Beyond this many platforms the process forgets all and reads again. */
const MOST_KNOWN = 10_000;

export type FaultDeps = {
  readonly db: Db;
  /** For looks that must not wait behind slow requests. */
  readonly decisionDb: Db;
  readonly log: Pick<Logger, 'warn'>;
};

export type Faults = {
  readonly find: FindFaults;
  onEvent(platformId: PlatformId, event: { readonly type: string; readonly objectId: string }): Promise<DeliveryFault | undefined>;
  list(platformId: PlatformId): Promise<SetFault[]>;
  set(platformId: PlatformId, faults: readonly Fault[], operations: readonly Operation[]): Promise<SetFault[]>;
};

/** Faults of one platform as this process knows them. `remaining` of provider faults is counted here first and written then. */
type Known = { readonly at: number; readonly faults: readonly (Omit<StoredFault, 'remaining'> & { remaining: number | null })[] };

export function createFaults({ db, decisionDb, log }: FaultDeps): Faults {
  const known = new Map<PlatformId, Known>();
  const writing = new Map<PlatformId, Set<Promise<unknown>>>();

  const written = async (platformId: PlatformId): Promise<void> => void (await Promise.all(writing.get(platformId) ?? []));

  const read = async (platformId: PlatformId): Promise<Known> => {
    const at = performance.now();
    await written(platformId);
    const entry = { at, faults: (await listFaults(decisionDb, platformId)).map((fault) => ({ ...fault })) };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(platformId, entry);
    return entry;
  };

  const fresh = (platformId: PlatformId): Known | Promise<Known> => {
    const entry = known.get(platformId);
    return entry && performance.now() - entry.at < KNOWN_FOR_MS ? entry : read(platformId);
  };

  const isDrawn = ({ share = 1 }: Fault): boolean => share >= 1 || Math.random() < share;

  const take = async (platformId: PlatformId, stored: Known['faults'][number]): Promise<boolean> =>
    isDrawn(stored.fault) && (stored.remaining === null || (stored.remaining > 0 && (await takeOne(decisionDb, platformId, stored))));

  /** Providers are called where nothing can be awaited: the count is taken from memory and written beside. */
  const takeAtOnce = (platformId: PlatformId, stored: Known['faults'][number]): boolean => {
    if (stored.remaining === 0 || !isDrawn(stored.fault)) return false;
    if (stored.remaining === null) return true;
    stored.remaining -= 1;
    const pending = writing.get(platformId) ?? new Set();
    writing.set(platformId, pending);
    const write = takeOne(decisionDb, platformId, stored)
      .catch((error: unknown) => log.warn({ platformId, errorMessage: describeError(error).message }, 'a fault was not counted'))
      .finally(() => pending.delete(write));
    pending.add(write);
    return true;
  };

  const active = (platformId: PlatformId, { faults }: Known): PlatformFaults | undefined => {
    if (faults.length === 0) return undefined;
    return {
      async onRequest(op, { params, body }) {
        const texts = Object.values(isJsonObject(params) ? params : {});
        const names = (id: string) => texts.includes(id) || (Buffer.isBuffer(body) && body.includes(JSON.stringify(id)));
        const taken: RequestFault[] = [];
        for (const stored of faults) {
          if (!appliesToRequest(stored.fault, op, names) || !(await take(platformId, stored))) continue;
          taken.push(requestFault(stored.fault));
          if (isFinal(stored.fault)) break;
        }
        return taken;
      },
      during: (work, onFault) => {
        const ofProvider: TakeProviderFault = (provider) => {
          const stored = faults.find((one) => one.fault.provider === provider && takeAtOnce(platformId, one));
          if (!stored) return undefined;
          onFault(stored.fault.kind);
          return { kind: stored.fault.kind.slice('PROVIDER_'.length) as 'REFUSES' | 'SLOW' | 'SILENT', delayMs: stored.fault.delayMs ?? 0 };
        };
        return faults.some(({ fault }) => fault.provider !== undefined) ? withProviderFaults(ofProvider, work) : work();
      },
    };
  };

  const list = async (platformId: PlatformId): Promise<SetFault[]> => {
    await written(platformId);
    return (await listFaults(db, platformId)).map(({ fault, remaining }) => ({ ...fault, ...(remaining === null ? {} : { remaining }) }));
  };

  return {
    find(platformId) {
      const entry = fresh(platformId);
      return entry instanceof Promise ? entry.then((found) => active(platformId, found)) : active(platformId, entry);
    },
    async onEvent(platformId, event) {
      const { faults } = await fresh(platformId);
      for (const stored of faults)
        if (appliesToEvent(stored.fault, event) && (await take(platformId, stored)))
          return stored.fault.kind === 'WEBHOOK_LOST' ? 'LOST' : 'DUPLICATE';
      return undefined;
    },
    list,
    async set(platformId, faults, operations) {
      checkFaults(faults, operations);
      await written(platformId);
      await db.transaction((tx) => replaceFaults(tx, platformId, faults));
      known.delete(platformId);
      return list(platformId);
    },
  };
}

function requestFault({ kind, code, delayMs = 0 }: Fault): RequestFault {
  switch (kind) {
    case 'ANSWER':
      return { kind, code: code as ErrorCode };
    case 'DELAY':
      return { kind, delayMs };
    case 'CUT_AFTER_COMMIT':
      return { kind };
    default:
      return { kind: 'CUT_BEFORE_COMMIT' };
  }
}
