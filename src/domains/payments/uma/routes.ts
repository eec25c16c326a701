// What other providers read and send, by the domain of a platform in the Host header, and the sandbox's payment from a counterparty.
import Type from 'typebox';
import type { Tx } from '../../../db/pool.js';
import { type Answer, type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError } from '../../../kernel/errors.js';
import { domainOf, readLookup, readPayRequest, writeConfiguration, writePublicKeys } from '../../../providers/uma/messages.js';
import { readNotice } from '../../../providers/uma/notices.js';
import { UmaFault, type UmaReply, type UmaSender } from '../../../providers/uma/uma.js';
import { findPlatformByDomain } from '../../core/platform/actions.js';
import type { Mode, Platform } from '../../core/platform/platform.js';
import { IncomingTransaction } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import { acceptOutcome, acceptPaid } from './accept.js';
import { type Answering, answerLookup, answerPayRequest, replying } from './answer.js';
import { fetchKeys, type UmaDeps } from './ask.js';
import { keysOf, type Signer, signerOf } from './keys.js';
import { receiveInSandbox } from './sandbox-receive.js';
import { parseSandboxPayment, SandboxUmaReceiveRequest } from './schemas.js';

const TAG = 'Cross-Currency Transfers';
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
/** The protocol's own JSON: its bytes are signed or written by the library. */
const Json = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true });

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Hosted = { readonly platform: Platform; readonly own: Signer; readonly now: Date };

const hostOf = ({ host }: Headers): string => (typeof host === 'string' ? host : '').toLowerCase().replace(/:\d{1,5}$/, '');
const answerOf = ({ status, text }: UmaReply): Answer => ({ status, headers: JSON_HEADERS, text });

export function umaRoutes(deps: UmaDeps & { readonly mode: Mode }): Operation[] {
  const { db, custody, rates, umaPeers, mode } = deps;

  /** The platform whose domain the request was sent to, or 404 as for any other path. */
  async function hosted(headers: Headers): Promise<Hosted> {
    const found = await findPlatformByDomain(db, mode, hostOf(headers));
    if (!found) throw new ApiError('NOT_FOUND');
    const { platform, now } = found;
    return { platform, own: signerOf(platform, await keysOf(db, custody, platform.id, now)), now };
  }

  /** The sender of a message, with its public keys. They are read from the network, so before the transaction. */
  async function senderOf({ own }: Hosted, domain: string): Promise<UmaSender> {
    const peer = umaPeers.find(domain);
    // The sandbox's counterparty lives in this process; nobody on the network speaks for it.
    if (!peer || peer.isInProcess) throw new UmaFault('COUNTERPARTY_NOT_ALLOWED', 'This domain is not a counterparty.');
    try {
      return { domain, keys: await fetchKeys((message) => peer.send(message, own), domain) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new UmaFault('COUNTERPARTY_PUBKEY_FETCH_ERROR', 'The public keys of the sender cannot be read.');
    }
  }

  /** Answers a message: reads who sent it, then works in one transaction. What is refused is answered in the protocol's form. */
  async function message(
    { headers, requestId }: { readonly headers: Headers; readonly requestId: string },
    domainIn: (host: Hosted) => Promise<string>,
    work: (tx: Tx, answering: Answering) => Promise<UmaReply>,
  ): Promise<Answer> {
    const host = await hosted(headers);
    let reply: UmaReply | undefined;
    const refused = await replying(async () => {
      const sender = await senderOf(host, await domainIn(host));
      reply = await db.transaction((tx) => work(tx, { ...host, sender }), { requestId });
      return reply.text;
    });
    return answerOf(reply ?? refused);
  }

  const page = { tag: TAG, permission: 'PUBLIC', page: true, success: { 200: Json } } as const;
  const textOf = (rawBody: Buffer): string => rawBody.toString('utf8');

  return [
    operation({
      ...page,
      id: 'getUmaPublicKeys',
      method: 'GET',
      path: '/.well-known/lnurlpubkey',
      summary: 'The public UMA keys of the platform whose domain is asked',
      handle: async ({ headers }) => answerOf({ status: 200, text: writePublicKeys((await hosted(headers)).own.keys) }),
    }),
    operation({
      ...page,
      id: 'getUmaConfiguration',
      method: 'GET',
      path: '/.well-known/uma-configuration',
      summary: 'The UMA versions that are spoken, and where requests go',
      handle: async ({ headers }) => {
        const { own } = await hosted(headers);
        return answerOf({ status: 200, text: await writeConfiguration(`https://${own.domain}/uma/pay-requests`) });
      },
    }),
    operation({
      ...page,
      id: 'answerUmaLookup',
      method: 'GET',
      path: '/.well-known/lnurlp/{receiver}',
      summary: 'Who can be paid at an address',
      query: Type.Object({}, { additionalProperties: true }),
      handle: (request) => {
        const { params, query } = request;
        const urlOf = ({ own }: Pick<Hosted, 'own'>): string =>
          `https://${own.domain}/.well-known/lnurlp/${params.receiver}?${new URLSearchParams(query as Record<string, string>)}`;
        return message(
          request,
          async (host) => (await readLookup(urlOf(host))).domain,
          (tx, answering) => answerLookup(rates, tx, answering, urlOf(answering)),
        );
      },
    }),
    operation({
      ...page,
      id: 'answerUmaPayRequest',
      method: 'POST',
      path: '/uma/pay-requests/{receiver}',
      summary: 'Agree to a payment to an address',
      body: Json,
      handle: (request) =>
        message(
          request,
          async () => domainOf((await readPayRequest(textOf(request.rawBody))).payer),
          (tx, answering) =>
            answerPayRequest(rates, tx, answering, `${request.params.receiver}@${answering.own.domain}`, textOf(request.rawBody)),
        ),
    }),
    operation({
      ...page,
      id: 'acceptUmaPayment',
      method: 'POST',
      path: '/uma/invoices/{invoice}',
      summary: 'The notice that an agreed payment is made',
      body: Json,
      handle: (request) =>
        message(
          request,
          async () => (await readNotice(textOf(request.rawBody))).domain,
          (tx, answering) => acceptPaid(tx, answering, request.params.invoice, textOf(request.rawBody)),
        ),
    }),
    operation({
      ...page,
      id: 'acceptUmaOutcome',
      method: 'POST',
      path: '/uma/payments/{payment}',
      summary: 'The notice of what became of a payment',
      body: Json,
      handle: (request) =>
        message(
          request,
          async () => (await readNotice(textOf(request.rawBody))).domain,
          (tx, answering) => acceptOutcome(tx, answering, request.params.payment, textOf(request.rawBody)),
        ),
    }),
    operation({
      id: 'sandboxReceive',
      method: 'POST',
      path: '/sandbox/uma/receive',
      tag: 'Sandbox',
      summary: 'Play a payment from a UMA address to a customer',
      description:
        'The counterparty of the sandbox looks the customer up, agrees on the payment and makes it. The answer is the transaction, which waits for the decision ' +
        'of the platform: its `INCOMING_PAYMENT.PENDING` webhook asks for it. `$fail.compliance.usd` is refused before the platform is asked, and money of ' +
        '`$pending.long.usd` arrives 360 seconds after the approval.',
      permission: 'TRANSACT',
      sandbox: true,
      body: SandboxUmaReceiveRequest,
      success: { 200: IncomingTransaction },
      errors: [
        'INVALID_UMA_ADDRESS',
        'UMA_NOT_FOUND',
        'CUSTOMER_NOT_FOUND',
        'INVALID_CURRENCY',
        'AMOUNT_OUT_OF_RANGE',
        'WEBHOOK_ENDPOINT_NOT_SET',
      ],
      write: async (tx, { platformId, body, now }) =>
        ok(renderPayment(platformId, await receiveInSandbox({ custody, rates }, tx, platformId, parseSandboxPayment(body), now))),
    }),
  ];
}
