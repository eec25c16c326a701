// A minimal HTTP/1.1 client with one persistent connection per caller, so that the result measures the server.
import { connect, type Socket } from 'node:net';

export type LeanAnswer = { readonly status: number; readonly body: string };

/** A body that is sent as it is, without a copy. */
export class Pieces {
  readonly all: readonly Buffer[];
  constructor(all: readonly Buffer[]) {
    this.all = all;
  }
}

export class LeanClient {
  private readonly host: string;
  private readonly port: number;
  private readonly base: string;
  private readonly authorization: string;
  private readonly sockets: (Connection | undefined)[] = [];

  constructor(baseUrl: string, credentials?: { tokenId: string; secret: string }) {
    const url = new URL(baseUrl);
    this.host = url.hostname;
    this.port = Number(url.port);
    this.base = url.pathname === '/' ? '' : url.pathname;
    this.authorization = credentials
      ? `authorization: Basic ${Buffer.from(`${credentials.tokenId}:${credentials.secret}`).toString('base64')}\r\n`
      : '';
  }

  async request(
    caller: number,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LeanAnswer> {
    const payload =
      body instanceof Pieces
        ? body.all
        : Buffer.isBuffer(body)
          ? [body]
          : typeof body === 'string'
            ? body
            : body === undefined
              ? ''
              : JSON.stringify(body);
    const length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.reduce((sum, piece) => sum + piece.length, 0);
    const extra = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    // Bytes come with their own content-type.
    const type =
      body === undefined ? '' : `${typeof payload === 'string' ? 'content-type: application/json\r\n' : ''}content-length: ${length}\r\n`;
    let connection = this.sockets[caller];
    if (!connection?.isOpen) {
      connection = await Connection.open(this.host, this.port);
      this.sockets[caller] = connection;
    }
    return connection.exchange(
      `${method} ${this.base}${path} HTTP/1.1\r\nhost: bench\r\n${this.authorization}${type}${extra}\r\n`,
      payload,
    );
  }

  /** Throws if the response has another status. */
  async expect(
    status: number,
    caller: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<string> {
    const answer = await this.request(caller, method, path, body, headers);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return answer.body;
  }

  close(): void {
    for (const connection of this.sockets) connection?.close();
  }
}

class Connection {
  private readonly socket: Socket;
  private received = '';
  private waiting: { resolve: (answer: LeanAnswer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.read(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('connection closed')));
  }

  static open(host: string, port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  exchange(head: string, payload: string | readonly Buffer[]): Promise<LeanAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (typeof payload === 'string') {
        this.socket.write(head + payload);
        return;
      }
      this.socket.cork();
      this.socket.write(head);
      for (const piece of payload) this.socket.write(piece);
      this.socket.uncork();
    });
  }

  /** The server closes a connection on which nothing was asked for a while. */
  get isOpen(): boolean {
    return this.socket.writable;
  }

  close(): void {
    this.socket.destroy();
  }

  private fail(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }

  private read(chunk: string): void {
    this.received += chunk;
    const head = this.received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.received.slice(0, head))?.[1] ?? 0);
    if (this.received.length < head + 4 + length) return;
    const answer = { status: Number(this.received.slice(9, 12)), body: this.received.slice(head + 4, head + 4 + length) };
    this.received = this.received.slice(head + 4 + length);
    this.waiting?.resolve(answer);
    this.waiting = undefined;
  }
}
