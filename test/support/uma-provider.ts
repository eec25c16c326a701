// A provider of UMA addresses on the network: answers as it should, or with a fault, and keeps the notices that it gets.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request as post, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readLookup, readPayRequest, writeLookupAnswer, writePayAnswer, writePublicKeys } from '../../src/providers/uma/messages.js';
import { type Settlement, writeNotice } from '../../src/providers/uma/notices.js';
import { newUmaKeys, umaPublicKeys } from '../../src/providers/uma/signatures.js';
import type { UmaPrivateKeys } from '../../src/providers/uma/uma.js';

export const PROVIDER_DOMAIN = 'gamma.example';
export const PROVIDER_ADDRESS = `$grace@${PROVIDER_DOMAIN}`;

export type Reply = { readonly status: number; readonly text: string };
export type Part = 'KEYS' | 'LOOKUP' | 'PAY' | 'NOTICE';

/** What the provider does instead of answering as it should. HANG: never answers; DROP: ends the connection after it has read the message. */
export type Fault = Reply | 'HANG' | 'DROP' | ((text: string) => string);

export type UmaProvider = {
  readonly port: number;
  readonly keys: UmaPrivateKeys;
  faults: Partial<Record<Part, Fault>>;
  /** Runs before a pay request is answered. */
  whenAsked: () => Promise<void>;
  /** The payments that it was asked for and has agreed to, in order. */
  readonly agreed: Omit<Settlement, 'outcome'>[];
  /** The settlements that it was told of, in order. */
  readonly notices: Settlement[];
  /** Tells the sender's installation, at this port, what became of an invoice. */
  report(port: number, settlement: Settlement): Promise<number>;
  close(): Promise<void>;
};

const partOf = (method: string | undefined, path: string): Part => {
  if (path.startsWith('/.well-known/lnurlpubkey')) return 'KEYS';
  if (method === 'GET') return 'LOOKUP';
  return path.startsWith('/pay') ? 'PAY' : 'NOTICE';
};

export async function startUmaProvider(): Promise<UmaProvider> {
  const keys = newUmaKeys();
  const hanging = new Set<ServerResponse>();
  /** By invoice: where its outcome is reported to. */
  const callbacks = new Map<string, URL>();

  async function genuine(part: Part, path: string, body: string): Promise<string> {
    if (part === 'KEYS') return writePublicKeys(umaPublicKeys(keys));
    if (part === 'NOTICE') return '{"status":"OK"}';
    if (part === 'LOOKUP') {
      const { receiver, version } = await readLookup(`https://${PROVIDER_DOMAIN}${path}`);
      const currencies = [{ code: 'EUR', multiplier: 1, min: 1, max: 1_000_000_000 }];
      return writeLookupAnswer(keys, { receiver, callback: `https://${PROVIDER_DOMAIN}/pay`, currencies, payerFields: [], version });
    }
    const { payer, currency, amount, version, callback } = await readPayRequest(body);
    const invoice = randomBytes(8).toString('hex');
    if (callback !== undefined) callbacks.set(invoice, new URL(callback));
    provider.agreed.push({ invoice, amount: String(amount), currency });
    const agreed = { invoice, currency, amount, callback: `https://${PROVIDER_DOMAIN}/paid` };
    return writePayAnswer(keys, { ...agreed, payer, payee: PROVIDER_ADDRESS, multiplier: 1, version });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const part = partOf(request.method, request.url ?? '');
    if (part === 'PAY') await provider.whenAsked();
    if (part === 'NOTICE') provider.notices.push(JSON.parse(body).settlement);
    const fault = provider.faults[part];
    if (fault === 'HANG') hanging.add(response);
    else if (fault === 'DROP') request.socket.destroy();
    else if (typeof fault === 'object') response.writeHead(fault.status).end(fault.text);
    else {
      const text = await genuine(part, request.url ?? '', body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(fault ? fault(text) : text);
    }
  }

  // A caller that is killed ends its connection in the middle of a message.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const provider: UmaProvider = {
    port: (server.address() as AddressInfo).port,
    keys,
    faults: {},
    whenAsked: async () => {},
    agreed: [],
    notices: [],
    report: (port, settlement) =>
      new Promise((answered, failed) => {
        const { hostname, pathname } = callbacks.get(settlement.invoice) as URL;
        const body = writeNotice(keys, PROVIDER_DOMAIN, hostname, settlement);
        const headers = { host: hostname, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const call = post({ host: '127.0.0.1', port, method: 'POST', path: pathname, headers }, (response) => {
          response.resume();
          response.on('end', () => answered(response.statusCode ?? 0));
        });
        call.on('error', failed);
        call.end(body);
      }),
    async close() {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return provider;
}
