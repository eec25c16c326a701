// Sends the accepted request of an operation, with the credentials and the signatures that it asks for.
import assert from 'node:assert/strict';
import { BASE_PATH } from '../../src/http/server.js';
import { agentOf } from '../support/agents.js';
import type { Client } from '../support/client.js';
import { issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { type Challenged, type Keys, signatureHeaders, stamp } from '../support/wallet.js';
import type { DocumentedOperation } from './document.js';
import { type ExampleRequest, targetOf, wireBody } from './examples.js';

export type Answered = { readonly status: number; readonly answer?: Challenged };

/** The first answer, and the one to the last signed retry where a signature is asked for. */
export async function sendExample(
  url: string,
  client: Client,
  operation: DocumentedOperation,
  request: ExampleRequest,
): Promise<{ readonly first: Answered; readonly signed?: Answered }> {
  const body = request.body === undefined ? undefined : wireBody(request.body);
  const { authorization } = operation.permission === 'AGENT' ? (await agentOf(client)).client : client;
  const credentials = operation.permission === 'ISSUER' ? issuerHeaders(await issuerKeyOf(client), body ?? '') : { authorization };
  const send = async (signature: Record<string, string> = {}): Promise<Answered> => {
    const ending = new AbortController();
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + BASE_PATH + targetOf(operation, request), {
      method: operation.method,
      headers: { ...credentials, ...type, ...request.headers, ...signature },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: ending.signal,
    });
    const media = (response.headers.get('content-type') ?? '').split(';')[0];
    // A stream has no end.
    const text = media === 'text/event-stream' ? '' : await response.text();
    if (media === 'text/event-stream') ending.abort();
    assert.ok(response.status < 400, `${operation.id}: the example is refused: ${response.status} ${text.slice(0, 500)}`);
    return { status: response.status, ...(media === 'application/json' && text !== '' && { answer: JSON.parse(text) }) };
  };
  const first = await send();
  return request.signer && first.status === 202 ? { first, signed: await lastRetry(send, first, request.signer) } : { first };
}

/** Signs what each answer asks for, as the app of the end user does. */
async function lastRetry(send: (signature: Record<string, string>) => Promise<Answered>, first: Answered, keys: Keys): Promise<Answered> {
  let answered = first;
  while (answered.status === 202 && answered.answer) {
    const { payloadToSign, requestId } = answered.answer;
    answered = await send(signatureHeaders(await stamp(keys, payloadToSign), requestId));
  }
  return answered;
}
