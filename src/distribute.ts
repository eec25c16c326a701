// `npm run distribute`: spreads a database with the extension Citus over its nodes, by platform. The plan is printed first; --plan stops there.
import { DistributionError, describeDistribution, distribute, readDistribution } from './db/distribution.js';
import { runTool, ToolError, withDatabase } from './tool.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

runTool(async () => {
  const [extra] = process.argv.slice(2).filter((word) => word !== '--plan');
  // A mistyped --plan must not distribute.
  if (extra !== undefined) throw new ToolError(`not expected: ${extra}\nusage: npm run distribute [-- --plan]`);
  await withDatabase(async ({ db }) => {
    const session = await db.connect();
    try {
      const plan = await readDistribution(session);
      if (!plan.extension)
        throw new ToolError('the database has no extension citus. One server needs none; see docs/guides/grow-past-one-machine.md');
      print(`Citus ${plan.extension}, data on ${plan.nodes.join(', ') || 'no node yet: select citus_add_node(host, port)'}`);
      const steps = describeDistribution(plan);
      for (const step of steps) print(`  ${step}`);
      if (process.argv.includes('--plan')) return;
      await distribute(session, plan, (done) => print(`done: ${done}`));
      print(steps.length === 0 ? 'Everything is distributed already.' : 'The database is distributed.');
    } catch (error) {
      throw error instanceof DistributionError ? new ToolError(error.message) : error;
    } finally {
      await session.end();
    }
  });
});
