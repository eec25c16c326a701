// The attempts to deliver an event, as a ladder from the first to the next that is due.
import type { Item } from '../../api.ts';
import { JsonBlock } from '../../parts/json.tsx';
import { Badge, time } from '../../parts/value.tsx';

export function Attempts({ event }: { readonly event: Item }) {
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
