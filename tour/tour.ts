// The tour is a recording (`tour.json`): its calls are sent again, told to the reader and compared with what was recorded, so the tour is also an
// end-to-end test. `switchyard replay tour/tour.json` runs it on a fresh platform as well.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mapped, type Recording, type Told } from '../cli/recording.js';
import { replayCalls } from '../cli/replaying.js';
import { verifyWebhook, type WebhookOptions } from '../client/webhooks.js';
import { projectRoot } from '../src/root.js';
import type { ReceivedEvent, Sandbox } from '../src/testing.js';
import type { Narrator } from './narrate.js';

export type Target = Pick<Sandbox, 'request' | 'event' | 'events'>;

const FILE = join(projectRoot, 'tour/tour.json');

/** Throws if any answer differs from the recorded one. */
export async function tour(target: Target, narrator: Narrator): Promise<void> {
  const recording = JSON.parse(readFileSync(FILE, 'utf8')) as Recording;
  const { body: keys } = await target.request('GET', '/webhooks/signing-keys');
  const publicKeys = (keys as { data: NonNullable<WebhookOptions['publicKeys']> }).data;

  const { problems } = await replayCalls(recording, {
    send: ({ method, path, headers, body }) => target.request(method, path, body === undefined ? undefined : JSON.parse(body), headers),
    onCall: ({ chapter }) => chapter !== undefined && narrator.chapter(chapter),
    async onAnswer({ why, note, then = [] }, { method, path, body }, { status, body: answer }, mapping) {
      if (why !== undefined) narrator.step(why, { method, path, body: body === undefined ? undefined : JSON.parse(body), status, answer });
      if (note !== undefined) narrator.note(note);
      for (const awaited of then) {
        const event = await target.event(fits({ ...awaited, objectId: mapped(awaited.objectId, mapping) }));
        // The stream of a running service has no signatures; a webhook has.
        const isWebhook = event.rawBody !== '';
        if (isWebhook) await verifyWebhook(event.rawBody, event.headers, { publicKeys });
        const what = isWebhook ? `webhook ${event.type} received, its signature is valid` : `event ${event.type} received`;
        narrator.note(what, { id: event.id, type: event.type });
      }
    },
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));

  narrator.chapter('Events received');
  const counts = new Map<string, number>();
  for (const { type } of target.events) counts.set(type, (counts.get(type) ?? 0) + 1);
  for (const [type, count] of [...counts].sort()) narrator.note(`${String(count).padStart(3)} × ${type}`, { type, count });
}

const fits =
  ({ type, objectId, data = {} }: NonNullable<Told['then']>[number]) =>
  (event: ReceivedEvent): boolean =>
    event.type === type &&
    JSON.stringify(event.data).includes(objectId) &&
    Object.entries(data).every(([name, value]) => event.data[name] === value);
