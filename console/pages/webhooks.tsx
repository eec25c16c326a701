// The webhook endpoint, its keys, and a test delivery.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item } from '../api.ts';
import type { Action } from '../describe.ts';
import { Actions } from '../parts/form.tsx';
import { JsonBlock } from '../parts/json.tsx';
import { Failure } from '../parts/notice.tsx';
import { hrefOf } from '../route.ts';

const ACTIONS: readonly Action[] = [
  {
    label: 'Set endpoint',
    method: 'PATCH',
    path: () => '/config',
    permission: 'MANAGE',
    fields: [{ name: 'webhookEndpoint', label: 'URL', required: true, hint: 'Every event is posted to it, signed.' }],
  },
  {
    label: 'Send a test',
    method: 'POST',
    path: () => '/webhooks/test',
    permission: 'MANAGE',
    when: ({ webhookEndpoint }) => Boolean(webhookEndpoint),
    shows: 'response_status',
  },
  {
    label: 'Replace the keys',
    method: 'POST',
    path: () => '/webhooks/signing-keys/rotate',
    permission: 'MANAGE',
    fields: [{ name: 'overlapSeconds', label: 'Seconds in which both keys sign', as: 'integer', value: '86400', required: true }],
  },
];

export function WebhooksPage() {
  const [config, setConfig] = useState<Item | undefined>();
  const [keys, setKeys] = useState<Item | undefined>();
  const [error, setError] = useState<unknown>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    Promise.all([call('GET', '/config'), call('GET', '/webhooks/signing-keys')]).then(([found, signing]) => {
      setConfig(found);
      setKeys(signing);
    }, setError);
  }, [version]);
  return (
    <>
      <header class="page-head">
        <h1>Webhooks</h1>
        {config && <Actions actions={ACTIONS} object={config} onDone={() => setVersion(version + 1)} />}
      </header>
      {error !== undefined && <Failure error={error} />}
      {config && (
        <p>
          Endpoint <span class="mono">{String(config['webhookEndpoint'] ?? 'not set')}</span>.{' '}
          <a href={hrefOf('/events?deliveryStatus=FAILED')}>Events that could not be delivered</a>
        </p>
      )}
      {keys && <JsonBlock label="Public keys" value={keys['data'] ?? []} />}
    </>
  );
}
