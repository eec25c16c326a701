// Events as they happen: printed, or forwarded to a receiver on this machine with signatures that it can verify.
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Event, Switchyard } from '../../client/client.js';
import { NoAnswer, SwitchyardError } from '../../client/errors.js';
import type { Caller } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf, durationMs, platformTime } from '../operation-command.js';
import type { CommandOperation } from '../operations.js';
import type { OwnFlags } from '../own.js';
import { readState, writeState } from '../settings.js';
import { type Output, paint, shortId, show } from '../show.js';

/** As the service repeats: 5 seconds, doubled up to 30 minutes, less a random part of up to one half. */
const retryMs = (failures: number): number => Math.min(30 * 60_000, 5_000 * 2 ** failures) * (1 - Math.random() / 2);
/** A receiver that takes longer is asked again, as by the service. */
const RECEIVER_MS = 15_000;

type Wanted = (type: string) => boolean;

/** `CARD_TRANSACTION.*,CUSTOMER.KYC_APPROVED`; nothing given: everything. */
export function wantedTypes(types: string | true | undefined): Wanted {
  if (typeof types !== 'string') return () => true;
  const patterns = types.split(',').map((type) => new RegExp(`^${type.trim().replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 'i'));
  return (type) => patterns.some((pattern) => pattern.test(type));
}

/** Loaded here, because most commands do not need it. */
async function clientOf({ settings: { url, tokenId, secret } }: Caller): Promise<Switchyard> {
  const { createSwitchyard } = await import('../../client/client.js');
  return createSwitchyard({ baseUrl: url, token: `${tokenId}:${secret}` });
}

export async function listen(context: Context, _words: readonly string[], flags: OwnFlags): Promise<void> {
  const { output, warn } = context;
  const forwardTo = flags['forward-to'];
  if (forwardTo === true || (typeof forwardTo === 'string' && !/^https?:\/\//.test(forwardTo)))
    throw usage('--forward-to takes an http:// or https:// URL');
  const caller = callerOf(context);
  const isWanted = wantedTypes(flags['types']);
  const count = flags['count'] === undefined ? Number.POSITIVE_INFINITY : Number(flags['count']);
  if (Number.isNaN(count) || count < 1) throw usage('--count takes a number of at least 1');
  const state = `listen-${caller.settings.profile}`;
  const start = await startOf(caller, flags, readState<{ last?: string }>(state)?.last);
  const secret = forwardTo
    ? ((await caller.call({ method: 'GET', path: '/webhooks/signing-secrets' })).body.data as { secret: string }[]).at(-1)?.secret
    : undefined;
  warn(forwardTo ? `Listening; forwarding to ${forwardTo}; secret ${secret}` : 'Listening; Ctrl-C ends it');

  const ended = new AbortController();
  const timeout = flags['timeout'] === undefined ? undefined : setTimeout(() => ended.abort(), durationMs(String(flags['timeout'])));
  const pending = new Set<Promise<void>>();
  const turnOf = byObject();
  const settle = inOrder((last) => writeState(state, { last }));
  let seen = 0;
  try {
    for await (const event of eventsFrom(caller, start, ended.signal)) {
      const done = settle(event.id);
      if (!isWanted(event.type)) {
        done();
        continue;
      }
      if (typeof forwardTo === 'string') {
        const { turn, next } = turnOf(event.objectId);
        const delivery = turn
          .then(() => forward(output, forwardTo, String(secret), event, ended.signal, next))
          .finally(next)
          .then((isDone) => void (isDone && done()))
          .finally(() => pending.delete(delivery));
        pending.add(delivery);
      } else {
        print(output, event);
        done();
      }
      seen += 1;
      if (seen >= count) break;
    }
    await Promise.all(pending);
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    if (count !== Number.POSITIVE_INFINITY) throw new Stop(EXIT.waitedInVain, `${seen} of ${count} events within ${flags['timeout']}`);
  } finally {
    clearTimeout(timeout);
  }
}

/** Notes the last event up to which all are done, so that what a receiver has not taken yet comes again with the next run. */
export function inOrder(note: (id: string) => void): (id: string) => () => void {
  const open: { readonly id: string; isDone: boolean }[] = [];
  return (id) => {
    const entry = { id, isDone: false };
    open.push(entry);
    return () => {
      entry.isDone = true;
      const first = open.findIndex(({ isDone }) => !isDone);
      const last = open.splice(0, first < 0 ? open.length : first).at(-1);
      if (last) note(last.id);
    };
  };
}

/** First attempts of one object's events are made one after the other, as by the service. Repeats are not waited for. */
export function byObject(): (objectId: string) => { readonly turn: Promise<void>; readonly next: () => void } {
  const last = new Map<string, Promise<void>>();
  return (objectId) => {
    const turn = last.get(objectId) ?? Promise.resolve();
    let next = () => {};
    const own = new Promise<void>((resolve) => {
      next = resolve;
    });
    last.set(objectId, own);
    void own.then(() => last.get(objectId) === own && last.delete(objectId));
    return { turn, next };
  };
}

type Start = { readonly earlier: readonly Event[]; readonly since: string | undefined };

/** `--since` names an event or a time ago; without it the stream goes on where the last run ended. */
async function startOf(caller: Caller, flags: OwnFlags, last: string | undefined): Promise<Start> {
  const since = flags['since'];
  const newest = async () =>
    (await caller.call({ method: 'GET', path: '/webhooks/events', query: { limit: 1 } })).body.data[0]?.id as string | undefined;
  if (since === undefined) {
    if (last === undefined || flags['from'] === 'now') return { earlier: [], since: await newest() };
    const { status } = await caller.send({ method: 'GET', path: `/webhooks/events/${encodeURIComponent(last)}` });
    return { earlier: [], since: status === 200 ? last : await newest() };
  }
  if (since === true) throw usage('--since takes a time such as 1h, or an event');
  if (since.startsWith('Webhook:')) return { earlier: [], since };
  const createdAfter = new Date((await platformTime(caller)) - durationMs(since)).toISOString();
  const earlier = await (await clientOf(caller)).webhooks.events.list({ createdAfter, limit: 100 }).all();
  const inOrder = earlier
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, type, timestamp, objectId, sequence, data }) => ({ id, type, timestamp, objectId, sequence, data }) as Event);
  return { earlier: inOrder, since: inOrder.at(-1)?.id ?? (await newest()) };
}

async function* eventsFrom(caller: Caller, { earlier, since }: Start, signal: AbortSignal): AsyncGenerator<Event> {
  yield* earlier;
  yield* (await clientOf(caller)).webhooks.events.stream(since === undefined ? {} : { since }, { signal });
}

const timeOf = ({ timestamp }: Event): string => timestamp.slice(11, 19);

const print = (output: Output, event: Event): void =>
  output.write(output.isText ? `${paint(output, 'dim', timeOf(event))} ${event.type} ${shortId(event.objectId)}` : JSON.stringify(event));

/** Sends until the receiver accepts. A repeat waits; other events do not wait for it. */
async function forward(
  output: Output,
  url: string,
  secret: string,
  event: Event,
  signal: AbortSignal,
  attempted: () => void,
): Promise<boolean> {
  const body = JSON.stringify(event);
  for (let failures = 0; !signal.aborted; failures += 1) {
    const started = performance.now();
    const status = await deliver(url, secret, event.id, body).catch(
      (error: Error & { cause?: Error }) => error.cause?.message ?? error.message,
    );
    attempted();
    const isDone = typeof status === 'number' && ((status >= 200 && status < 300) || status === 409);
    const wait = retryMs(failures);
    const rest = isDone ? `in ${Math.round(performance.now() - started)} ms` : `again in ${Math.round(wait / 1_000)} s`;
    if (output.isText)
      output.write(
        `${paint(output, 'dim', timeOf(event))} ${event.type} ${shortId(event.objectId)} → ${paint(output, isDone ? 'green' : 'red', String(status))} ${rest}`,
      );
    else output.write(JSON.stringify({ id: event.id, type: event.type, objectId: event.objectId, status, attempt: failures + 1 }));
    if (isDone || status === 410) return true;
    await pause(wait, undefined, { signal }).catch(() => {});
  }
  return false;
}

async function deliver(url: string, secret: string, id: string, body: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
    signal: AbortSignal.timeout(RECEIVER_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Any stream of the API, a line for each message. */
export async function printStream(
  { output, globals }: Context,
  caller: Caller,
  operation: CommandOperation,
  query: Readonly<Record<string, unknown>>,
): Promise<void> {
  const words = operation.command.split(' ').map((word) => word.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()));
  const method = words.reduce<unknown>((node, word) => (node as Record<string, unknown>)[word], await clientOf(caller)) as (
    query: unknown,
  ) => AsyncIterable<unknown>;
  try {
    const path = globals['jq-path'] as string | undefined;
    for await (const message of method(query)) show({ ...output, isText: false }, message, { path });
  } catch (error) {
    if (error instanceof NoAnswer) throw new Stop(EXIT.noAnswer, error.message);
    throw error instanceof SwitchyardError && error.status >= 500 ? new Stop(EXIT.serviceFailed, error.message) : error;
  }
}
