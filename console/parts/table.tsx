// A list: columns, keyset pages, and rows that arrive while it is read.
import { useEffect, useRef, useState } from 'preact/hooks';
import { follow, type Item, list, type Page } from '../api.ts';
import { type Resource, valueIn } from '../describe.ts';
import { go, hrefOf } from '../route.ts';
import { Failure } from './notice.tsx';
import { Value } from './value.tsx';

const KEPT = 500;

type State = {
  readonly rows: readonly Item[];
  readonly cursor?: string | undefined;
  readonly total?: number | undefined;
  readonly isLoaded: boolean;
};

const EMPTY: State = { rows: [], isLoaded: false };

const stateOf = (page: Page, before: readonly Item[] = []): State => ({
  rows: [...before, ...page.data],
  cursor: page.nextCursor,
  total: page.totalCount,
  isLoaded: true,
});

export type TableProps = {
  readonly resource: Resource;
  /** The filter, as a query. */
  readonly query: string;
  readonly limit?: number;
  readonly isLive?: boolean;
  /** Changes when the list must be read again. */
  readonly version?: number;
  readonly onTotal?: (total: number | undefined) => void;
};

export function Table({ resource, query, limit = 25, isLive = false, version = 0, onTotal }: TableProps) {
  const [state, setState] = useState<State>(EMPTY);
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState<readonly Item[]>([]);
  const body = useRef<HTMLTableSectionElement>(null);

  const load = async (cursor?: string) => {
    try {
      const wanted = new URLSearchParams(query);
      wanted.set('limit', String(limit));
      if (cursor !== undefined) wanted.set('cursor', cursor);
      const page = await list(resource.list, wanted);
      setState((before) => stateOf(page, cursor === undefined ? [] : before.rows));
      onTotal?.(page.totalCount);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };

  useEffect(() => {
    setWaiting([]);
    void load();
  }, [resource.name, query, version]);

  useEffect(() => {
    if (!isLive || resource.stream === undefined) return;
    // The stream of events takes no filter; a filtered list is read again when the reader asks for it.
    const filter = resource.name === 'requests' && query !== '' && !query.includes('objectId') ? `?${query}` : '';
    return follow(resource.stream + filter, (row) => setWaiting((rows) => [row, ...rows].slice(0, KEPT)));
  }, [resource.name, query, isLive]);

  const showWaiting = () => {
    if (query !== '' || resource.name === 'events') {
      void load();
      setWaiting([]);
      return;
    }
    setState((before) => ({ ...before, rows: [...waiting, ...before.rows].slice(0, KEPT) }));
    setWaiting([]);
  };

  const onKey = (event: KeyboardEvent) => {
    const rows = [...(body.current?.rows ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLTableRowElement);
    const step = event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    } else if (event.key === 'Enter' && at >= 0) go(`/${resource.name}/${state.rows[at]?.['id']}`);
  };

  if (error !== undefined && !state.isLoaded) return <Failure error={error} />;
  if (!state.isLoaded) return <p class="faint">Loading …</p>;
  return (
    <>
      <div class="live" aria-live="polite">
        {waiting.length > 0 && (
          <button type="button" onClick={showWaiting}>
            {waiting.length} new
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
      {state.rows.length === 0 ? (
        <p class="empty">{query === '' ? resource.empty : 'None.'}</p>
      ) : (
        <section class="scroll" aria-label={resource.title}>
          <table onKeyDown={onKey}>
            <thead>
              <tr>
                {resource.columns.map(({ label, as }) => (
                  <th key={label} scope="col" class={as === 'money' || as === 'ms' ? 'number' : ''}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody ref={body}>
              {state.rows.map((row) => (
                <Row key={String(row['id'])} resource={resource} row={row} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {state.cursor !== undefined && (
        <button type="button" class="more" onClick={() => void load(state.cursor)}>
          Load more
        </button>
      )}
    </>
  );
}

function Row({ resource, row }: { readonly resource: Resource; readonly row: Item }) {
  const href = hrefOf(`/${resource.name}/${row['id']}`);
  return (
    <tr tabIndex={0}>
      {resource.columns.map(({ name, label, as }, at) => (
        <td key={label} class={as === 'money' || as === 'ms' ? 'number' : ''}>
          {at === 0 ? (
            <a class="row-link" href={href}>
              <Value value={valueIn(row, name) ?? '–'} as={as} object={row} />
            </a>
          ) : (
            <Value value={valueIn(row, name)} as={as} object={row} />
          )}
        </td>
      ))}
    </tr>
  );
}
