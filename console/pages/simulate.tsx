// What can be made to happen in the sandbox: recipes of several calls, and every single operation of the sandbox.
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Recipe } from '../../cli/recipe.ts';
import { hrefOf } from '../address.ts';
import { may } from '../api.ts';
import type { Forms } from '../document.ts';
import { clockNow } from '../live.ts';
import { entryOf, isOfSandbox } from '../operation.ts';
import { Failure } from '../parts/notice.tsx';
import { time } from '../parts/time.ts';
import { Badge, Id, Value } from '../parts/value.tsx';
import { WithForms } from '../parts/with-forms.tsx';
import { recipes, run } from '../recipes.ts';
import { pageOf } from '../resources/index.ts';
import { Refusals } from './refusals.tsx';
import { Catalogue } from './tools.tsx';

type Said = {
  readonly lines: readonly string[];
  readonly event?: { readonly id: string; readonly type: string };
  readonly made: readonly (readonly [string, string])[];
};

type Ran = { readonly name: string; readonly at: string; readonly isDone: boolean; readonly event?: Said['event'] };

/** What was run in this tab, newest first. */
const runs = signal<readonly Ran[]>([]);
const KEPT = 10;

export const SimulatePage = () => <WithForms show={(forms) => <Simulate forms={forms} />} />;

function Simulate({ forms }: { readonly forms: Forms }) {
  const [name, setName] = useState(recipes[0]?.name ?? '');
  const recipe = recipes.find((one) => one.name === name);
  const form = may('TRANSACT') && may('MANAGE') && (
    <section class="recipes">
      <h2>Recipes</h2>
      <div class="field narrow">
        <label for="recipe">What happens</label>
        <select id="recipe" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {recipes.map((one) => (
            <option key={one.name} value={one.name}>
              {one.group}: {one.summary}
            </option>
          ))}
        </select>
      </div>
      {recipe && <RecipeForm key={name} recipe={recipe} forms={forms} />}
      {runs.value.length > 0 && <LastRuns />}
    </section>
  );
  return (
    <Catalogue
      title="Simulate"
      before={
        <>
          {form}
          <Refusals forms={forms} />
        </>
      }
      wanted={(id) => isOfSandbox(entryOf(id) ?? { method: 'GET', path: '', permission: 'VIEW' }) && entryOf(id)?.method !== 'GET'}
      hint="Single operations of the sandbox. They also stand on the pages of the objects they are about."
    />
  );
}

const LastRuns = () => (
  <section class="related" aria-label="Last runs">
    <h2>Last runs</h2>
    <ol class="timeline">
      {runs.value.map(({ name, at, isDone, event }, index) => (
        <li key={index}>
          <time class="mono">{time(at)}</time> {name} <Badge text={isDone ? 'COMPLETED' : 'FAILED'} />
          {event && (
            <a class="mono" href={hrefOf(`/events/${event.id}`)}>
              {event.type}
            </a>
          )}
        </li>
      ))}
    </ol>
  </section>
);

function RecipeForm({ recipe, forms }: { readonly recipe: Recipe; readonly forms: Forms }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [said, setSaid] = useState<Said | undefined>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    setSaid({ lines: [], made: [] });
    const given = Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value.trim() !== '')
        .map(([name, value]) => [name, /^-?\d+$/.test(value) ? Number(value) : value.trim()]),
    );
    const note = (isDone: boolean, event?: Said['event']) => {
      const ran: Ran = { name: recipe.name, at: new Date(clockNow()).toISOString(), isDone, ...(event && { event }) };
      runs.value = [ran, ...runs.value].slice(0, KEPT);
    };
    try {
      const done = await run(recipe, given, forms, (line) => setSaid((now) => ({ made: [], lines: [...(now?.lines ?? []), line] })));
      const made = Object.entries(done.values).map(([name, value]) => [name, String(value)] as const);
      const event = done.event && { id: String(done.event['id']), type: String(done.event['type']) };
      setSaid((now) => ({ lines: now?.lines ?? [], made, ...(event && { event }) }));
      note(true, event);
    } catch (failure) {
      note(false);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} class="narrow">
      {Object.entries(recipe.inputs).map(([name, input]) => (
        <div key={name} class="field">
          <label for={`input-${name}`}>{name}</label>
          <input
            id={`input-${name}`}
            value={values[name] ?? ''}
            placeholder={input.default === undefined ? '' : String(input.default)}
            aria-describedby={`input-${name}-hint`}
            onInput={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
          />
          <p class="hint" id={`input-${name}-hint`}>
            {input.description}
          </p>
        </div>
      ))}
      <button type="submit" class="primary" disabled={isBusy}>
        Run
      </button>
      <div aria-live="polite">
        {said && (
          <ol class="timeline ran">
            {said.lines.map((line, at) => (
              <li key={at}>{line}</li>
            ))}
            {said.made.map(([name, id]) => (
              <li key={name}>
                {name} {pageOf(id) === undefined ? <Value value={id} as="mono" /> : <Id text={id} />}
              </li>
            ))}
            {said.event && (
              <li class="event">
                <a class="mono" href={hrefOf(`/events/${said.event.id}`)}>
                  {said.event.type}
                </a>
              </li>
            )}
          </ol>
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
    </form>
  );
}
