// Every refusal that the document lists, on purpose: the next request of an operation gets the code that was chosen.
import { useEffect, useState } from 'preact/hooks';
import { may } from '../api.ts';
import { apiDocument, type Forms } from '../document.ts';
import { clearFaults, type Fault, readFaults, refuseNext } from '../faults.ts';
import { Failure } from '../parts/notice.tsx';
import { useTurn } from '../parts/turn.ts';
import { text } from '../resources/shared.ts';
import { place } from '../route.ts';

export function Refusals({ forms }: { readonly forms: Forms }) {
  // Whoever calls a public operation belongs to no platform, so no fault of the platform meets it.
  const operations = [...forms.operations.values()].filter(({ permission }) => permission !== 'PUBLIC');
  const asked = place.value.query.get('operation') ?? '';
  const [id, setId] = useState(forms.operations.has(asked) ? asked : (operations[0]?.id ?? ''));
  const [code, setCode] = useState('');
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const { error, isBusy, run } = useTurn();
  const codes = forms.operations.get(id)?.errors ?? [];
  const chosen = codes.includes(code) ? code : (codes[0] ?? '');
  const known = apiDocument.value?.['x-errors'][chosen];
  const set = (change: () => Promise<readonly Fault[]>) => run(async () => setFaults(await change()));
  useEffect(() => {
    void set(readFaults);
  }, []);
  if (!may('MANAGE')) return null;
  return (
    <section class="recipes" aria-label="Refusals">
      <h2>Refusals</h2>
      <div class="narrow">
        <div class="field">
          <label for="refused">Operation</label>
          <select id="refused" value={id} onChange={({ currentTarget }) => setId(currentTarget.value)}>
            {operations.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}: {one.summary}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="refusal">Code</label>
          <select id="refusal" value={chosen} onChange={({ currentTarget }) => setCode(currentTarget.value)}>
            {codes.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <p class="hint">
            {known?.status} {known?.reason} The next request of your app to this operation is refused with it. Requests of the console are
            not.
          </p>
        </div>
        {error !== undefined && <Failure error={error} />}
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void set(() => refuseNext(id, chosen))}>
            Refuse the next request
          </button>
          {faults.length > 0 && (
            <button type="button" disabled={isBusy} onClick={() => void set(clearFaults)}>
              Remove all faults
            </button>
          )}
        </div>
      </div>
      {faults.length > 0 && (
        <ul class="faults" aria-label="Faults">
          {faults.map((fault, at) => (
            <li key={at}>
              <span class="mono">{[text(fault, 'operation'), text(fault, 'code') || text(fault, 'kind')].filter(Boolean).join(' ')}</span>{' '}
              <span class="faint">
                {fault['remaining'] === undefined
                  ? 'until it is removed'
                  : Number(fault['remaining']) > 0
                    ? `waits, ${fault['remaining']} left`
                    : 'has happened'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
