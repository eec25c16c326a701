// The rows of a list, and the keys that move through them.
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import type { Item } from '../api.ts';
import { hasKeys } from '../keys.ts';
import { valueIn } from '../resources/index.ts';
import { text } from '../resources/shared.ts';
import type { Column, Resource } from '../resources/types.ts';
import { go } from '../route.ts';
import { copy } from './json.tsx';
import { Value } from './value.tsx';
import { stretchesOf, WHOLE, windowAt } from './window.ts';

export const keyOf = ({ key = 'id' }: Resource, row: Item): string => text(row, key);

const NUMBERS: ReadonlySet<Column['as']> = new Set(['money', 'quoted', 'sending', 'receiving', 'ms']);
export const isNumber = (as: Column['as']): boolean => NUMBERS.has(as);

/** A row has a page where there is more to see or to do than the row itself. */
function pathOf(resource: Resource, row: Item): string | undefined {
  const key = keyOf(resource, row);
  if (key === '' || (resource.get === undefined && resource.actions === undefined)) return undefined;
  const needed =
    resource.get === undefined && resource.needs !== undefined ? `?${resource.needs}=${encodeURIComponent(text(row, resource.needs))}` : '';
  return `/${resource.name}/${encodeURIComponent(key)}${needed}`;
}

// ---- places: the head is row 1 for assistive technology

const HEAD = 1;
const rowAt = (at: number): string => `tr[aria-rowindex="${at + HEAD + 1}"]`;

/** The place of the row that is, or holds, an element. */
function placeOf(element: Element | null): number | undefined {
  const index = element?.closest('tbody tr[aria-rowindex]')?.getAttribute('aria-rowindex');
  return index ? Number(index) - HEAD - 1 : undefined;
}

const focusIn = (body: Element | null): Element | null => (body?.contains(document.activeElement) ? document.activeElement : null);

/** Moves the focus into the first list of the page, to the first row that is seen. */
export function focusRows(): void {
  const rows = [...document.querySelectorAll<HTMLElement>('tbody tr[tabindex]')];
  const top = Math.max(0, rows[0]?.closest('.scroll')?.getBoundingClientRect().top ?? 0);
  (rows.find((row) => row.getBoundingClientRect().top >= top) ?? rows[0])?.focus();
}

// ---- rows

export type RowsProps = {
  readonly resource: Resource;
  readonly rows: readonly Item[];
  readonly columns: readonly Column[];
  readonly isCompact: boolean;
  /** The head of the table. */
  readonly children: ComponentChildren;
};

export function Rows({ resource, rows, columns, isCompact, children }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [seen, setSeen] = useState(() => windowAt(0, innerHeight));
  const [focused, setFocused] = useState<number | undefined>();
  /** A row that gets the focus once it is drawn. */
  const wanted = useRef<number | undefined>(undefined);
  const isLong = rows.length > WHOLE;

  useEffect(() => {
    if (!isLong) return;
    const look = () => {
      const [rows, box] = [body.current, body.current?.closest('.scroll')].map((one) => one?.getBoundingClientRect());
      if (!rows || !box) return;
      const height = body.current?.querySelector('tr[tabindex]')?.getBoundingClientRect().height || undefined;
      const next = windowAt(Math.max(0, box.top) - rows.top, Math.min(innerHeight, box.bottom) - rows.top, height);
      setSeen((now) => (now.first === next.first && now.count === next.count && now.height === next.height ? now : next));
    };
    look();
    // Either the list scrolls or, on a small screen, the page. Scrolling does not bubble.
    addEventListener('scroll', look, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  }, [isLong, isCompact]);

  const rowOf = (at: number) => body.current?.querySelector<HTMLElement>(rowAt(at));
  const had = placeOf(focusIn(body.current));
  useLayoutEffect(() => {
    if (wanted.current !== undefined) rowOf(wanted.current)?.focus();
    // A row that was moved by the drawing has lost it.
    else if (had !== undefined && !focusIn(body.current)) rowOf(had)?.focus({ preventScroll: true });
    wanted.current = undefined;
  });

  const moveTo = (to: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    const drawn = rowOf(at);
    if (drawn) return drawn.focus();
    wanted.current = at;
    setFocused(at);
  };
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event;
    const at = placeOf(target as Element);
    const isKey = (letter: string) => hasKeys.value && key === letter && !event.ctrlKey && !event.metaKey;
    if (at === undefined) return;
    const to =
      isKey('j') || key === 'ArrowDown'
        ? at + 1
        : isKey('k') || key === 'ArrowUp'
          ? at - 1
          : key === 'Home'
            ? 0
            : key === 'End'
              ? rows.length - 1
              : undefined;
    const row = rows[at] ?? {};
    if (to !== undefined) {
      event.preventDefault();
      moveTo(to);
    } else if (isKey('y')) {
      void copy(keyOf(resource, row));
    } else if (key === 'Enter' && target === rowOf(at)) {
      const path = pathOf(resource, row);
      if (path) go(path);
    }
  };

  const rowFor = (row: Item, at: number) => (
    <Row key={keyOf(resource, row) || at} columns={columns} row={row} at={at} path={pathOf(resource, row)} />
  );
  return (
    <table
      class={isCompact ? 'compact' : undefined}
      aria-rowcount={rows.length + HEAD}
      onKeyDown={onKey}
      onFocusIn={({ target }) => setFocused(placeOf(target as Element))}
      onFocusOut={() => wanted.current === undefined && setFocused(undefined)}
    >
      <thead>{children}</thead>
      <tbody ref={body}>
        {stretchesOf(rows.length, seen, focused).flatMap(({ from, to, isGap }) =>
          isGap ? (
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
            <tr key={`gap to ${to === rows.length ? 'end' : from === 0 ? 'start' : 'focus'}`} class="gap" aria-hidden="true">
              <td colSpan={columns.length} style={{ height: `${(to - from) * seen.height}px` }} />
            </tr>
          ) : (
            rows.slice(from, to).map((row, at) => rowFor(row, from + at))
          ),
        )}
      </tbody>
      {isLong && <Widest rows={rows} columns={columns} />}
    </table>
  );
}

/** A row that is not seen, with the longest value of each column: the columns are as wide as with all rows, whichever are drawn. */
function Widest({ rows, columns }: Pick<RowsProps, 'rows' | 'columns'>) {
  const longest = useMemo(() => columns.map(({ name }) => longestOf(rows, name)), [rows, columns.length]);
  return (
    <tfoot aria-hidden="true">
      <tr>
        {columns.map((column, at) => (
          <td key={column.label} class={isNumber(column.as) ? 'number' : ''}>
            <Value value={valueIn(longest[at] ?? {}, column.name)} as={column.as} object={longest[at] ?? {}} />
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

function longestOf(rows: readonly Item[], name: string): Item | undefined {
  let most = -1;
  let found: Item | undefined;
  for (const row of rows) {
    const value = valueIn(row, name);
    const { length } = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    if (length > most) [most, found] = [length, row];
  }
  return found;
}

type RowProps = { readonly columns: readonly Column[]; readonly row: Item; readonly at: number; readonly path: string | undefined };

/** Drawn again only when the row itself has changed, so that a message of the stream does not draw a list of thousands. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate({ row, at, columns }: RowProps): boolean {
    return row !== this.props.row || at !== this.props.at || columns.length !== this.props.columns.length;
  }
  override render() {
    return <Cells {...this.props} />;
  }
}

function Cells({ columns, row, at, path }: RowProps) {
  return (
    <tr tabIndex={0} aria-rowindex={at + HEAD + 1}>
      {columns.map(({ name, label, as }, column) => {
        const value = <Value value={valueIn(row, name) ?? (column === 0 ? '–' : undefined)} as={as} object={row} />;
        return (
          <td key={label} class={isNumber(as) ? 'number' : ''}>
            {column === 0 && path !== undefined ? (
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
