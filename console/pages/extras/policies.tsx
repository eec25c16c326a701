// What a delegated key may sign. All keys have the same policies.
import { useEffect, useState } from 'preact/hooks';
import { loadDocument, type Rules } from '../../document.ts';

export function Policies({ onReady }: { readonly onReady: () => void }) {
  const [policies, setPolicies] = useState<Rules>([]);
  useEffect(() => {
    loadDocument()
      .then(
        ({ components }) => setPolicies(components.schemas['DelegatedKey']?.['x-policies'] ?? []),
        () => undefined,
      )
      .finally(onReady);
  }, []);
  if (policies.length === 0) return null;
  return (
    <section class="related">
      <h2>Policies: what it may sign</h2>
      <dl class="members">
        {policies.map(({ value, rule }) => (
          <div key={value}>
            <dt class="mono">{value}</dt>
            <dd>{rule}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
