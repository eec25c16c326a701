// A provider on the network. Messages go to its domain, or to the origin that the operator has named for it, and nowhere else: no redirect is
// followed. Time, size and addresses are bounded by the HTTP client.
import { readPublicKeys } from './messages.js';
import { type UmaPeer, type UmaReply, UmaUnreachable } from './uma.js';

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
};
export type HttpResult =
  | { readonly kind: 'ANSWERED'; readonly status: number; readonly body: string }
  | { readonly kind: 'FAILED'; readonly failure: string };
export type HttpClient = (request: HttpRequest) => Promise<HttpResult>;

/** A provider that the operator settles with. `origin` replaces `https://<domain>`. */
export type UmaCounterparty = { readonly domain: string; readonly origin: string | undefined };

const KEYS_PATH = '/.well-known/lnurlpubkey';
const KEYS_KEPT_MS = 60_000;

/** Only keys that can be read are kept: a provider that has repaired its answer is believed at once. */
const isReadable = (text: string): Promise<boolean> =>
  readPublicKeys(text).then(
    () => true,
    () => false,
  );

export function networkPeer({ domain, origin = `https://${domain}` }: UmaCounterparty, http: HttpClient): UmaPeer {
  let keys: { readonly reply: UmaReply; readonly until: number } | undefined;
  return {
    isInProcess: false,
    async send({ method, url, body }) {
      const { pathname, search } = new URL(url);
      const asksForKeys = method === 'GET' && pathname === KEYS_PATH;
      if (asksForKeys && keys && performance.now() < keys.until) return keys.reply;
      const result = await http({
        method,
        url: origin + pathname + search,
        headers: { host: domain, accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : Buffer.from(body, 'utf8'),
      });
      if (result.kind === 'FAILED') throw new UmaUnreachable(result.failure === 'TIMEOUT');
      const reply = { status: result.status, text: result.body };
      if (asksForKeys && reply.status === 200 && (await isReadable(reply.text))) keys = { reply, until: performance.now() + KEYS_KEPT_MS };
      return reply;
    },
  };
}
