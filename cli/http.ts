// One request over HTTP/1.1 on a connection of its own. `node:http` takes as long to load as everything else that a command does.
import { connect } from 'node:net';
import { usage } from './exit.js';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
};

export type Sent = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: Buffer | undefined;
  readonly timeoutMs: number;
};

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Also refuses line ends, with which a value would become another header. */
function headOf(url: URL, { method, headers, payload }: Sent): string {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`, 'connection: close'];
  if (payload || /^P/.test(method)) lines.push(`content-length: ${payload?.length ?? 0}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name) || !VALUE.test(value)) throw usage(`the header ${JSON.stringify(name)} cannot be sent`);
    lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends the request and reads the whole answer. Rejects if there is none, or not all of it. */
export async function exchange(address: string, sent: Sent): Promise<Reply> {
  const url = new URL(address);
  if (url.protocol === 'https:') return overTls(url, sent);
  const head = Buffer.from(headOf(url, sent), 'latin1');
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) });
    const reader = new ReplyReader(sent.method);
    const settle = (isEnd: boolean) => {
      try {
        const reply = reader.read(isEnd);
        if (!reply) return;
        // The service closes the connection. To destroy it here would start the stream of standard error, which Node compares it with.
        socket.off('data', read).resume().setTimeout(0).unref();
        resolve(reply);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    socket.setTimeout(sent.timeoutMs, () => socket.destroy(new Error(`nothing within ${sent.timeoutMs / 1_000} s`)));
    const read = (chunk: Buffer) => {
      reader.push(chunk);
      settle(false);
    };
    socket.on('data', read);
    socket.on('end', () => settle(true));
    socket.on('error', reject);
    socket.write(sent.payload ? Buffer.concat([head, sent.payload]) : head);
  });
}

const END_OF_HEAD = '\r\n\r\n';

/** Puts the pieces of an answer together. */
export class ReplyReader {
  readonly #method: string;
  #pieces: Buffer[] = [];
  #size = 0;
  #head: { readonly status: number; readonly headers: Record<string, string | string[]>; readonly length: number } | undefined;

  constructor(method: string) {
    this.#method = method;
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#size += chunk.length;
  }

  /** The answer, once it is whole. `isEnd`: nothing follows. */
  read(isEnd: boolean): Reply | undefined {
    this.#head ??= this.#readHead();
    if (this.#head && this.#head.status < 200) {
      // An interim answer: the final one follows.
      this.#drop(this.#head.length);
      this.#head = undefined;
      return this.read(isEnd);
    }
    const { status, headers, length: from } = this.#head ?? {};
    if (status === undefined || headers === undefined || from === undefined) {
      if (isEnd) throw new Error('the connection was closed without an answer');
      return undefined;
    }
    const reply = (bytes: Buffer): Reply => ({ status, headers, bytes });
    if (status === 204 || status === 304 || this.#method === 'HEAD') return reply(Buffer.alloc(0));
    const length = headers['content-length'];
    if (typeof length === 'string' && headers['transfer-encoding'] === undefined) {
      if (this.#size - from >= Number(length)) return reply(this.#joined().subarray(from, from + Number(length)));
      if (isEnd) throw new Error('the answer was cut off');
      return undefined;
    }
    // The connection is closed after the answer, and only then are the chunks read.
    if (!isEnd) return undefined;
    const body = this.#joined().subarray(from);
    return reply(headers['transfer-encoding'] === undefined ? body : unchunked(body));
  }

  #joined(): Buffer {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  #drop(bytes: number): void {
    this.#pieces = [this.#joined().subarray(bytes)];
    this.#size -= bytes;
  }

  #readHead() {
    const whole = this.#joined();
    const end = whole.indexOf(END_OF_HEAD);
    if (end < 0) return undefined;
    const [first = '', ...lines] = whole.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error('the answer is not HTTP');
    const headers: Record<string, string | string[]> = Object.create(null);
    for (const line of lines) {
      const at = line.indexOf(':');
      const [name, value] = [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      const known = headers[name];
      if (name === 'set-cookie') headers[name] = [...(known ?? []), value];
      else headers[name] = known === undefined ? value : `${known}, ${value}`;
    }
    return { status, headers, length: end + END_OF_HEAD.length };
  }
}

function unchunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? Number.NaN : Number.parseInt(body.toString('latin1', at, end), 16);
    if (size === 0) return Buffer.concat(pieces);
    if (Number.isNaN(size) || end + 2 + size > body.length) throw new Error('the answer was cut off');
    pieces.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function overTls(url: URL, { method, headers, payload, timeoutMs }: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const length = payload ? { 'content-length': payload.length } : {};
    const request = process
      .getBuiltinModule('node:https')
      .request(url, { method, timeout: timeoutMs, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }));
      });
    request.on('timeout', () => request.destroy(new Error(`nothing within ${timeoutMs / 1_000} s`)));
    request.on('error', reject);
    request.end(payload);
  });
}
