// Processor time of processes, as the kernel counts it. Rates depend on what else the machine does; processor time hardly does.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICKS_PER_SECOND = 100;

/** The fields of /proc/<pid>/stat after the name of the process: state, parent, …; undefined for a process that has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
  } catch {
    return undefined;
  }
}

/** User and system time of a process. */
export const secondsOf = (pid: number): number => {
  const fields = statOf(pid);
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : 0;
};

/** A process, its children that have ended, and its living children. */
export function familySeconds(parent: number): number {
  const fields = statOf(parent);
  const ended = fields ? (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND : 0;
  const living = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && Number(statOf(pid)?.[1]) === parent)
    .reduce((sum, pid) => sum + secondsOf(pid), 0);
  return secondsOf(parent) + ended + living;
}

/** The process whose children serve the connections of this database. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return Number(statOf(rows[0]?.pid as number)?.[1]);
  } finally {
    await client.end();
  }
}

/** Seconds that the service, its database and this process have used together. */
export async function meterOf(service: { readonly databaseUrl: string; cpuSeconds(): number }): Promise<() => number> {
  const postmaster = await postmasterOf(service.databaseUrl);
  return () => {
    const { user, system } = process.cpuUsage();
    return service.cpuSeconds() + familySeconds(postmaster) + (user + system) / 1e6;
  };
}
