// The webhook endpoint, its keys, and a test delivery.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item, revival } from '../api.ts';
import { Actions } from '../parts/form.tsx';
import { JsonBlock } from '../parts/json.tsx';
import { Failure } from '../parts/notice.tsx';
import type { Action } from '../resources/types.ts';
import { hrefOf } from '../route.ts';

const ACTIONS: readonly Action[] = [
  { operation: 'updatePlatformConfig', label: 'Set endpoint', ask: ['webhookEndpoint'] },
  {
    operation: 'sendTestWebhook',
    label: 'Send a test',
    when: ({ webhookEndpoint }) => Boolean(webhookEndpoint),
    shows: '*',
  },
  { operation: 'replayWebhookEvents', label: 'Replay since …', shows: '*' },
  { operation: 'listWebhookSigningSecrets', label: 'Show the secret', shows: '*' },
  { operation: 'rotateWebhookSigningKeys', label: 'Replace the keys', values: () => ({ overlapSeconds: '86400' }) },
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
  }, [version, revival.value]);
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
