// HTTP/1.1 over a raw persistent connection. Bytes are sent unchanged, so a test can send requests that no client library would.
import { connect, type Socket } from 'node:net';

export type WireAnswer = {
  readonly status: number;
  /** Names in lower case. Of repeated headers, the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly ms: number;
};

export class ConnectionClosed extends Error {}

type Waiting = { resolve: (answer: WireAnswer) => void; reject: (error: Error) => void; since: number; headOnly: boolean };

export class Connection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private waiting: Waiting | undefined;
  private ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', (error) => this.end(error));
    socket.on('end', () => this.finish());
    socket.on('close', () => this.end(new ConnectionClosed('the connection was closed')));
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  get open(): boolean {
    return !this.ended;
  }

  /** Sends one request and waits for its response, at most `timeoutMs`. */
  exchange(bytes: Buffer | string, { timeoutMs = 10_000, headOnly = false } = {}): Promise<WireAnswer> {
    if (this.ended) return Promise.reject(new ConnectionClosed('the connection is closed'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const done = () => clearTimeout(timer);
      this.waiting = {
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (error) => {
          done();
          reject(error);
        },
        since: performance.now(),
        headOnly,
      };
      this.socket.write(bytes);
    });
  }

  /** Sends part of a request, or a complete one, and closes the connection without reading. */
  drop(bytes: Buffer): void {
    this.socket.write(bytes, () => this.close());
  }

  /** Sends a complete request and closes the connection after a delay or after a number of response bytes. */
  abandon(bytes: Buffer, when: { readonly afterMs: number } | { readonly afterBytes: number }): Promise<void> {
    return new Promise((resolve) => {
      let seen = 0;
      this.socket.once('close', resolve);
      this.socket.on('data', (chunk: Buffer) => {
        seen += chunk.length;
        if ('afterBytes' in when && seen >= when.afterBytes) this.close();
      });
      this.socket.write(bytes, () => {
        if ('afterMs' in when) setTimeout(() => this.close(), when.afterMs);
      });
    });
  }

  close(): void {
    this.ended = true;
    this.socket.destroy();
  }

  private end(error: Error): void {
    this.ended = true;
    this.socket.destroy();
    this.waiting?.reject(error);
    this.waiting = undefined;
  }

  /** The server closed the connection, which ends a body without a length. */
  private finish(): void {
    const head = this.head();
    if (head && this.waiting && head.length === undefined && !head.chunked) this.answer(head, this.received.subarray(head.end));
    this.ended = true;
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const head = this.head();
    if (!head || !this.waiting) return;
    if (head.status < 200) {
      this.received = this.received.subarray(head.end);
      if (this.received.length > 0) this.read(Buffer.alloc(0));
      return;
    }
    const body = this.bodyOf(head);
    if (body) this.answer(head, body.bytes, body.end);
  }

  /** The body and its end; undefined while it is incomplete. */
  private bodyOf(head: Head): { bytes: Buffer; end: number } | undefined {
    // An event stream has no end, so its head is the response.
    const endless = head.headers['content-type']?.startsWith('text/event-stream');
    if (head.empty || endless || this.waiting?.headOnly) return { bytes: Buffer.alloc(0), end: head.end };
    if (head.chunked) return chunksOf(this.received, head.end);
    const end = head.end + (head.length ?? Number.POSITIVE_INFINITY);
    return this.received.length < end ? undefined : { bytes: this.received.subarray(head.end, end), end };
  }

  private answer(head: Head, body: Buffer, end = this.received.length): void {
    const waiting = this.waiting as Waiting;
    this.waiting = undefined;
    this.received = this.received.subarray(end);
    waiting.resolve({ status: head.status, headers: head.headers, body: Buffer.from(body), ms: performance.now() - waiting.since });
  }

  private head(): Head | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.received.toString('latin1', 0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(first.slice(9, 12));
    return {
      status,
      headers,
      end: end + 4,
      empty: status === 204 || status === 304,
      chunked: /chunked/i.test(headers['transfer-encoding'] ?? ''),
      length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    };
  }
}

type Head = {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Where the body begins. */
  readonly end: number;
  readonly empty: boolean;
  readonly chunked: boolean;
  readonly length: number | undefined;
};

function chunksOf(bytes: Buffer, from: number): { bytes: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (bytes.length < lineEnd + 2 + size + 2) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), end: lineEnd + 4 };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** The bytes of a regular request. The body is sent unchanged; `undefined` headers are omitted. */
export function requestBytes(
  method: string,
  target: string,
  headers: Readonly<Record<string, string | undefined>>,
  body?: Buffer | string,
): Buffer {
  const payload = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(body, 'utf8');
  const all = { host: 'prove', ...(payload ? { 'content-length': String(payload.length) } : {}), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return payload ? Buffer.concat([head, payload]) : head;
}
