// What a run of the command line costs beside bare Node. The runs take turns, so that a busy machine slows all of them alike.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Seconds: processor time of the process, of user and system, and time from start to end. */
export type Cost = { readonly processor: number; readonly wall: number };

async function once(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Cost> {
  const { stderr } = await promisify(execFile)(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S %R"; time "$@" > /dev/null', 'bash', process.execPath, ...args],
    { env, cwd: env['HOME'] },
  );
  const [user = 0, system = 0, wall = 0] = stderr.trim().split(' ').map(Number);
  return { processor: user + system, wall };
}

/** The least of each command's runs: what it takes when nothing disturbs it. */
export async function costsOf<Name extends string>(
  commands: Readonly<Record<Name, readonly string[]>>,
  env: Readonly<Record<string, string>>,
  runs: number,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(commands) as Name[];
  const least = Object.fromEntries(names.map((name) => [name, { processor: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY }]));
  for (let run = 0; run < runs; run += 1)
    for (const name of names) {
      const cost = await once(commands[name], env);
      const known = least[name] as Cost;
      least[name] = { processor: Math.min(known.processor, cost.processor), wall: Math.min(known.wall, cost.wall) };
    }
  return least as Record<Name, Cost>;
}
