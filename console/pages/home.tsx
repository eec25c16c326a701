// Home: the first four steps, which tick themselves off from real data, and what happened last.
import { basePath } from 'switchyard:operations';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { call, list, revival, session } from '../api.ts';
import { Health } from '../parts/health.tsx';
import { Code } from '../parts/json.tsx';
import { Failure } from '../parts/notice.tsx';
import { Sequence } from '../parts/sequence.tsx';
import { Table } from '../parts/table.tsx';
import { resourceOf } from '../resources/index.ts';
import type { Resource } from '../resources/types.ts';

type Step = { readonly what: string; readonly href: string; readonly lines: string; readonly isDone: boolean };
type Facts = { readonly steps: readonly Step[] };

const api = (path: string): string => location.origin + basePath + path;

type Ways = { readonly curl: string; readonly command: string; readonly client: string };

/** The same call in three ways. */
const step = (what: string, href: string, isDone: boolean, { curl, command, client }: Ways): Step => ({
  what,
  href,
  isDone,
  lines: [
    `curl -u "$SWITCHYARD_TOKEN_ID:$SWITCHYARD_TOKEN_SECRET" -H 'content-type: application/json' ${curl}`,
    `switchyard ${command}`,
    `await sy.${client}`,
  ].join('\n'),
});

const count = async (path: string): Promise<number> => (await list(path, new URLSearchParams({ limit: '1' }))).data.length;

async function gather(): Promise<Facts> {
  const [customers, transactions, cards, config] = await Promise.all([
    count('/customers'),
    count('/transactions'),
    count('/cards'),
    call('GET', '/config'),
  ]);
  return {
    steps: [
      step('Create a customer', '/customers', customers > 0, {
        curl: `-X POST ${api('/customers')} -d '{"customerType":"INDIVIDUAL","fullName":"Ada Lovelace"}'`,
        command: 'customers create --customer-type INDIVIDUAL --full-name "Ada Lovelace"',
        client: "customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })",
      }),
      step('Move money', '/accounts', transactions > 0, {
        curl: `-X POST ${api('/sandbox/internal-accounts/ID/fund')} -d '{"amount":10000}'`,
        command: 'sandbox internal-accounts fund ID --amount 10000',
        client: 'sandbox.internalAccounts.fund(id, { amount: 10_000 })',
      }),
      step('Issue a card', '/cards', cards > 0, {
        curl: `-X POST ${api('/cards')} -d '{"customerId":"ID","form":"VIRTUAL","fundingSource":"ID"}'`,
        command: 'cards create --customer-id ID --form VIRTUAL --funding-source ID',
        client: "cards.create({ customerId, form: 'VIRTUAL', fundingSource })",
      }),
      step('Receive webhooks', '/webhooks', typeof config['webhookEndpoint'] === 'string', {
        curl: `-X PATCH ${api('/config')} -d '{"webhookEndpoint":"http://localhost:4010/hooks"}'`,
        command: 'listen --forward-to http://localhost:4010/hooks',
        client: "config.update({ webhookEndpoint: 'http://localhost:4010/hooks' })",
      }),
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
      </header>
      {error !== undefined && <Failure error={error} />}
      {facts?.steps.some(({ isDone }) => !isDone) && (
        <section class="related">
          <h2>First steps</h2>
          <ol class="steps">
            {facts.steps.map(({ what, href, lines, isDone }) => (
              <li key={what} class={isDone ? 'done' : ''}>
                <a href={hrefOf(href)}>{what}</a> {isDone && <span class="badge ok">done</span>}
                {!isDone && <Code label={`${what}: curl, command line, client`} text={lines} />}
              </li>
            ))}
          </ol>
        </section>
      )}
      {(facts !== undefined || error !== undefined) && (
        <Sequence
          parts={[
            { key: 'health', show: (onReady) => <Health onReady={onReady} /> },
            ...LATEST.map(([title, name, query]) => ({
              key: title,
              show: (onReady: () => void) => <Latest title={title} name={name} query={query} onReady={onReady} />,
            })),
          ]}
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
