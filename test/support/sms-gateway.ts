// A gateway of text messages as another company would run it: it checks signatures and takes messages. Written against the documented
// interface, without the service's own code.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Text = { readonly to: string; readonly text: string; readonly key: string | undefined; readonly isAuthentic: boolean };

export type SmsGateway = { readonly url: string; readonly received: Text[]; answerWith(status: number): void; close(): Promise<void> };

export async function startSmsGateway(secret: string): Promise<SmsGateway> {
  const received: Text[] = [];
  let status = 202;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { 'sms-timestamp': timestamp, 'sms-signature': signature, 'idempotency-key': key } = request.headers;
    const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
    const isAuthentic = isRecent && signature === createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    if (request.method === 'POST' && request.url === '/v1/messages')
      received.push({ ...JSON.parse(body), key: key?.toString(), isAuthentic });
    response.writeHead(status, { location: '/elsewhere' }).end('{"quotes":"the message"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    answerWith: (next) => {
      status = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
