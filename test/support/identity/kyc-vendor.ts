// A KYC vendor as another company would run it: it checks signatures, takes each packet once, and calls back. Written against the
// documented interface, without the service's own code.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests read packets freely.
type Packet = any;
export type VendorReply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

const sign = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

export async function startVendor(secret: string) {
  const received: { packet: Packet; headers: IncomingMessage['headers']; isAuthentic: boolean }[] = [];
  let reply: (packet: Packet) => VendorReply | Promise<VendorReply> = () => ({ status: 202, body: { outcome: 'IN_PROGRESS' } });

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const packet = request.url === '/v1/applications' && request.method === 'POST' ? JSON.parse(body) : undefined;
    const timestamp = String(request.headers['kyc-timestamp']);
    received.push({ packet, headers: request.headers, isAuthentic: request.headers['kyc-signature'] === sign(secret, timestamp, body) });
    const { status, body: answer = '', headers = {} } = await reply(packet);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    answerWith(next: VendorReply | ((packet: Packet) => VendorReply | Promise<VendorReply>)) {
      reply = typeof next === 'function' ? next : () => next;
    },
    /** Sends a decision to the service, signed now unless other times or secrets are asked for. */
    async callBack(baseUrl: string, content: object, { at = Date.now(), key = secret, altered = '' } = {}) {
      const body = JSON.stringify(content);
      const timestamp = String(Math.floor(at / 1000));
      const response = await fetch(`${baseUrl}/kyc/callbacks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'kyc-timestamp': timestamp, 'kyc-signature': sign(key, timestamp, body) },
        body: body + altered,
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely.
      return { status: response.status, body: (await response.json()) as any };
    },
    async readDocument(baseUrl: string, reference: string, id: string, { key = secret, signed = `${reference}/${id}` } = {}) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const response = await fetch(`${baseUrl}/kyc/documents/${reference}/${id}`, {
        headers: { 'kyc-timestamp': timestamp, 'kyc-signature': sign(key, timestamp, signed) },
      });
      return { status: response.status, type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
