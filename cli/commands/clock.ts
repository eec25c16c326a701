// The sandbox clock in one word: show, freeze, advance, resume.
import { usage } from '../exit.js';
import { type Context, callerOf, durationMs } from '../operation-command.js';
import { show as print } from '../show.js';
import { isTerminal, write } from '../terminal.js';

type Clock = { now: string; frozen: boolean; ran?: { job: string; count: number }[]; complete?: boolean };

function answer({ output, globals }: Context, clock: Clock): void {
  const path = globals['jq-path'] as string | undefined;
  if (output.isText && path === undefined) output.write(textOf(clock));
  else print(output, clock, { path });
}

function textOf({ now, frozen, ran = [], complete }: Clock): string {
  const done = ran.filter(({ count }) => count > 0).map(({ job, count }) => `${job} ${count}`);
  const rest = complete === false ? '; more is done in the background' : '';
  return `${now}  ${frozen ? 'frozen' : 'running'}${done.length > 0 ? `; ran ${done.join(', ')}` : ''}${rest}`;
}

async function change(context: Context, body: Record<string, unknown>): Promise<void> {
  const caller = callerOf(context);
  // An advance may take seconds while what falls due is done.
  const timer = isTerminal(2) ? setTimeout(() => write(2, 'doing what falls due …\n'), 1_000) : undefined;
  const { body: clock } = await caller.call({ method: 'PUT', path: '/sandbox/clock', body }).finally(() => clearTimeout(timer));
  answer(context, clock);
}

export async function show(context: Context): Promise<void> {
  answer(context, (await callerOf(context).call({ method: 'GET', path: '/sandbox/clock' })).body);
}

export async function freeze(context: Context, [at]: readonly string[]): Promise<void> {
  if (at !== undefined && Number.isNaN(Date.parse(at))) throw usage(`not a time: ${at}; write 2031-03-12T15:00Z`);
  await change(context, { frozen: true, ...(at === undefined ? {} : { now: new Date(at).toISOString() }) });
}

export async function advance(context: Context, [by]: readonly string[]): Promise<void> {
  if (by === undefined) throw usage('usage: switchyard clock advance 1d');
  await change(context, { advanceMs: durationMs(by) });
}

export const resume = (context: Context): Promise<void> => change(context, { frozen: false });
