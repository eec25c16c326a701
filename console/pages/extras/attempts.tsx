// The attempts to deliver an event, as a ladder from the first to the next that is due.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item } from '../../api.ts';
import { follow } from '../../live.ts';
import { JsonBlock } from '../../parts/json.tsx';
import { time } from '../../parts/time.ts';
import { Badge } from '../../parts/value.tsx';

/** The bytes that were signed: the members of the event that a delivery has, in their order. */
const bodyOf = ({ id, type, timestamp, objectId, sequence, data }: Item): string =>
  JSON.stringify({ id, type, timestamp, objectId, sequence, data });

/** What the signatures of an attempt are worth, found in the browser with the public keys. */
async function check(event: Item, { requestHeaders }: Item): Promise<string> {
  const [{ verifyWebhook }, { data }] = await Promise.all([import('../../../client/webhooks.ts'), call('GET', '/webhooks/signing-keys')]);
  const headers = (requestHeaders ?? {}) as Record<string, string>;
  const options = { publicKeys: data as never, toleranceSeconds: Number.POSITIVE_INFINITY };
  return verifyWebhook(bodyOf(event), headers, options).then(
    () => 'Signature valid',
    (error: Error) => `Signature not valid: ${error.message}`,
  );
}

function Signature({ event, attempt }: { readonly event: Item; readonly attempt: Item }) {
  const [verdict, setVerdict] = useState('');
  useEffect(() => {
    check(event, attempt).then(setVerdict, () => undefined);
  }, []);
  return <span class={verdict.includes('not') ? 'problem' : 'hint'}>{verdict}</span>;
}

export function Attempts({ event, onChanged }: { readonly event: Item; readonly onChanged: () => void }) {
  const count = Number(event['attemptCount'] ?? 0);
  useEffect(
    () => follow('attempt', ({ eventId, number }) => void (eventId === event['id'] && Number(number) > count && onChanged())),
    [event['id'], count],
  );
  const attempts = [...((event['attempts'] ?? []) as readonly Item[])].sort((a, b) => Number(a['number']) - Number(b['number']));
  const next = event['nextAttemptAt'];
  if (attempts.length === 0 && next === undefined) return null;
  return (
    <section class="related">
      <h2>Attempts</h2>
      <ol class="timeline">
        {attempts.map((attempt) => (
          <li key={String(attempt['number'])}>
            <time class="mono" dateTime={String(attempt['startedAt'])}>
              {time(String(attempt['startedAt']))}
            </time>
            <span>
              Attempt {String(attempt['number'])} to <span class="mono">{String(attempt['url'])}</span>
            </span>
            <Badge text={String(attempt['responseStatus'] ?? 'FAILED')} />
            <span class="faint">
              {String(attempt['durationMs'])} ms {String(attempt['failure'] ?? '')}
            </span>
            <Signature event={event} attempt={attempt} />
            <details>
              <summary>Headers and answer</summary>
              <JsonBlock
                label={`Attempt ${attempt['number']}`}
                value={{ headers: attempt['requestHeaders'] ?? {}, answer: attempt['responseBody'] ?? null }}
              />
            </details>
          </li>
        ))}
        {typeof next === 'string' && (
          <li>
            <time class="mono" dateTime={next}>
              {time(next)}
            </time>
            <span>Next attempt is due</span>
          </li>
        )}
      </ol>
    </section>
  );
}
