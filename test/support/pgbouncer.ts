// PgBouncer in transaction mode, in front of the PostgreSQL of the tests. Debian's package brings it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type PgBouncer = {
  /** The database through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
};

const version = (): string | undefined =>
  /PgBouncer (\S+)/.exec(spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];

/** Why PgBouncer cannot be used here; false if it can. */
export function missingPgBouncer(url: string): string | false {
  // A cluster is named by several URLs.
  if (!URL.canParse(url) || !new URL(url).searchParams.get('host'))
    return 'the PostgreSQL of the tests has no socket that PgBouncer could use';
  return version() ? false : 'PgBouncer is not installed (Debian: apt-get install pgbouncer)';
}

/** `url`: of a database of the embedded PostgreSQL, which trusts whoever reaches its socket. */
export async function startPgBouncer(url: string, serverConnections: number): Promise<PgBouncer> {
  const { searchParams, username, pathname } = new URL(url);
  const socketDirectory = searchParams.get('host') as string;
  // It refuses to run as root, and the socket belongs to the account of PostgreSQL.
  const { uid, gid } = statSync(socketDirectory);
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-pgbouncer-'));
  const port = await freePort();
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${socketDirectory} port=${searchParams.get('port') ?? 5432} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
`,
  );
  if (process.getuid?.() === 0) for (const path of [directory, settings]) chownSync(path, uid, gid);
  chmodSync(directory, 0o755);
  const child = spawn('pgbouncer', ['-q', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  while (!(await isListening(port))) if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${said}`);
  return {
    url: `postgresql://${username}@127.0.0.1:${port}${pathname}`,
    async stop() {
      // It ends at once; SIGTERM would wait for its clients in newer versions.
      child.kill('SIGQUIT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => setTimeout(resolve, 10, false));
    socket.once('connect', () => socket.destroy());
  });

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
