// The simulation behind docs/plan-past-one-machine.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balance, type Costs, MACHINE, planFor, type Scenario, zipf } from '../../../bench/plan-model.js';

const costs: Costs = {
  measuredAt: '2026-01-01',
  versions: '',
  purchases: 1,
  authorization: { serviceMicros: 500, databaseMicros: 500, walBytes: 4_000 },
  purchase: {
    serviceMicros: 1_000,
    databaseMicros: 1_000,
    walBytes: 10_000,
    transactionIds: 1,
    keptBytes: 1_000,
    passingBytes: 1_000,
    events: 2,
  },
};
const scenario: Scenario = {
  name: '',
  platforms: 1_000,
  peakPerSecond: 1_000,
  averageShare: 0.25,
  history: 1e6,
  skew: 1,
  eventRetentionDays: 7,
};

test('shares of platforms add up to one, and shards on nodes keep their load', () => {
  const shares = zipf(1_000, 1);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum(shares) - 1) < 1e-9);
  assert.ok(Math.abs(sum(balance(shares, 7)) - 1) < 1e-9);
});

test('a small installation needs one node; its use follows from the costs', () => {
  const plan = planFor(scenario, costs);
  assert.equal(plan.nodes, 1);
  assert.equal(plan.databaseCores, 1);
  assert.ok(Math.abs(plan.use.processor - 1 / (MACHINE.cores * MACHINE.busyShare)) < 1e-9);
  assert.ok(Math.abs(plan.use.log - 1e7 / MACHINE.walBytesPerSecond) < 1e-9);
});

test('nothing exceeds its share of the busiest node, and more load or history never needs fewer nodes', () => {
  let nodes = 0;
  for (const factor of [1, 10, 30, 100]) {
    const plan = planFor({ ...scenario, peakPerSecond: 1_000 * factor, history: 1e9 * factor }, costs);
    assert.ok(Math.max(...Object.values(plan.use)) <= 1, plan.limit);
    assert.ok(plan.nodes + plan.largerMachines >= nodes);
    nodes = plan.nodes + plan.largerMachines;
  }
  assert.ok(nodes > 1);
});

test('a platform that is larger than a node has a machine of its own', () => {
  assert.equal(planFor(scenario, costs).largerMachines, 0);
  const plan = planFor({ ...scenario, peakPerSecond: 300_000 }, costs);
  assert.ok(plan.largerMachines > 0 && plan.largerMachines < 10);
});
