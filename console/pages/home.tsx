// Home: the first four steps, which tick themselves off from real data, and what happened last.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item, list, revival, session } from '../api.ts';
import { Failure } from '../parts/notice.tsx';
import { Sequence } from '../parts/sequence.tsx';
import { Table } from '../parts/table.tsx';
import { time } from '../parts/value.tsx';
import { resourceOf } from '../resources/index.ts';
import type { Resource } from '../resources/types.ts';
import { hrefOf } from '../route.ts';

type Step = { readonly what: string; readonly href: string; readonly command: string; readonly isDone: boolean };
type Facts = { readonly steps: readonly Step[]; readonly clock: Item | undefined };

const count = async (path: string): Promise<number> => (await list(path, new URLSearchParams({ limit: '1' }))).data.length;

async function gather(): Promise<Facts> {
  const [customers, transactions, cards, config, clock] = await Promise.all([
    count('/customers'),
    count('/transactions'),
    count('/cards'),
    call('GET', '/config'),
    session.value?.isSandbox ? call('GET', '/sandbox/clock') : undefined,
  ]);
  return {
    clock,
    steps: [
      {
        what: 'Create a customer',
        href: '/customers',
        command: 'switchyard customers create --customer-type INDIVIDUAL --full-name "Ada Lovelace"',
        isDone: customers > 0,
      },
      {
        what: 'Move money',
        href: '/accounts',
        command: 'switchyard sandbox internal-accounts fund ID --amount 10000',
        isDone: transactions > 0,
      },
      {
        what: 'Issue a card',
        href: '/cards',
        command: 'switchyard cards create --customer-id ID --form VIRTUAL --funding-source ID',
        isDone: cards > 0,
      },
      {
        what: 'Receive webhooks',
        href: '/webhooks',
        command: 'switchyard listen --forward-to http://localhost:4010/hooks',
        isDone: typeof config['webhookEndpoint'] === 'string',
      },
    ],
  };
}

export function Home() {
  const [facts, setFacts] = useState<Facts | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    gather().then(setFacts, setError);
  }, [revival.value]);
  return (
    <>
      <header class="page-head">
        <h1>{session.value?.platformName}</h1>
        {facts?.clock && (
          <p>
            <a href={hrefOf('/clock')} class="mono">
              {time(String(facts.clock['now']))}
            </a>{' '}
            {facts.clock['frozen'] === true ? 'frozen' : 'running'}
          </p>
        )}
      </header>
      {error !== undefined && <Failure error={error} />}
      {facts?.steps.some(({ isDone }) => !isDone) && (
        <section class="related">
          <h2>First steps</h2>
          <ol class="steps">
            {facts.steps.map(({ what, href, command, isDone }) => (
              <li key={what} class={isDone ? 'done' : ''}>
                <a href={hrefOf(href)}>{what}</a> {isDone && <span class="badge ok">done</span>}
                {!isDone && <code>{command}</code>}
              </li>
            ))}
          </ol>
        </section>
      )}
      {(facts !== undefined || error !== undefined) && (
        <Sequence
          parts={LATEST.map(([title, name, query]) => ({
            key: title,
            show: (onReady) => <Latest title={title} name={name} query={query} onReady={onReady} />,
          }))}
        />
      )}
    </>
  );
}

const LATEST = [
  ['Latest requests', 'requests', ''],
  ['Refused requests', 'requests', 'status=4xx'],
  ['Latest events', 'events', ''],
  ['Failed deliveries', 'events', 'deliveryStatus=FAILED'],
] as const;

type LatestProps = { readonly title: string; readonly name: string; readonly query: string; readonly onReady: () => void };

const Latest = ({ title, name, query, onReady }: LatestProps) => (
  <section class="related">
    <h2>
      <a href={hrefOf(`/${name}${query === '' ? '' : `?${query}`}`)}>{title}</a>
    </h2>
    <Table resource={{ ...(resourceOf(name) as Resource), title }} query={query} limit={10} isPart onReady={onReady} />
  </section>
);
