// Bounds the requests that one process works on, per platform and in all, so that one platform's burst does not delay the others.
// Platforms with waiting requests are served in turn.

export type FairGate = {
  /** Does the work when it is the platform's turn. */
  enter<Result>(platform: string, work: () => Promise<Result>): Promise<Result>;
  /** Notes a request of the platform that does not wait here. */
  noteActivity(platform: string): void;
};

export type GateBounds = {
  /** Requests of one platform in work at a time, while no other platform is active. */
  readonly alone: number;
  /** The same while another platform is active: what is in work delays its requests. */
  readonly besideOthers: number;
  /** Requests of all platforms in work at a time. */
  readonly total: number;
};

/** A platform counts as active this long after its latest request. */
const ACTIVE_MS = 1_000;

type Queue = { inWork: number; readonly waiting: (() => void)[] };

export function createFairGate({ alone, besideOthers, total }: GateBounds, nowMs: () => number = () => performance.now()): FairGate {
  const queues = new Map<string, Queue>();
  /** Platforms that have a request waiting, in the order of their turns. */
  const turns = new Set<string>();
  const active = latestOfTwo();
  let inWork = 0;

  const mayStart = (platform: string, { inWork: own }: Queue): boolean =>
    own < (nowMs() - active.latestBeside(platform) < ACTIVE_MS ? besideOthers : alone);

  const startWaiting = (): void => {
    for (const platform of [...turns]) startFor(platform);
  };

  /** Starts what the platform may start now, one request per turn. */
  const startFor = (platform: string): void => {
    const queue = queues.get(platform);
    if (inWork >= total || !queue || !mayStart(platform, queue)) return;
    turns.delete(platform);
    const start = queue.waiting.shift();
    if (!start) return;
    queue.inWork += 1;
    inWork += 1;
    if (queue.waiting.length > 0) turns.add(platform);
    start();
  };

  const leave = (platform: string, queue: Queue): void => {
    queue.inWork -= 1;
    inWork -= 1;
    if (queue.inWork === 0 && queue.waiting.length === 0) queues.delete(platform);
    // One place is free, or several when the platform is alone again.
    for (let before = -1; before !== inWork; ) {
      before = inWork;
      startWaiting();
    }
  };

  return {
    async enter(platform, work) {
      active.note(platform, nowMs());
      const queue = queues.get(platform) ?? { inWork: 0, waiting: [] };
      queues.set(platform, queue);
      await new Promise<void>((start) => {
        queue.waiting.push(start);
        turns.add(platform);
        startFor(platform);
      });
      try {
        return await work();
      } finally {
        leave(platform, queue);
      }
    },
    noteActivity: (platform) => active.note(platform, nowMs()),
  };
}

/** When another platform than a given one was last active: the two latest are enough to know. */
function latestOfTwo() {
  const never = { platform: '', at: Number.NEGATIVE_INFINITY };
  let [latest, second] = [never, never];
  return {
    note(platform: string, at: number): void {
      if (latest.platform !== platform) second = latest;
      latest = { platform, at };
    },
    latestBeside: (platform: string): number => (latest.platform === platform ? second : latest).at,
  };
}
