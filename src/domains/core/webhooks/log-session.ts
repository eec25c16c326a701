// What a worker that holds the lease of a platform's log remembers: how far it has read, which events it has not settled, and which of them
// wait for an earlier event of their object. It is lost with the process; the next worker reads again from the cursor.
import type { LogSession } from './delivery-queue.js';
import type { PositionedCommit, WebhookId } from './event.js';

type Entry = { readonly position: bigint; left: number };

export function createLogSession({ settled, claimed }: { readonly settled: bigint; readonly claimed: bigint }): LogSession {
  let readTo = settled;
  let done = settled;
  let entries: Entry[] = [];
  const entryOf = new Map<WebhookId, Entry>();
  return {
    get readTo() {
      return readTo;
    },
    takenOver: claimed,
    chains: new Map(),
    isLost: false,
    add(commits, to) {
      for (const { position, ids } of commits) {
        if (ids.length === 0) continue;
        const entry = { position, left: ids.length };
        entries.push(entry);
        for (const id of ids) entryOf.set(id, entry);
      }
      readTo = to;
      if (entries.length === 0) done = to;
    },
    settledWith(ids) {
      const less = new Map<Entry, number>();
      for (const id of ids) {
        const entry = entryOf.get(id);
        if (entry) less.set(entry, (less.get(entry) ?? 0) + 1);
      }
      let position = done;
      for (const entry of entries) {
        if (entry.left > (less.get(entry) ?? 0)) return position;
        position = entry.position;
      }
      return readTo;
    },
    settle(ids) {
      for (const id of ids) {
        const entry = entryOf.get(id);
        if (entry) entry.left -= 1;
        entryOf.delete(id);
      }
      const open = entries.findIndex(({ left }) => left > 0);
      done = open < 0 ? readTo : (entries[open - 1]?.position ?? done);
      entries = open < 0 ? [] : entries.slice(open);
    },
  };
}

/** The events of a commit that are still to be sent. */
export const unhandled = ({ events }: PositionedCommit) => events.filter(({ queued, handled }) => queued && !handled);
