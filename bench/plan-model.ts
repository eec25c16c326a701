// How an installation grows past one machine: nodes, storage and what breaks first, from the measured cost of one purchase.

/** What one purchase costs: authorized, cleared, both events delivered. Measured by `npm run plan -- --measure`. */
export type Costs = {
  readonly measuredAt: string;
  readonly versions: string;
  readonly purchases: number;
  /** Microseconds of processor time of an authorization with its event delivered, and of the whole purchase. */
  readonly authorization: { readonly serviceMicros: number; readonly databaseMicros: number; readonly walBytes: number };
  readonly purchase: {
    readonly serviceMicros: number;
    readonly databaseMicros: number;
    readonly walBytes: number;
    /** Transaction numbers that PostgreSQL used. */
    readonly transactionIds: number;
    /** Of tables that are kept for ever, indexes included. */
    readonly keptBytes: number;
    /** Of tables whose old weeks are dropped, and of the request log and idempotency records, which are swept. */
    readonly passingBytes: number;
    readonly events: number;
  };
};

export type Scenario = {
  readonly name: string;
  readonly platforms: number;
  /** Purchases a second in the busiest minute. */
  readonly peakPerSecond: number;
  /** Average of the day as a share of the peak. */
  readonly averageShare: number;
  /** Purchases that are kept. */
  readonly history: number;
  /** Exponent of the Zipf distribution of load over platforms: 0 is even, 1 is usual for customers of a service. */
  readonly skew: number;
  readonly eventRetentionDays: number;
};

/** One database server, and what may be used of it. */
export type Machine = {
  readonly cores: number;
  /** Share of the processors that load may take, so that a failover, a vacuum or a rebalancing finds room. */
  readonly busyShare: number;
  readonly walBytesPerSecond: number;
  readonly diskBytes: number;
  readonly diskShare: number;
};

export const MACHINE: Machine = { cores: 32, busyShare: 0.6, walBytesPerSecond: 200e6, diskBytes: 7.5e12, diskShare: 0.7 };
const SHARDS = 512;
/** Platforms with more than this share of a node get a shard of their own. */
const OWN_SHARD_SHARE = 0.1;
/** One Node process uses one core for requests; some of it is left for what comes at once. */
const API_PROCESS_SHARE = 0.6;
const DAY_SECONDS = 86_400;
/** Autovacuum must freeze a table before so many transactions have passed (autovacuum_freeze_max_age). */
const FREEZE_AGE = 200_000_000;

export type Limit = 'processor' | 'log' | 'disk';

export type Plan = {
  readonly scenario: Scenario;
  readonly nodes: number;
  /** Platforms that are larger than a node, each on a machine of its own. */
  readonly largerMachines: number;
  readonly apiProcesses: number;
  /** What a node runs out of first. */
  readonly limit: Limit;
  /** Use of the busiest node, as a share of what may be used. */
  readonly use: Readonly<Record<Limit, number>>;
  readonly databaseCores: number;
  readonly walBytesPerSecond: number;
  readonly keptBytes: number;
  readonly passingBytes: number;
  readonly keptBytesPerDay: number;
  /** Rows of `webhook_events` in one week on the busiest node. */
  readonly eventsPerWeekAndNode: number;
  /** Of the largest platform: its load, its data, and what one node could decide by processor time. */
  readonly largest: { readonly perSecond: number; readonly bytes: number; readonly limitPerSecond: number };
  /** Hours between the freezing runs of the busiest node. */
  readonly freezeHours: number;
};

/** The least number of nodes on which nothing exceeds its share. A platform that is larger than a node has a larger machine of its own. */
export function planFor(scenario: Scenario, costs: Costs, machine: Machine = MACHINE): Plan {
  const { authorization, purchase } = costs;
  const { peakPerSecond, averageShare, history, eventRetentionDays } = scenario;
  const average = peakPerSecond * averageShare;
  const passing = average * DAY_SECONDS * (eventRetentionDays + 7) * purchase.passingBytes;
  const kept = history * purchase.keptBytes;
  const wal = peakPerSecond * purchase.walBytes;
  const cores = (peakPerSecond * purchase.databaseMicros) / 1e6;
  // What all of the load would take of one node.
  const whole: Record<Limit, number> = {
    processor: cores / (machine.cores * machine.busyShare),
    log: wal / machine.walBytesPerSecond,
    disk: (kept + passing) / (machine.diskBytes * machine.diskShare),
  };
  const limit = (Object.keys(whole) as Limit[]).reduce((a, b) => (whole[b] > whole[a] ? b : a));
  const shares = zipf(scenario.platforms, scenario.skew);
  const divisible = shares.filter((share) => share * whole[limit] <= 1);
  const { nodes, busiest } = leastNodes(divisible, whole[limit]);
  return {
    scenario,
    nodes,
    largerMachines: shares.length - divisible.length,
    apiProcesses: Math.ceil((peakPerSecond * purchase.serviceMicros) / 1e6 / API_PROCESS_SHARE),
    limit,
    use: { processor: whole.processor * busiest, log: whole.log * busiest, disk: whole.disk * busiest },
    databaseCores: cores,
    walBytesPerSecond: wal,
    keptBytes: kept,
    passingBytes: passing,
    keptBytesPerDay: average * DAY_SECONDS * purchase.keptBytes,
    eventsPerWeekAndNode: average * 7 * DAY_SECONDS * purchase.events * busiest,
    largest: {
      perSecond: peakPerSecond * (shares[0] as number),
      bytes: (kept + passing) * (shares[0] as number),
      limitPerSecond: (machine.cores * machine.busyShare * 1e6) / authorization.databaseMicros,
    },
    freezeHours: FREEZE_AGE / (average * purchase.transactionIds * busiest) / 3_600,
  };
}

/** `whole`: what all platforms would take of one node. Answers the number of nodes and the share of all load on the busiest one. */
function leastNodes(shares: readonly number[], whole: number): { readonly nodes: number; readonly busiest: number } {
  for (let nodes = 1; ; nodes += nodes < 16 ? 1 : Math.ceil(nodes / 16)) {
    const busiest = Math.max(...balance(shardsOf(shares, OWN_SHARD_SHARE / nodes), nodes));
    if (busiest * whole <= 1) return { nodes, busiest };
  }
}

/** Shares of the load, largest first. */
export function zipf(count: number, exponent: number): number[] {
  const weights = Array.from({ length: count }, (_, i) => 1 / (i + 1) ** exponent);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Platforms fall into shards by a hash of their id. A large one is given a shard of its own. Answers the load of each shard. */
function shardsOf(shares: readonly number[], ownFrom: number): number[] {
  const hashed = Array.from({ length: SHARDS }, () => 0);
  const own: number[] = [];
  for (const [i, share] of shares.entries()) {
    const shard = Math.imul(i + 1, 0x9e3779b1) >>> 23;
    if (share >= ownFrom) own.push(share);
    else hashed[shard] = (hashed[shard] as number) + share;
  }
  return [...own, ...hashed];
}

/** As a rebalancer does: the largest shard goes to the node with the least load. Answers the load of each node. */
export function balance(shards: readonly number[], nodes: number): number[] {
  const loads = Array.from({ length: nodes }, () => 0);
  for (const shard of shards.toSorted((a, b) => b - a)) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] as number) + shard;
  }
  return loads;
}
