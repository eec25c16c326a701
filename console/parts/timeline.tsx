// What happened to an object: requests, changes, money, signatures, proofs, and events with their attempts, each with its cause.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { type Item, type Json, list, revival } from '../api.ts';
import { text } from '../resources/shared.ts';
import { Failure } from './notice.tsx';
import { time } from './time.ts';
import { Badge, Id, money } from './value.tsx';

type Shown = {
  readonly what: string;
  readonly href?: string;
  readonly outcome?: string;
  readonly note?: string;
  readonly ids?: readonly Json[];
};

const amountOf = (item: Item, name: string): string =>
  money({ amount: item[name] ?? 0, currency: { code: item['currency'] ?? '', decimals: item['decimals'] ?? 0 } });

const OF_KIND: Readonly<Record<string, (item: Item) => Shown>> = {
  REQUEST: (item) => ({
    what: text(item, 'operation'),
    href: `/requests/${text(item, 'requestId')}`,
    outcome: text(item, 'status'),
    note: [text(item, 'code'), `${text(item, 'durationMs')} ms`].filter(Boolean).join(' '),
  }),
  SIGNATURE: (item) => ({
    what: `${text(item, 'operation')}, signature ${text(item, 'leg')}`,
    href: `/signed-requests/${text(item, 'signedRequestId')}`,
    outcome: item['usedAt'] === undefined ? 'PENDING' : 'COMPLETED',
  }),
  PROOF: (item) => ({ what: `Proof by ${text(item, 'method')}`, outcome: text(item, 'verdict'), note: text(item, 'reason') }),
  CHANGE: (item) => ({
    what: `${text(item, 'change')}: ${[text(item, 'fromStatus'), text(item, 'toStatus')].filter(Boolean).join(' → ')}`,
    note: [text(item, 'substatus'), text(item, 'reason')].filter(Boolean).join(', '),
  }),
  LEDGER_ENTRY: (item) => ({
    what: `${amountOf(item, 'amount')}, balance ${amountOf(item, 'balanceAfter')}`,
    ids: [item['accountId'], item['transactionId']].filter((id) => id !== undefined),
    note: text(item, 'reason'),
  }),
  EVENT: (item) => ({ what: text(item, 'type'), href: `/events/${text(item, 'eventId')}` }),
};

type Props = {
  readonly objectId: string;
  readonly version: number;
  readonly onReady: () => void;
  /** Told the statuses and the types of the events that it shows. */
  readonly onHistory: (words: readonly string[]) => void;
};
type State = { readonly items: readonly Item[]; readonly cursor: string | undefined };

export function Timeline({ objectId, version, onReady, onHistory }: Props) {
  const [state, setState] = useState<State | undefined>();
  const [error, setError] = useState<unknown>();
  const load = (before: State | undefined) => {
    const query = new URLSearchParams({ objectId, limit: '50', ...(before?.cursor === undefined ? {} : { cursor: before.cursor }) });
    return list('/timeline', query)
      .then((page) => {
        const items = [...(before?.items ?? []), ...page.data];
        setState({ items, cursor: page.nextCursor });
        onHistory(items.flatMap((item) => ['fromStatus', 'toStatus', 'type'].map((name) => text(item, name))));
        setError(undefined);
      }, setError)
      .finally(onReady);
  };
  useEffect(() => {
    void load(undefined);
  }, [objectId, version, revival.value]);
  if (error !== undefined && !state) return <Failure error={error} />;
  if (!state) return <p class="faint">Loading …</p>;
  if (state.items.length === 0) return <p class="faint none">Nothing has happened in the last days.</p>;
  return (
    <>
      <ol class="timeline">
        {state.items.map((item, at) => (
          <Entry key={`${text(item, 'occurredAt')} ${at}`} item={item} />
        ))}
      </ol>
      {error !== undefined && <Failure error={error} />}
      {state.cursor !== undefined && (
        <button type="button" class="more" onClick={() => void load(state)}>
          Load more
        </button>
      )}
    </>
  );
}

function Entry({ item }: { readonly item: Item }) {
  const kind = text(item, 'kind');
  const shown: Shown = OF_KIND[kind]?.(item) ?? { what: kind };
  const { what, href, outcome, note, ids = [] } = shown;
  const at = text(item, 'timestamp');
  const cause = item['cause'] as Item | undefined;
  const attempts = (item['attempts'] ?? []) as readonly Item[];
  return (
    <li class={kind === 'EVENT' ? 'event' : ''}>
      <time class="mono" dateTime={at} title={`real time ${time(text(item, 'occurredAt'))}`}>
        {time(at)}
      </time>
      <span class="kind">{kind.toLowerCase().replace('_', ' ')}</span>
      {href === undefined ? (
        <span class="mono">{what}</span>
      ) : (
        <a class="mono" href={hrefOf(href)}>
          {what}
        </a>
      )}
      {outcome !== undefined && outcome !== '' && <Badge text={outcome} />}
      {note !== undefined && note !== '' && <span class="kind">{note}</span>}
      {ids.map((id) => (
        <Id key={String(id)} text={String(id)} />
      ))}
      {cause?.['requestId'] !== undefined && (
        <span class="kind">
          by request <Id text={String(cause['requestId'])} />
        </span>
      )}
      {cause?.['job'] !== undefined && <span class="kind">by the job {String(cause['job'])}</span>}
      {attempts.map((attempt) => (
        <span key={text(attempt, 'number')} class="attempt">
          attempt {text(attempt, 'number')} <Badge text={text(attempt, 'responseStatus') || 'FAILED'} /> {text(attempt, 'durationMs')} ms{' '}
          {text(attempt, 'failure')}
        </span>
      ))}
    </li>
  );
}
