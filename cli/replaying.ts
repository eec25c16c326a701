// Sends the calls of a recording again and compares the answers, ids mapped. The caller says how a call is sent.
import { setTimeout as pause } from 'node:timers/promises';
import {
  comparable,
  differences,
  type MadeValue,
  type Mapping,
  mapped,
  mappedValue,
  type RecordedCall,
  type RecordedKey,
  type Recording,
  withoutPolling,
} from './recording.js';

/** What a job does after a call takes a moment: a read is repeated until it answers as recorded. */
export const WAIT_MS = 10_000;
export const POLL_MS = 100;

export type ReplayedExchange = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
// biome-ignore lint/suspicious/noExplicitAny: answers are read by name, as in any language.
export type ReplayedAnswer = { readonly status: number; readonly body: any };

export type Replaying = {
  send(exchange: ReplayedExchange): Promise<ReplayedAnswer>;
  /** Called before and after each call that answered as recorded. */
  onCall?(call: RecordedCall): void;
  onAnswer?(call: RecordedCall, exchange: ReplayedExchange, answer: ReplayedAnswer, mapping: Mapping): Promise<void>;
};

export type Replay = {
  readonly mapping: Mapping;
  /** Where the first call that differs does so. */
  readonly problems: readonly string[];
  /** The calls that were made, with the answers of this time in the words of the recording. */
  readonly calls: readonly RecordedCall[];
};

export async function replayCalls(
  { calls, keys = {} }: Pick<Recording, 'calls' | 'keys'>,
  { send, onCall, onAnswer }: Replaying,
): Promise<Replay> {
  const mapping: Mapping = new Map();
  const ring = await keyRing(keys, mapping);
  const sent = withoutPolling(calls);
  for (const [i, call] of sent.entries()) {
    onCall?.(call);
    // A key of an earlier run on this platform would answer what was answered then.
    const key = call.headers?.['idempotency-key'];
    if (key !== undefined && !mapping.has(key)) mapping.set(key, crypto.randomUUID());
    for (const made of call.made ?? []) mapping.set(made.value, await ring(made));
    const exchange: ReplayedExchange = {
      method: call.method,
      path: mapped(call.path, mapping),
      headers: { ...typeOf(call), ...mappedValue(call.headers ?? {}, mapping) },
      ...(call.body === undefined ? {} : { body: mapped(typeof call.body === 'string' ? call.body : JSON.stringify(call.body), mapping) }),
    };
    const { answer, problems } = await repeat(send, exchange, call, mapping);
    // After a difference the rest would differ for that reason alone.
    if (problems.length > 0)
      return { mapping, calls: sent, problems: problems.map((problem) => `call ${i + 1}, ${call.method} ${call.path}: ${problem}`) };
    await onAnswer?.(call, exchange, answer, mapping);
  }
  return { mapping, calls: sent, problems: [] };
}

/** A body that is no text is JSON. */
const typeOf = ({ body }: RecordedCall): Record<string, string> =>
  body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' };

async function repeat(
  send: Replaying['send'],
  exchange: ReplayedExchange,
  call: RecordedCall,
  mapping: Mapping,
): Promise<{ answer: ReplayedAnswer; problems: string[] }> {
  const deadline = performance.now() + (call.method === 'GET' ? WAIT_MS : 0);
  for (;;) {
    const learned: Mapping = new Map(mapping);
    const answer = await send(exchange);
    const problems = compare(call, answer, learned);
    if (problems.length === 0) for (const [from, to] of learned) mapping.set(from, to);
    if (problems.length === 0 || performance.now() >= deadline) return { answer, problems };
    await pause(POLL_MS);
  }
}

function compare(call: RecordedCall, { status, body }: ReplayedAnswer, mapping: Mapping): string[] {
  if (status !== call.status) return [`${status} ${body?.code ?? ''}, not ${call.status}`];
  return call.answer === undefined ? [] : differences(comparable(call, call.answer), comparable(call, body), mapping);
}

/** New keys in place of the recorded ones. Answers how each makes a value. The libraries are loaded for recordings that have any. */
async function keyRing(keys: NonNullable<Recording['keys']>, mapping: Mapping): Promise<(made: MadeValue) => Promise<string>> {
  const makers = new Map<string, (made: MadeValue) => Promise<string>>();
  for (const [name, key] of Object.entries(keys)) makers.set(name, await makerOf(key, mapping));
  return (made) => {
    const maker = makers.get(made.by);
    if (!maker) throw new Error(`the recording has no key ${made.by}`);
    return maker(made);
  };
}

async function makerOf(key: RecordedKey, mapping: Mapping): Promise<(made: MadeValue) => Promise<string>> {
  const now = (text: string): string => mapping.get(text) ?? mapped(text, mapping);
  if (key.chain === 'session') {
    const { encryptOtp, newSessionKey, stamp } = await import('../client/signing.js');
    const session = await newSessionKey();
    return ({ of, otp }) => (otp === undefined ? stamp(session, now(of)) : encryptOtp(now(of), session, otp));
  }
  const { newWallet } = await import('../client/wallets.js');
  const wallet = newWallet(key.chain);
  mapping.set(key.address, wallet.address);
  return ({ of }) => wallet.sign(now(of));
}
