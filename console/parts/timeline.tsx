// What happened to an object: the requests that name it and the events about it, in one order.
import { useEffect, useState } from 'preact/hooks';
import { type Item, list, revival } from '../api.ts';
import { hrefOf } from '../route.ts';
import { Failure } from './notice.tsx';
import { Badge, time } from './value.tsx';

type Entry = {
  readonly at: string;
  readonly href: string;
  readonly what: string;
  readonly outcome: string;
  readonly kind: 'request' | 'event';
};

const ofRequest = (row: Item): Entry => ({
  at: String(row['timestamp']),
  href: hrefOf(`/requests/${row['id']}`),
  what: String(row['operation']),
  outcome: String(row['status']),
  kind: 'request',
});
const ofEvent = (row: Item): Entry => ({
  at: String(row['timestamp']),
  href: hrefOf(`/events/${row['id']}`),
  what: String(row['type']),
  outcome: String(row['deliveryStatus']),
  kind: 'event',
});

type Props = { readonly objectId: string; readonly version: number; readonly onReady: () => void };

export function Timeline({ objectId, version, onReady }: Props) {
  const [entries, setEntries] = useState<readonly Entry[] | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const query = new URLSearchParams({ objectId, limit: '50' });
    Promise.all([list('/requests', query), list('/webhooks/events', query)])
      .then(
        ([requests, events]) =>
          setEntries(
            [...requests.data.map(ofRequest), ...events.data.map(ofEvent)].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
          ),
        setError,
      )
      .finally(onReady);
  }, [objectId, version, revival.value]);
  if (error !== undefined) return <Failure error={error} />;
  if (!entries) return <p class="faint">Loading …</p>;
  if (entries.length === 0) return <p class="empty">Nothing has happened in the last days.</p>;
  return (
    <ol class="timeline">
      {entries.map(({ at, href, what, outcome, kind }) => (
        <li key={href} class={kind}>
          <time class="mono" dateTime={at}>
            {time(at)}
          </time>
          <a href={href} class="mono">
            {what}
          </a>
          <Badge text={outcome} />
        </li>
      ))}
    </ol>
  );
}
