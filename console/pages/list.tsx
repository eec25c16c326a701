// The page of a list: its filter is the query of the address.
import { useEffect, useState } from 'preact/hooks';
import type { Filter, Resource } from '../describe.ts';
import { Actions } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import { place, setQuery } from '../route.ts';

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
        {resource.create && <Actions actions={[resource.create]} object={{}} onDone={() => setVersion(version + 1)} />}
      </header>
      {resource.filters && (
        <search class="filters">
          {resource.filters.map((filter) => (
            <FilterInput key={filter.name} filter={filter} value={place.value.query.get(filter.name) ?? ''} />
          ))}
        </search>
      )}
      <Table resource={resource} query={query} isLive={isLive} version={version} onTotal={setTotal} />
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
