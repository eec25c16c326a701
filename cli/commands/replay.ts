// `switchyard replay`: sends the calls of a recording again, on a fresh platform, and compares the answers and the events. Ids are mapped.
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { eventsByObject, type Mapping, type Recording } from '../recording.js';
import { POLL_MS, replayCalls, WAIT_MS } from '../replaying.js';
import { readJson } from '../session.js';
import { eventsSince, newestEvent } from './record.js';

export async function replay(context: Context, [file]: readonly string[], flags: OwnFlags): Promise<void> {
  if (file === undefined) throw usage('usage: switchyard replay FILE [--anyway]');
  const recording = readJson<Recording>(file);
  if (recording.format !== 1 || !Array.isArray(recording.calls)) throw usage(`${file} is no recording of this version`);
  const { output } = context;
  const caller = callerOf(context, { retries: 0 });
  const { body: customers } = await caller.call({ method: 'GET', path: '/customers', query: { limit: 1 } });
  if (customers.data.length > 0 && !flags['anyway'])
    throw usage('The platform has customers already, so answers would differ. Reset it first, or add --anyway.');
  if (recording.clock.frozen) await caller.call({ method: 'PUT', path: '/sandbox/clock', body: recording.clock });

  const newest = await newestEvent(caller);
  const {
    mapping,
    calls,
    problems: different,
  } = await replayCalls(recording, {
    send: ({ body, ...exchange }) => caller.send({ ...exchange, ...(body === undefined ? {} : { body: Buffer.from(body) }) }),
  });
  const problems = different.length > 0 ? different : await compareEvents(caller, newest, recording.events, mapping);
  if (!output.isText) output.write(JSON.stringify({ calls: calls.length, events: recording.events.length, differences: problems }));
  if (problems.length > 0) throw new Stop(EXIT.refused, problems.join('\n'));
  if (output.isText) output.write(`${calls.length} calls and ${recording.events.length} events as recorded`);
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
