// `switchyard replay`: sends the calls of a recording again, on a fresh platform, and compares the answers and the events. Ids are mapped.
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Caller, createCaller } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import type { Context } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import {
  comparable,
  differences,
  eventsByObject,
  type Mapping,
  mapped,
  mappedValue,
  type RecordedCall,
  type Recording,
  withoutPolling,
} from '../recording.js';
import { readJson } from '../session.js';
import { readSettings } from '../settings.js';
import { eventsSince, newestEvent } from './record.js';

/** What a job does after a call takes a moment: a read is repeated until it answers as recorded. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

export async function replay({ globals, output, warn }: Context, [file]: readonly string[], flags: OwnFlags): Promise<void> {
  if (file === undefined) throw usage('usage: switchyard replay FILE [--anyway]');
  const recording = readJson<Recording>(file);
  if (recording.format !== 1 || !Array.isArray(recording.calls)) throw usage(`${file} is no recording of this version`);
  const caller = createCaller(readSettings(globals, process.env, warn), { verbose: globals['verbose'] === true, retries: 0 });
  const { body: customers } = await caller.call({ method: 'GET', path: '/customers', query: { limit: 1 } });
  if (customers.data.length > 0 && !flags['anyway'])
    throw usage('The platform has customers already, so answers would differ. Reset it first, or add --anyway.');
  if (recording.clock.frozen) await caller.call({ method: 'PUT', path: '/sandbox/clock', body: recording.clock });

  const newest = await newestEvent(caller);
  const mapping: Mapping = new Map();
  const calls = withoutPolling(recording.calls);
  const problems: string[] = [];
  for (const [i, call] of calls.entries()) {
    const found = await repeat(caller, call, mapping);
    problems.push(...found.map((problem) => `call ${i + 1}, ${call.method} ${call.path}: ${problem}`));
    // After a difference the rest would differ for that reason alone.
    if (found.length > 0) break;
  }
  if (problems.length === 0) problems.push(...(await compareEvents(caller, newest, recording.events, mapping)));
  if (!output.isText) output.write(JSON.stringify({ calls: calls.length, events: recording.events.length, differences: problems }));
  if (problems.length > 0) throw new Stop(EXIT.refused, problems.join('\n'));
  if (output.isText) output.write(`${calls.length} calls and ${recording.events.length} events as recorded`);
}

async function repeat(caller: Caller, call: RecordedCall, mapping: Mapping): Promise<string[]> {
  const { method, status, answer: recorded } = call;
  const exchange = {
    method,
    path: mapped(call.path, mapping),
    headers: mappedValue(call.headers ?? {}, mapping),
    ...(call.body === undefined ? {} : { body: Buffer.from(mapped(String(call.body), mapping)) }),
  };
  const deadline = performance.now() + (method === 'GET' ? WAIT_MS : 0);
  for (;;) {
    const learned: Mapping = new Map(mapping);
    const answer = await caller.send(exchange);
    const found = compare({ ...answer, body: comparable(call, answer.body) }, status, comparable(call, recorded), learned);
    if (found.length === 0) for (const [from, to] of learned) mapping.set(from, to);
    if (found.length === 0 || performance.now() >= deadline) return found;
    await pause(POLL_MS);
  }
}

function compare(answer: Answer, status: number, recorded: unknown, mapping: Mapping): string[] {
  if (answer.status !== status) return [`${answer.status} ${answer.body?.code ?? ''}, not ${status}`];
  return recorded === undefined ? [] : differences(recorded, answer.body, mapping);
}

/** The events of one object keep their order; those of different objects may cross. */
async function compareEvents(
  caller: Caller,
  newest: string | undefined,
  recorded: Recording['events'],
  mapping: Mapping,
): Promise<string[]> {
  const wanted = eventsByObject(recorded, (id) => mapping.get(id));
  const known = new Set(mapping.values());
  for (const deadline = performance.now() + WAIT_MS; ; await pause(POLL_MS)) {
    const actual = eventsByObject(await eventsSince(caller, newest), (id) => (known.has(id) ? id : undefined));
    const problems = [...new Set([...wanted.keys(), ...actual.keys()])].flatMap((object) => {
      const [was, is] = [wanted.get(object) ?? 'none', actual.get(object) ?? 'none'];
      return was === is ? [] : [`events of ${object}: ${is}; recorded: ${was}`];
    });
    if (problems.length === 0 || performance.now() >= deadline) return problems;
  }
}
