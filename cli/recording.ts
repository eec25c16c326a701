// A recorded session: its calls with their answers, and the events that followed. What differs from run to run (ids, times, random values) is
// mapped from the recorded value to the one of the replay.

export type RecordedCall = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer?: unknown;
  /** Values of the call that only the holder of a key makes, so that a replay makes them anew. */
  readonly made?: readonly MadeValue[];
} & Told;

/** For people: a recording may be told, as the tour is. */
export type Told = {
  /** Begins with this call. */
  readonly chapter?: string;
  readonly why?: string;
  /** What the answer means. */
  readonly note?: string;
  /** Events about an object that are awaited before the next call. */
  readonly then?: readonly { readonly type: string; readonly objectId: string; readonly data?: Readonly<Record<string, unknown>> }[];
};

export type MadeValue = {
  /** As it was recorded. */
  readonly value: string;
  /** The name of the key. */
  readonly by: string;
  /** The recorded text that was signed, or the bundle that a one-time code was encrypted to. */
  readonly of: string;
  /** The one-time code. */
  readonly otp?: string;
};

/** A key that the recorded client had. A replay makes one of its own: no private key is recorded. */
export type RecordedKey = { readonly chain: 'ethereum' | 'solana' | 'bitcoin'; readonly address: string } | { readonly chain: 'session' };

export type Recording = {
  readonly format: 1;
  /** The version of the service. */
  readonly version: string;
  readonly clock: { readonly now: string; readonly frozen: boolean };
  readonly keys?: Readonly<Record<string, RecordedKey>>;
  readonly calls: readonly RecordedCall[];
  /** In the order in which they happened. */
  readonly events: readonly { readonly type: string; readonly objectId: string }[];
};

/** Headers that are part of what a call means. The credentials are not kept. */
export const KEPT_HEADERS = ['content-type', 'idempotency-key', 'request-id', 'service-wallet-signature'] as const;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;
const TIME = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Long runs of letters and digits with at least one digit: tokens, references, masked and encrypted values, links with any of them. */
const RANDOM = /(?=[\w+/=%.-]*\d)[\w+/=%.-]{12,}/;

/** The same without a digit, which chance may leave out. */
const WITHOUT_SPACES = /[\w+/=%.-]{12,}/;

const DIGITS = /^\d{3,11}$/;

export type Mapping = Map<string, string>;

/** Replaces every recorded value in a text, also where it is encoded for a path or inside JSON, longer ones first. */
export function mapped(text: string, mapping: Mapping): string {
  let result = text;
  for (const [from, to] of [...mapping].sort(([a], [b]) => b.length - a.length))
    for (const encode of ENCODINGS) result = result.replaceAll(encode(from), encode(to));
  return result;
}

const ENCODINGS = [(text: string) => text, encodeURIComponent, (text: string) => JSON.stringify(text).slice(1, -1)] as const;

export const mappedValue = <T>(value: T, mapping: Mapping): T =>
  value === undefined ? value : (JSON.parse(mapped(JSON.stringify(value), mapping)) as T);

/**
 * Where the answer of a replay differs from the recorded one. Values that differ by nature are learned; one that was learned must stay the
 * same. What is learned from answers that differ is forgotten by the caller.
 */
export function differences(recorded: unknown, actual: unknown, mapping: Mapping, at = ''): string[] {
  const here = at === '' ? 'the answer' : at;
  const below = (name: string) => (at === '' ? name : `${at}.${name}`);
  if (typeof recorded === 'string' && typeof actual === 'string') return textDifferences(recorded, actual, mapping, here);
  if (Array.isArray(recorded) && Array.isArray(actual)) {
    if (recorded.length !== actual.length) return [`${here} has ${actual.length} items, not ${recorded.length}`];
    return recorded.flatMap((item, i) => differences(item, actual[i], mapping, below(String(i))));
  }
  if (isObject(recorded) && isObject(actual)) {
    // A later version of the service may answer more members than were recorded.
    return Object.keys(recorded).flatMap((name) => {
      if (!(name in actual)) return [`${below(name)} is missing`];
      const found = differences(recorded[name], actual[name], mapping, below(name));
      return isCause(name, recorded[name]) ? [] : found;
    });
  }
  return recorded === actual ? [] : [`${here} is ${JSON.stringify(actual)}, not ${JSON.stringify(recorded)}`];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The cause of an event. Whether a request, an advance of the clock or the worker came first depends on how fast the worker was. */
const isCause = (name: string, value: unknown): boolean => name === 'cause' && isObject(value);

function textDifferences(recorded: string, actual: string, mapping: Mapping, here: string): string[] {
  if (mapped(recorded, mapping) === actual || recorded === actual) return [];
  if (TIME.test(recorded)) return TIME.test(actual) ? [] : [`${here} is ${JSON.stringify(actual)}, not a time`];
  // Last digits of cards and the like: too short to be told apart from other digits elsewhere.
  if (DIGITS.test(recorded) && DIGITS.test(actual) && recorded.length === actual.length) return [];
  const hasId = UUID.test(recorded) && UUID.test(actual);
  const isRandom = RANDOM.test(recorded) && WITHOUT_SPACES.test(actual);
  if (!mapping.has(recorded) && (hasId || isRandom || /cursor$/i.test(here)) && kindOf(recorded) === kindOf(actual)) {
    mapping.set(recorded, actual);
    return [];
  }
  return [`${here} is ${JSON.stringify(actual)}, not ${JSON.stringify(mapped(recorded, mapping))}`];
}

/** `Card:…` is no `Customer:…`. */
const kindOf = (text: string): string => /^([A-Za-z]+):/.exec(text)?.[1] ?? '';

/** Which jobs an advance of the clock still found to do depends on how fast the worker was. */
const BY_CHANCE: ReadonlySet<string> = new Set(['ran', 'complete', 'remaining']);

/** What of an answer must be the same in a replay. */
export const comparable = ({ path }: Pick<RecordedCall, 'path'>, answer: unknown): unknown =>
  path === '/sandbox/clock' && isObject(answer)
    ? Object.fromEntries(Object.entries(answer).filter(([name]) => !BY_CHANCE.has(name)))
    : answer;

/**
 * The types of the events of each object, in their order. `nameOf` names an object that both runs have seen in an answer; the others of one
 * kind are compared together.
 */
export function eventsByObject(events: Recording['events'], nameOf: (id: string) => string | undefined): Map<string, string> {
  const byObject = new Map<string, string[]>();
  for (const { type, objectId } of events) byObject.set(objectId, [...(byObject.get(objectId) ?? []), type]);
  const named = new Map<string, string[]>();
  for (const [id, types] of byObject) {
    const name = nameOf(id) ?? `other objects: ${kindOf(id)}`;
    named.set(name, [...(named.get(name) ?? []), types.join(', ')]);
  }
  return new Map([...named].map(([name, lists]) => [name, lists.sort().join('; ')]));
}

/** Of reads that follow each other with the same path only the last one counts: the others waited for what it found. */
export const withoutPolling = (calls: readonly RecordedCall[]): RecordedCall[] =>
  calls.filter(({ method, path }, i) => method !== 'GET' || calls[i + 1]?.method !== 'GET' || calls[i + 1]?.path !== path);
