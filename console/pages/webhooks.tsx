// The webhook endpoint, its keys, and a test delivery.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item, revival } from '../api.ts';
import { Actions } from '../parts/form.tsx';
import { Health } from '../parts/health.tsx';
import { Code, JsonBlock } from '../parts/json.tsx';
import { Failure } from '../parts/notice.tsx';
import type { Action } from '../resources/types.ts';

const ACTIONS: readonly Action[] = [
  { operation: 'updatePlatformConfig', label: 'Set endpoint', ask: ['webhookEndpoint'] },
  {
    operation: 'sendTestWebhook',
    label: 'Send a test',
    when: ({ webhookEndpoint }) => Boolean(webhookEndpoint),
    shows: '*',
  },
  { operation: 'replayWebhookEvents', label: 'Replay since …', shows: '*' },
  { operation: 'listWebhookSigningSecrets', label: 'Show the secret', shows: '*', isSecret: true },
  { operation: 'rotateWebhookSigningKeys', label: 'Replace the keys', values: () => ({ overlapSeconds: '86400' }) },
];

const RECEIVER = `import { createServer } from 'node:http';
import { createSwitchyard } from 'switchyard-client';
import { verifyWebhook } from 'switchyard-client/webhooks';
const { data: publicKeys } = await createSwitchyard().webhooks.signingKeys.list();
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const event = await verifyWebhook(body, request.headers, { publicKeys }).catch(() => undefined);
  console.log(event?.type);
  response.writeHead(event ? 200 : 400).end();
}).listen(4010); // the endpoint is http://localhost:4010/`;

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
          Endpoint <span class="mono breaks">{String(config['webhookEndpoint'] ?? 'not set')}</span>
        </p>
      )}
      {config && (config['webhookEndpoint'] ? <Health /> : <Code label="How to receive" text={RECEIVER} />)}
      {keys && <JsonBlock label="Public keys" value={keys['data'] ?? []} />}
    </>
  );
}
