// A TCP port in front of the PostgreSQL of the tests, which can play a primary, a standby, and a server that is gone or silent.
import { connect, createServer, type Socket } from 'node:net';

export type Role = 'primary' | 'standby' | 'gone' | 'silent';

export type DatabaseProxy = {
  readonly port: number;
  /** `gone` cuts every connection and takes no other, `silent` takes connections and forwards nothing any more. */
  become(role: Role): void;
  stop(): Promise<void>;
};

/** `url`: of the embedded PostgreSQL, whose socket is named in it. */
export async function startDatabaseProxy(url: string, first: Role): Promise<DatabaseProxy> {
  const { hostname, port, searchParams } = new URL(url);
  const directory = searchParams.get('host');
  const target = directory
    ? { path: `${directory}/.s.PGSQL.${searchParams.get('port') ?? 5432}` }
    : { host: hostname, port: Number(port || 5432) };
  let role = first;
  const open = new Set<Socket>();

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
    if (role === 'gone') return void socket.destroy();
    if (role === 'silent') return;
    socket.once('data', (bytes) => {
      const behind = connect(target as { path: string });
      open.add(behind);
      behind.on('error', () => socket.destroy()).once('close', () => open.delete(behind));
      behind.once('close', () => socket.destroy());
      socket.once('close', () => behind.destroy());
      behind.write(role === 'standby' ? readOnly(bytes) : bytes);
      socket.on('data', (more) => role !== 'silent' && behind.write(more));
      behind.on('data', (more) => role !== 'silent' && socket.write(more));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    become(next) {
      role = next;
      if (role === 'gone') for (const socket of open) socket.destroy();
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Adds a parameter to the first message of a session: its length, the version of the protocol, names and values, and a zero. */
function readOnly(startup: Buffer): Buffer {
  const added = Buffer.concat([startup.subarray(0, -1), Buffer.from('options\0-c default_transaction_read_only=on\0\0')]);
  added.writeUInt32BE(added.length, 0);
  return added;
}
