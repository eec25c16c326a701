// The page of a list: its filter is the query of the address.
import { useEffect, useState } from 'preact/hooks';
import { isCompact, isShown, setCompact, showColumn } from '../columns.ts';
import { Actions } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import type { Filter, Resource } from '../resources/types.ts';
import { go, place, setQuery } from '../route.ts';

export function ListPage({ resource }: { readonly resource: Resource }) {
  const [version, setVersion] = useState(0);
  const [total, setTotal] = useState<number | undefined>();
  const [isLive, setLive] = useState(true);
  const query = place.value.query.toString();
  useEffect(() => setTotal(undefined), [resource.name]);
  return (
    <>
      <header class="page-head">
        <h1>
          {resource.title} {total !== undefined && <span class="faint">{total.toLocaleString('en-US')}</span>}
        </h1>
        {resource.stream !== undefined && (
          <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)} data-key="p">
            {isLive ? 'Live' : 'Paused'}
          </button>
        )}
        {resource.columns.length > 1 && <ColumnChoice resource={resource} />}
        {resource.create && <Actions actions={[resource.create]} object={{}} onDone={() => setVersion(version + 1)} />}
      </header>
      {resource.filters && <Filters filters={resource.filters} />}
      {resource.list === undefined ? (
        <ByKey resource={resource} />
      ) : (
        <Table resource={resource} query={query} isLive={isLive} version={version} onTotal={setTotal} />
      )}
    </>
  );
}

function ColumnChoice({ resource }: { readonly resource: Resource }) {
  return (
    <details class="menu">
      <summary>Columns</summary>
      <div>
        {resource.columns.slice(1).map((column) => (
          <label key={column.label} class="check">
            <input
              type="checkbox"
              checked={isShown(resource, column)}
              onChange={({ currentTarget }) => showColumn(resource, column, currentTarget.checked)}
            />
            {column.label}
          </label>
        ))}
        <label class="check apart">
          <input type="checkbox" checked={isCompact.value} onChange={({ currentTarget }) => setCompact(currentTarget.checked)} />
          Compact rows
        </label>
      </div>
    </details>
  );
}

/** Objects that the API does not list are opened by what names them. */
function ByKey({ resource }: { readonly resource: Resource }) {
  const [text, setText] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    go(`/${resource.name}/${encodeURIComponent(text.trim())}`);
  };
  return (
    <form onSubmit={open} class="narrow">
      <p class="empty">{resource.empty}</p>
      <div class="field">
        <label for="key">{resource.key ?? 'Id'}</label>
        <div class="with-button">
          <input id="key" required value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
          <button type="submit">Open</button>
        </div>
      </div>
    </form>
  );
}

/** Several filters would fill a small screen: there they stand behind a button that says how many are set. */
function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const [isOpen, setOpen] = useState(false);
  const valueFor = ({ name }: Filter) => place.value.query.get(name) ?? '';
  const set = filters.filter((filter) => valueFor(filter) !== '').length;
  const isFolded = filters.length > 1;
  return (
    <>
      {isFolded && (
        <button type="button" class="filters-fold" aria-expanded={isOpen} aria-controls="filters" onClick={() => setOpen(!isOpen)}>
          Filters{set > 0 && ` (${set})`}
        </button>
      )}
      <search class={isFolded && !isOpen ? 'filters folded' : 'filters'} id="filters">
        {filters.map((filter) => (
          <FilterInput key={filter.name} filter={filter} value={valueFor(filter)} />
        ))}
      </search>
    </>
  );
}

function FilterInput({ filter, value }: { readonly filter: Filter; readonly value: string }) {
  const id = `filter-${filter.name}`;
  return (
    <div class="field">
      <label for={id}>{filter.label}</label>
      {filter.choices ? (
        <select id={id} value={value} onChange={({ currentTarget }) => setQuery(filter.name, currentTarget.value)}>
          <option value="">Any</option>
          {filter.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} value={value} onChange={({ currentTarget }) => setQuery(filter.name, currentTarget.value.trim())} />
      )}
    </div>
  );
}
