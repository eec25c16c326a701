// Messages of a provider of UMA addresses to an installation: who is there, agree to a payment, it is paid.
import { request } from 'node:http';
import { type PayRequest, readLookupAnswer, readPayAnswer, writeLookup, writePayRequest } from '../../src/providers/uma/messages.js';
import { type Settlement, writeNotice } from '../../src/providers/uma/notices.js';
import { newUmaKeys } from '../../src/providers/uma/signatures.js';
import type { UmaPrivateKeys } from '../../src/providers/uma/uma.js';
import type { Reply } from './uma-provider.js';

export type Message = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string };

/** Sends a message to the installation at a port of this machine. The Host chooses the platform. */
export const sendMessage = (port: number, host: string, { method, path, body }: Message): Promise<Reply> =>
  new Promise((answered, failed) => {
    const headers = { host, ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }) };
    const call = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => answered({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', failed);
    call.end(body);
  });

/** Signed messages of the provider of `domain` to the platform of `host`. Each has a nonce of its own. */
export const umaSender = (keys: UmaPrivateKeys, domain: string, host: string) => ({
  async lookup(receiver: string): Promise<Message> {
    const { pathname, search } = new URL(await writeLookup(keys, { receiver, domain }));
    return { method: 'GET', path: pathname + search };
  },
  async payRequest(receiver: string, fields: Omit<PayRequest, 'payeeFields'>): Promise<Message> {
    const body = await writePayRequest(keys, { ...fields, payeeFields: [], version: '1.0' });
    return { method: 'POST', path: `/uma/pay-requests/${encodeURIComponent(receiver.slice(0, receiver.indexOf('@')))}`, body };
  },
  paid: (settlement: Settlement): Message => ({
    method: 'POST',
    path: `/uma/invoices/${settlement.invoice}`,
    body: writeNotice(keys, domain, host, settlement),
  }),
  outcome: (payment: string, settlement: Settlement): Message => ({
    method: 'POST',
    path: `/uma/payments/${payment}`,
    body: writeNotice(keys, domain, host, settlement),
  }),
});

export { newUmaKeys, readLookupAnswer, readPayAnswer };
