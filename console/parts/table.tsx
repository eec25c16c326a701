// A list: columns, keyset pages, and rows that arrive while it is read.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { ApiFailure, type Item, list, type Page, revival } from '../api.ts';
import { columnsOf, isCompact } from '../columns.ts';
import { follow } from '../live.ts';
import { isPaged, isSorted } from '../operation.ts';
import { text } from '../resources/shared.ts';
import type { Column, Resource } from '../resources/types.ts';
import { place, setQuery } from '../route.ts';
import { Actions } from './form.tsx';
import { Failure, Polite } from './notice.tsx';
import { isNumber, keyOf, Rows } from './rows.tsx';

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
  const asked = useRef(0);
  const isAsked = path !== undefined && path !== '' && (resource.needs === undefined || new URLSearchParams(query).has(resource.needs));

  const show = (page: Page, cursor: string | undefined) => {
    const isKnown = ({ data }: Page) => data.filter((row) => only(row) && (resource.key === undefined || keyOf(resource, row) !== ''));
    setState((before) => ({
      rows: [...(cursor === undefined ? [] : before.rows), ...isKnown(page)],
      cursor: page.nextCursor,
      isLoaded: true,
    }));
    // The total of the API counts what is not shown here, too.
    onTotal?.(isKnown(page).length === page.data.length ? page.totalCount : undefined);
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

  if (!isAsked) return <Unasked resource={resource} />;
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
          <Rows resource={resource} rows={state.rows} columns={columns} isCompact={isCompact.value}>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <Head key={column.label} column={column} isSortable={!isPart && column.name === 'createdAt' && isSorted(path)} />
              ))}
            </tr>
          </Rows>
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

/** A list of what one object has, before the object is chosen. */
function Unasked({ resource: { title, needs, filters } }: { readonly resource: Resource }) {
  const label = filters?.find(({ name }) => name === needs)?.label.toLowerCase();
  return (
    <p class="empty">
      {`Choose the ${label} whose ${title.toLowerCase()} are listed. Its id is in the list of `}
      <a href={hrefOf(needs === 'customerId' ? '/customers' : '/accounts?type=EMBEDDED_WALLET')}>{`${label}s`}</a>.
    </p>
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
