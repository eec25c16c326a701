// A KYC vendor as another company would run it: it checks signatures, takes each packet, and calls back. Written against the documented
// interface, without the service's own code. A process of its own; a test steers it over IPC: `fork('kyc-vendor-process.js', [SECRET])`.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests read packets freely.
type Packet = any;

export type VendorReply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The vendor calls back with this outcome and waits for the answer, before it answers the packet. */
  readonly callBackFirst?: { readonly baseUrl: string; readonly outcome: string };
  /** The vendor never answers. */
  readonly isSilent?: boolean;
};

export type Received = { readonly packet: Packet; readonly headers: IncomingMessage['headers']; readonly isAuthentic: boolean };

type CallBack = {
  readonly baseUrl: string;
  readonly content: object;
  readonly at?: number | undefined;
  readonly key?: string | undefined;
  /** Appended to the body after it was signed. */
  readonly altered?: string | undefined;
};
type ReadDocument = {
  readonly baseUrl: string;
  readonly reference: string;
  readonly id: string;
  readonly key?: string | undefined;
  readonly signed?: string | undefined;
};

const secret = process.argv[2] ?? '';
const received: Received[] = [];
let reply: VendorReply = { status: 202, body: { outcome: 'IN_PROGRESS' } };

const sign = (key: string, timestamp: string, body: string): string =>
  createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
const seconds = (at: number): string => String(Math.floor(at / 1000));

async function callBack({ baseUrl, content, at = Date.now(), key = secret, altered = '' }: CallBack) {
  const body = JSON.stringify(content);
  const timestamp = seconds(at);
  const response = await fetch(`${baseUrl}/kyc/callbacks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'kyc-timestamp': timestamp, 'kyc-signature': sign(key, timestamp, body) },
    body: body + altered,
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely.
  return { status: response.status, body: (await response.json()) as any };
}

async function readDocument({ baseUrl, reference, id, key = secret, signed = `${reference}/${id}` }: ReadDocument) {
  const timestamp = seconds(Date.now());
  const response = await fetch(`${baseUrl}/kyc/documents/${reference}/${id}`, {
    headers: { 'kyc-timestamp': timestamp, 'kyc-signature': sign(key, timestamp, signed) },
  });
  const base64 = Buffer.from(await response.arrayBuffer()).toString('base64');
  return { status: response.status, type: response.headers.get('content-type'), base64 };
}

const ORDERS = {
  received: () => received,
  /** Forgets what was received, and answers with `next` from now on. */
  restart: (next: VendorReply) => {
    received.length = 0;
    reply = next;
  },
  answerWith: (next: VendorReply) => {
    reply = next;
  },
  callBack,
  readDocument,
};
export type Orders = typeof ORDERS;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const packet = request.url === '/v1/applications' && request.method === 'POST' ? JSON.parse(body) : undefined;
  const signature = sign(secret, String(request.headers['kyc-timestamp']), body);
  received.push({ packet, headers: request.headers, isAuthentic: request.headers['kyc-signature'] === signature });
  const { status, body: answer = '', headers = {}, callBackFirst, isSilent } = reply;
  if (isSilent) return;
  if (callBackFirst)
    await callBack({ baseUrl: callBackFirst.baseUrl, content: { reference: packet.reference, outcome: callBackFirst.outcome } });
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
});

process.on('message', async ({ id, order, argument }: { id: number; order: keyof Orders; argument: never }) => {
  try {
    process.send?.({ id, result: await ORDERS[order](argument) });
  } catch (error) {
    process.send?.({ id, failure: String(error) });
  }
});
process.once('disconnect', () => process.exit(0));
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
