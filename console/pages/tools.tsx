// Operations as forms of their own: one, a few that belong together, or all of them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { type Answer, may, session } from '../api.ts';
import type { Forms } from '../document.ts';
import { entryOf, isOfSandbox, OPERATION_IDS } from '../operation.ts';
import { OperationForm } from '../parts/form.tsx';
import { JsonBlock } from '../parts/json.tsx';
import { WithForms } from '../parts/with-forms.tsx';

export function Tool({ operation, label }: { readonly operation: string; readonly label: string }) {
  const [answer, setAnswer] = useState<Answer | undefined>();
  return (
    <section class="tool" aria-label={label}>
      <OperationForm action={{ operation, label }} object={{}} isFree onAnswer={setAnswer} />
      {answer && <JsonBlock label={`Answer ${answer.status}`} value={answer.body} />}
    </section>
  );
}

const isOpen = (id: string): boolean => {
  const entry = entryOf(id);
  return (
    entry !== undefined &&
    (entry.permission === 'VIEW' || may(entry.permission)) &&
    (session.value?.isSandbox === true || !isOfSandbox(entry))
  );
};

const UMA = ['lookupUma', 'lookupExternalAccount', 'sandboxReceive', 'createInvitation', 'claimInvitation'];

export const UmaPage = () => (
  <Catalogue
    title="UMA"
    wanted={(id) => UMA.includes(id)}
    hint="Look up a receiver, then quote with the look-up; receive a payment from the sandbox."
  />
);

export const OperationsPage = () => (
  <Catalogue title="All operations" wanted={() => true} hint="Every operation that this token may call, as a form." />
);

type CatalogueProps = {
  readonly title: string;
  readonly wanted: (id: string) => boolean;
  readonly hint: string;
  /** What stands before the operations. */
  readonly before?: ComponentChildren;
};

/** Operations by group, each a link to its form. */
export const Catalogue = (props: CatalogueProps) => <WithForms show={(forms) => <Listed {...props} forms={forms} />} />;

function Listed({ title, wanted, hint, before, forms }: CatalogueProps & { readonly forms: Forms }) {
  const [filter, setFilter] = useState('');
  const found = OPERATION_IDS.filter((id) => {
    const operation = forms.operations.get(id);
    return wanted(id) && isOpen(id) && `${id} ${operation?.summary} ${operation?.command}`.toLowerCase().includes(filter.toLowerCase());
  });
  const tags = [...new Set(found.map((id) => forms.operations.get(id)?.tag ?? ''))].sort();
  return (
    <>
      <header class="page-head">
        <h1>
          {title} <span class="faint">{found.length}</span>
        </h1>
      </header>
      {before}
      <p class="hint">{hint}</p>
      <search class="filters">
        <div class="field wide">
          <label for="filter">Filter</label>
          <input id="filter" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
        </div>
      </search>
      {tags.map((tag) => (
        <section key={tag} class="related">
          <h2>{tag}</h2>
          <ul class="links">
            {found
              .filter((id) => forms.operations.get(id)?.tag === tag)
              .map((id) => (
                <li key={id}>
                  <a href={hrefOf(`/operations/${id}`)}>{forms.operations.get(id)?.summary}</a> <span class="mono faint">{id}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p class="empty">No operation has this name.</p>}
    </>
  );
}

export function OperationPage({ id }: { readonly id: string }) {
  const entry = entryOf(id);
  if (!entry || !isOpen(id)) return <h1>No such operation for this token</h1>;
  const shown = ({ operations }: Forms) => (
    <>
      <p class="crumb">
        <a href={hrefOf('/operations')}>All operations</a>
      </p>
      <header class="page-head">
        <h1>{operations.get(id)?.summary}</h1>
      </header>
      <p class="mono breaks">
        {entry.method} {entry.path}
      </p>
      <Tool key={id} operation={id} label={entry.method === 'GET' ? 'Read' : 'Send'} />
    </>
  );
  return <WithForms show={shown} />;
}
