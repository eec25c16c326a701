// The processor of a card issuer under load: signed requests with random tokens, one connection per caller.
import { createHmac, randomUUID } from 'node:crypto';
import { LeanClient } from './http-client.js';

export type IssuerKey = { readonly keyId: string; readonly secret: string };

const MERCHANT = { descriptor: 'BLUE BOTTLE COFFEE SF', mcc: '5814', country: 'US' };
export const AMOUNT = 1_00;

/** A processor has no token of the platform: its signature is all that it sends. */
export function issuerClient(baseUrl: string, { keyId, secret }: IssuerKey) {
  const client = new LeanClient(baseUrl);
  const post = async (caller: number, path: string, body: unknown): Promise<string> => {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(text).digest('hex');
    return client.expect(200, caller, 'POST', path, text, {
      'issuer-key-id': keyId,
      'issuer-timestamp': timestamp,
      'issuer-signature': signature,
    });
  };
  return {
    close: () => client.close(),
    /** Answers the token of the approved authorization. */
    async authorize(caller: number, cardId: string): Promise<string> {
      const issuerTransactionToken = randomUUID();
      const answer = await post(caller, '/issuer/authorizations', {
        cardId,
        issuerTransactionToken,
        amount: AMOUNT,
        currency: 'USD',
        merchant: MERCHANT,
      });
      if (!answer.includes('"APPROVED"')) throw new Error(answer);
      return issuerTransactionToken;
    },
    async clear(caller: number, issuerTransactionToken: string): Promise<void> {
      await post(caller, '/issuer/messages', { kind: 'CLEARING', messageToken: randomUUID(), issuerTransactionToken, amount: AMOUNT });
    },
  };
}

export type IssuerClient = ReturnType<typeof issuerClient>;
