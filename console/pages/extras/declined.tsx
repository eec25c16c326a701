// Why an authorization was declined: the rules in the order in which the service asks them, up to the one that decided.
import { useEffect, useState } from 'preact/hooks';
import type { Item } from '../../api.ts';
import { loadDocument, type Rules } from '../../document.ts';
import { Badge } from '../../parts/value.tsx';
import { text } from '../../resources/shared.ts';

export function Declined({ transaction, onReady }: { readonly transaction: Item; readonly onReady: () => void }) {
  const [rules, setRules] = useState<Rules>([]);
  const reason = text(transaction, 'cardDeclinedReason');
  useEffect(() => {
    if (reason === '') onReady();
    else
      loadDocument()
        .then(
          ({ components }) => setRules(components.schemas['CardDeclinedReason']?.['x-rules'] ?? []),
          () => undefined,
        )
        .finally(onReady);
  }, []);
  const decided = rules.findIndex(({ value }) => value === reason);
  if (decided < 0) return null;
  return (
    <section class="related">
      <h2>Why it was declined</h2>
      <p>
        {rules[decided]?.rule} <span class="mono">{reason}</span>
      </p>
      <details>
        <summary>
          Rule {decided + 1} of {rules.length} decided
        </summary>
        <ol class="rules">
          {rules.map(({ value, rule }, at) => (
            <li key={value} class={at > decided ? 'faint' : ''}>
              {rule} {at <= decided && <Badge text={at === decided ? 'DECLINED' : 'PASSED'} />}
              {at > decided && 'Not asked.'}
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
