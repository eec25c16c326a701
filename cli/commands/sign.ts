// The end user's signatures on the command line: sign in with a one-time code, and sign texts with the session.
import { readFileSync } from 'node:fs';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { readSession, signerOf, writeSecretFile } from '../session.js';
import { shortId, show } from '../show.js';

const load = () => import('../../client/signing.js');

/** All calls of a sign-in: challenge, encrypted code, signed retry. The session is kept in a file. */
export async function signIn(context: Context, [account]: readonly string[], flags: OwnFlags): Promise<void> {
  const { otp: code, out, credential: wanted } = flags;
  if (account === undefined || typeof out !== 'string') throw usage('usage: switchyard sign in ACCOUNT --otp CODE --out FILE');
  const { output, warn } = context;
  const caller = callerOf(context);
  const credentials = (await caller.call({ method: 'GET', path: '/auth/credentials', query: { accountId: account } })).body.data as {
    id: string;
    type: string;
  }[];
  const credential = credentials.find(({ id, type }) => (wanted ? id === wanted : /OTP$/.test(type)));
  if (!credential) throw new Stop(EXIT.refused, `${account} has no credential with a one-time code`);
  const path = `/auth/credentials/${encodeURIComponent(credential.id)}`;
  const challenge = (await caller.call({ method: 'POST', path: `${path}/challenge` })).body;
  if (typeof code !== 'string') {
    warn('A code was sent. In the sandbox it is 000000.');
    throw usage('repeat with --otp CODE');
  }
  const { encryptOtp, exportSessionKey, newSessionKey, stamp } = await load();
  const key = await newSessionKey({ extractable: true });
  const body = { type: credential.type, encryptedOtpBundle: await encryptOtp(challenge.otpEncryptionTargetBundle, key, code) };
  const asked = (await caller.call({ method: 'POST', path: `${path}/verify`, body })).body;
  const headers = { 'service-wallet-signature': await stamp(key, asked.payloadToSign), 'request-id': asked.requestId };
  const session = (await caller.call({ method: 'POST', path: `${path}/verify`, body, headers })).body;
  writeSecretFile(out, { ...(await exportSessionKey(key)), sessionId: session.id, accountId: account, expiresAt: session.expiresAt });
  if (output.isText) output.write(`${shortId(session.id)}, until ${session.expiresAt}, in ${out}`);
  else show(output, session, { path: context.globals['jq-path'] as string | undefined });
}

export async function newKey({ output }: Context, _words: readonly string[], { out }: OwnFlags): Promise<void> {
  const { exportSessionKey, newSessionKey } = await load();
  const stored = await exportSessionKey(await newSessionKey({ extractable: true }));
  if (typeof out !== 'string') return output.write(JSON.stringify(stored, null, 2));
  writeSecretFile(out, stored);
  output.write(stored.publicKey);
}

const sessionOf = ({ globals }: Context) => {
  const file = globals['session'];
  if (typeof file !== 'string') throw usage('--session FILE is needed: the key that signs');
  return readSession(file);
};

export async function otp(context: Context, [bundle, code]: readonly string[]): Promise<void> {
  if (bundle === undefined || code === undefined) throw usage('usage: switchyard sign otp BUNDLE CODE --session FILE');
  const { encryptOtp } = await load();
  context.output.write(await encryptOtp(bundle, sessionOf(context), code));
}

export async function payload(context: Context, [text]: readonly string[]): Promise<void> {
  if (text === undefined) throw usage('usage: switchyard sign payload TEXT|- --session FILE');
  const sign = await signerOf(sessionOf(context));
  context.output.write(await sign(text === '-' ? readFileSync(0, 'utf8') : text));
}
