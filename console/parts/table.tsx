// A list: columns, keyset pages, and rows that arrive while it is read.
import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { ApiFailure, type Item, list, type Page, revival } from '../api.ts';
import { columnsOf, isCompact } from '../columns.ts';
import { hasKeys } from '../keys.ts';
import { follow } from '../live.ts';
import { isPaged, isSorted } from '../operation.ts';
import { valueIn } from '../resources/index.ts';
import { text } from '../resources/shared.ts';
import type { Column, Resource } from '../resources/types.ts';
import { go, place, setQuery } from '../route.ts';
import { Actions } from './form.tsx';
import { copy } from './json.tsx';
import { Failure, Polite } from './notice.tsx';
import { Value } from './value.tsx';

const KEPT = 500;

type State = {
  readonly rows: readonly Item[];
  readonly cursor?: string | undefined;
  readonly isLoaded: boolean;
};

const EMPTY: State = { rows: [], isLoaded: false };

export type TableProps = {
  readonly resource: Resource;
  /** The filter, as a query. */
  readonly query: string;
  readonly limit?: number;
  readonly isLive?: boolean;
  /** Changes when the list must be read again. */
  readonly version?: number;
  /** The list below another object. */
  readonly path?: string | undefined;
  /** The rows that are shown, where the API has no filter for it. */
  readonly only?: (row: Item) => boolean;
  /** A part of another page: short where it is empty. */
  readonly isPart?: boolean;
  /** What a part says where it is empty. */
  readonly empty?: string;
  readonly onTotal?: (total: number | undefined) => void;
  readonly onReady?: () => void;
};

const keyOf = ({ key = 'id' }: Resource, row: Item): string => text(row, key);

/** A row has a page where there is more to see or to do than the row itself. */
function pathOf(resource: Resource, row: Item): string | undefined {
  const key = keyOf(resource, row);
  if (key === '' || (resource.get === undefined && resource.actions === undefined)) return undefined;
  const needed =
    resource.get === undefined && resource.needs !== undefined ? `?${resource.needs}=${encodeURIComponent(text(row, resource.needs))}` : '';
  return `/${resource.name}/${encodeURIComponent(key)}${needed}`;
}

/** Whether a row that arrives is one that the filter asks for. A new event is not delivered yet. */
const isWanted = (arrived: Item, query: string): boolean => {
  const row: Item = { deliveryStatus: 'PENDING', ...arrived };
  return [...new URLSearchParams(query)].every(([name, value]) =>
    name === 'objectId' ? JSON.stringify(row).includes(value) : !(name in row) || text(row, name).startsWith(value.replace('xx', '')),
  );
};

/** An event after an attempt to deliver it. Any 2xx and 409 count as delivered. */
const attempted = (event: Item, { number, responseStatus }: Item): Item => ({
  ...event,
  attemptCount: Math.max(Number(event['attemptCount'] ?? 0), Number(number)),
  ...(/^2|409/.test(String(responseStatus)) && { deliveryStatus: 'DELIVERED' }),
});

export function Table(props: TableProps) {
  const { resource, query, limit = 25, isLive = false, version = 0, path = resource.list, isPart = false } = props;
  const { empty = 'None.', only = () => true, onTotal, onReady } = props;
  const [state, setState] = useState<State>(EMPTY);
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState<readonly Item[]>([]);
  const body = useRef<HTMLTableSectionElement>(null);
  const asked = useRef(0);
  const isAsked = path !== undefined && path !== '' && (resource.needs === undefined || new URLSearchParams(query).has(resource.needs));

  const show = (page: Page, cursor: string | undefined) => {
    const isKnown = ({ data }: Page) => data.filter((row) => only(row) && (resource.key === undefined || keyOf(resource, row) !== ''));
    setState((before) => ({
      rows: [...(cursor === undefined ? [] : before.rows), ...isKnown(page)],
      cursor: page.nextCursor,
      isLoaded: true,
    }));
    onTotal?.(page.totalCount);
    setError(undefined);
  };
  const load = async (cursor?: string) => {
    // The answer to an older question is not shown.
    const turn = ++asked.current;
    try {
      const wanted = new URLSearchParams(query);
      if (isPaged(resource.list)) wanted.set('limit', String(limit));
      if (cursor !== undefined) wanted.set('cursor', cursor);
      const page = await list(path ?? '', wanted, resource.rows);
      if (turn === asked.current) show(page, cursor);
    } catch (failure) {
      if (turn === asked.current) setError(failure);
    } finally {
      onReady?.();
    }
  };

  useEffect(() => {
    setWaiting([]);
    if (isAsked) void load();
    else onReady?.();
  }, [resource.name, path, query, version, revival.value]);

  useEffect(() => {
    if (!isLive || resource.stream === undefined) return;
    return follow(resource.stream, (row) => {
      if (isWanted(row, query)) setWaiting((rows) => (rows.some(({ id }) => id === row['id']) ? rows : [row, ...rows].slice(0, KEPT)));
    });
  }, [resource.name, isLive, query]);

  // An attempt changes an event that is on the page.
  useEffect(() => {
    if (resource.stream !== 'event') return;
    return follow('attempt', (attempt) =>
      setState((now) => ({ ...now, rows: now.rows.map((row) => (row['id'] === attempt['eventId'] ? attempted(row, attempt) : row)) })),
    );
  }, [resource.name]);

  const showWaiting = () => {
    setWaiting([]);
    void load();
  };

  const onKey = (event: KeyboardEvent) => {
    const rows = [...(body.current?.rows ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLTableRowElement);
    const { key } = event;
    const isKey = (letter: string) => hasKeys.value && key === letter && !event.ctrlKey && !event.metaKey;
    const step = isKey('j') || key === 'ArrowDown' ? 1 : isKey('k') || key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    } else if (isKey('y') && at >= 0) {
      void copy(keyOf(resource, state.rows[at] ?? {}));
    } else if (key === 'Enter' && at >= 0) {
      const target = pathOf(resource, state.rows[at] ?? {});
      if (target) go(target);
    }
  };

  if (!isAsked)
    return (
      <p class="empty">{`Choose the ${resource.filters?.find(({ name }) => name === resource.needs)?.label.toLowerCase()} whose ${resource.title.toLowerCase()} are listed.`}</p>
    );
  // A list that does not apply to the object is no failure of the page.
  if (error instanceof ApiFailure && error.status === 409) return <p class="faint none">{error.message}</p>;
  if (error !== undefined && !state.isLoaded) return <Failure error={error} />;
  if (!state.isLoaded) return <p class="faint">Loading …</p>;
  const columns = columnsOf(resource);
  return (
    <>
      {resource.stream !== undefined && isLive && (
        <div class="live">
          {waiting.length > 0 ? (
            <button type="button" onClick={showWaiting}>
              {waiting.length} new
            </button>
          ) : (
            <span class="faint">Up to date</span>
          )}
          <Polite text={waiting.length > 0 ? `${waiting.length} new` : ''} />
        </div>
      )}
      {error !== undefined && <Failure error={error} />}
      {state.rows.length === 0 ? (
        <div class={isPart ? 'faint none' : 'empty'}>
          {isPart || (query !== '' && resource.needs === undefined) ? empty : resource.empty}
          {resource.begin && !isPart && query === '' && <Actions actions={[resource.begin]} object={{}} onDone={() => void load()} />}
        </div>
      ) : (
        <section class="scroll" aria-label={resource.title}>
          <table class={isCompact.value ? 'compact' : undefined} onKeyDown={onKey}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <Head key={column.label} column={column} isSortable={!isPart && column.name === 'createdAt' && isSorted(path)} />
                ))}
              </tr>
            </thead>
            <tbody ref={body}>
              {state.rows.map((row, at) => (
                <Row key={keyOf(resource, row) || at} columns={columns} row={row} path={pathOf(resource, row)} />
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

/** The order of a list is part of its address, as its filter is. */
function Head({ column: { label, as }, isSortable }: { readonly column: Column; readonly isSortable: boolean }) {
  const isRising = place.value.query.get('sortOrder') === 'asc';
  return (
    <th scope="col" class={isNumber(as) ? 'number' : ''} {...(isSortable && { 'aria-sort': isRising ? 'ascending' : 'descending' })}>
      {isSortable ? (
        <button type="button" class="sort" onClick={() => setQuery('sortOrder', isRising ? '' : 'asc')}>
          {label} {isRising ? '↑' : '↓'}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

const isNumber = (as: Column['as']): boolean => as === 'money' || as === 'ms';

type RowProps = { readonly columns: readonly Column[]; readonly row: Item; readonly path: string | undefined };

/** Drawn again only when the row itself has changed, so that a message of the stream does not draw a list of thousands. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate({ row, columns }: RowProps): boolean {
    return row !== this.props.row || columns.length !== this.props.columns.length;
  }
  override render() {
    return <Cells {...this.props} />;
  }
}

function Cells({ columns, row, path }: RowProps) {
  return (
    <tr tabIndex={0}>
      {columns.map(({ name, label, as }, at) => {
        const value = <Value value={valueIn(row, name) ?? (at === 0 ? '–' : undefined)} as={as} object={row} />;
        return (
          <td key={label} class={isNumber(as) ? 'number' : ''}>
            {at === 0 && path !== undefined ? (
              <a class="row-link" href={hrefOf(path)}>
                {value}
              </a>
            ) : (
              value
            )}
          </td>
        );
      })}
    </tr>
  );
}
