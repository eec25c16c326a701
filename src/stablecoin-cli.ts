// `npm run stablecoins -- …`: the operator enables the stablecoins of platforms, and disables them.
import { parseArgs } from 'node:util';
import { readClock } from './domains/core/platform/actions.js';
import {
  findPlatformOfStablecoin,
  findWaitingStablecoins,
  type GridStatus,
  lockStablecoin,
  moveEnablement,
  NEXT_ENABLEMENT,
} from './domains/payments/stablecoins/actions.js';
import { describeError } from './kernel/errors.js';
import { parseId } from './kernel/ids.js';
import { refuseExtra, runTool, type ToolContext, ToolError, withDatabase } from './tool.js';

const USAGE = `usage:
  npm run stablecoins -- list
  npm run stablecoins -- move STABLECOIN_ID STATUS
The steps are PENDING_APPROVAL to ENABLING, ENABLING to ENABLED, ENABLED to DISABLED, and DISABLED to ENABLED.`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const COMMANDS: Readonly<Record<string, (context: ToolContext, args: readonly string[]) => Promise<void>>> = {
  list: async ({ db }) => {
    for (const { id, symbol, platformId, gridStatus, updatedAt } of await findWaitingStablecoins(db))
      print(`${id}  ${symbol}  ${platformId}  ${gridStatus} since ${updatedAt.toISOString()}`);
  },
  move: async ({ db, config }, [text = '', status = '']) => {
    const id = parseId('Stablecoin', text);
    const platformId = id && (await findPlatformOfStablecoin(db, id));
    if (!platformId) throw new ToolError(`no stablecoin ${text || '(none named)'}`);
    const { now } = await readClock(db, platformId);
    const environment = config.mode === 'sandbox' ? 'SANDBOX' : 'PRODUCTION';
    const moved = await db.transaction(async (tx) => {
      const { gridStatus } = await lockStablecoin(tx, platformId, id);
      refuseOther(gridStatus, status);
      return moveEnablement(tx, { environment }, platformId, id, now);
    });
    print(`${text}  ${moved?.gridStatus}`);
  },
};

function refuseOther(from: GridStatus, to: string): void {
  const next = NEXT_ENABLEMENT[from];
  if (next === undefined) throw new ToolError(`the stablecoin is ${from}: its platform has requested nothing`);
  if (next !== to) throw new ToolError(`the stablecoin is ${from}: the next status is ${next}`);
}

runTool(async () => {
  const { positionals } = (() => {
    try {
      return parseArgs({ allowPositionals: true });
    } catch (error) {
      throw new ToolError(`${describeError(error).message}\n${USAGE}`);
    }
  })();
  const [name = '', ...args] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new ToolError(USAGE);
  refuseExtra({ words: name === 'move' ? 2 : 0 }, positionals, {}, USAGE);
  await withDatabase((context) => command(context, args));
});
