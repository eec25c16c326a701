// The faults of sandbox platforms: setting them, and taking the ones that apply. A process reads those of a platform at most once a second, so
// all processes agree within two seconds, and a platform without any costs a look into memory.
import type { Db } from '../../db/pool.js';
import type { FindFaults, PlatformFaults, RequestFault } from '../../http/faults.js';
import type { Operation } from '../../http/operation.js';
import type { ErrorCode } from '../../kernel/errors.js';
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
};

export type Faults = {
  readonly find: FindFaults;
  onEvent(platformId: PlatformId, event: { readonly type: string; readonly objectId: string }): Promise<DeliveryFault | undefined>;
  list(platformId: PlatformId): Promise<SetFault[]>;
  set(platformId: PlatformId, faults: readonly Fault[], operations: readonly Operation[]): Promise<SetFault[]>;
};

/** Faults of one platform as this process knows them. What remains of a counted one is taken in the database, so it is exact. */
type Known = { readonly at: number; readonly faults: readonly StoredFault[] };

export function createFaults({ db, decisionDb }: FaultDeps): Faults {
  const known = new Map<PlatformId, Known>();
  /** Requests that arrive together share a look. */
  const looks = new Map<PlatformId, Promise<Known>>();

  const read = async (platformId: PlatformId): Promise<Known> => {
    const at = performance.now();
    return { at, faults: await listFaults(decisionDb, platformId) };
  };

  const look = (platformId: PlatformId): Promise<Known> => {
    const begun = looks.get(platformId);
    if (begun) return begun;
    const started: Promise<Known> = read(platformId)
      .then((entry) => {
        // Faults that were set meanwhile are not overwritten by those before them.
        if (looks.get(platformId) === started) {
          if (known.size >= MOST_KNOWN) known.clear();
          known.set(platformId, entry);
        }
        return entry;
      })
      .finally(() => looks.get(platformId) === started && looks.delete(platformId));
    looks.set(platformId, started);
    return started;
  };

  const fresh = (platformId: PlatformId): Known | Promise<Known> => {
    const entry = known.get(platformId);
    return entry && performance.now() - entry.at < KNOWN_FOR_MS ? entry : look(platformId);
  };

  const forget = (platformId: PlatformId): void => {
    known.delete(platformId);
    looks.delete(platformId);
  };

  const isDrawn = ({ share = 1 }: Fault): boolean => share >= 1 || Math.random() < share;

  const take = async (platformId: PlatformId, stored: StoredFault): Promise<boolean> =>
    isDrawn(stored.fault) && (stored.remaining === null || (stored.remaining > 0 && (await takeOne(decisionDb, platformId, stored))));

  const ofProvider =
    (platformId: PlatformId, faults: readonly StoredFault[], onFault: (kind: string) => void): TakeProviderFault =>
    async (provider, isAfterwards) => {
      for (const stored of faults) {
        if (stored.fault.provider !== provider || !(await take(platformId, stored))) continue;
        if (!isAfterwards) onFault(stored.fault.kind);
        return { kind: stored.fault.kind.slice('PROVIDER_'.length) as 'REFUSES' | 'SLOW' | 'SILENT', delayMs: stored.fault.delayMs ?? 0 };
      }
      return undefined;
    };

  const active = (platformId: PlatformId, { faults }: Known): PlatformFaults | undefined => {
    if (faults.length === 0) return undefined;
    const hasProviders = faults.some(({ fault }) => fault.provider !== undefined);
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
      during: (work, onFault) => (hasProviders ? withProviderFaults(ofProvider(platformId, faults, onFault), false, work) : work()),
      duringJob: (work) =>
        hasProviders
          ? withProviderFaults(
              ofProvider(platformId, faults, () => {}),
              true,
              work,
            )
          : work(),
    };
  };

  const list = async (platformId: PlatformId): Promise<SetFault[]> =>
    (await listFaults(db, platformId)).map(({ fault, remaining }) => ({ ...fault, ...(remaining === null ? {} : { remaining }) }));

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
      await db.transaction((tx) => replaceFaults(tx, platformId, faults));
      forget(platformId);
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
