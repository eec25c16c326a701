// A webhook receiver on loopback, whose answers and failures a test chooses.
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };
/** A status, a full answer, a closed connection, or no answer. */
export type Reply =
  | number
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'RESET'
  | 'HANG';

export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Connections accepted so far, whether or not anything was sent on them. */
  readonly connections: () => number;
  close(): Promise<void>;
};

export type ReceiverOptions = {
  readonly reply?: (received: Received, index: number) => Reply | Promise<Reply>;
  /** A free port; by default the system picks one. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Does not keep requests, for long runs that would fill the memory. */
  readonly forgets?: boolean;
};

export async function startReceiver({
  reply = () => 200,
  port: wanted = 0,
  tls,
  forgets = false,
}: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
    const index = received.push(one) - 1;
    if (forgets) received.length = 0;
    const said = await reply(one, index);
    if (said === 'HANG') return;
    if (said === 'RESET') {
      request.socket.resetAndDestroy();
      return;
    }
    const { status, body = '', headers = {} } = typeof said === 'number' ? { status: said } : said;
    response.writeHead(status, headers).end(body);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response).catch(() => response.destroy());
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((listening) => server.listen(wanted, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hooks`,
    port,
    received,
    connections: () => connections,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Self-signed for receiver.example, valid from 2020 to 2120. Used in tests only. */
export const TLS_FIXTURE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaXiECOrnnFg4JWx9
gjvz/SvthzQuiNzV+NhNSn3aW7ehRANCAARzV99alkvDgEv8R6Y2eTs2hLkr0nVL
KuVMUHFeZH3mpTPy6aVoR9PCUqVedvDKg7l/E1QF0m3a4ZNsPZv8Qnkk
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBdzCCARygAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl
ci5leGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEc1ffWpZLw4BL/EemNnk7NoS5K9J1SyrlTFBxXmR95qUz8umlaEfTwlKlXnbw
yoO5fxNUBdJt2uGTbD2b/EJ5JKNPME0wDwYDVR0TAQH/BAUwAwEB/zAbBgNVHREE
FDASghByZWNlaXZlci5leGFtcGxlMB0GA1UdDgQWBBSmCmECO0rBXoOpnsn7qRZt
NfXoJzAKBggqhkjOPQQDAgNJADBGAiEA4Hn2RIIh2SYuHeaf0g7ItYPotOwYaViW
P8uxT5Y8dr8CIQCv/lgjJL3Hkf+zP/sYHeJ6brF2XN5e/oqmTfaAc3hYiA==
-----END CERTIFICATE-----
`,
};
