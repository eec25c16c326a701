// Keyset pages. A cursor holds the key of the last row and is bound to the request it was issued for.
import { createHash } from 'node:crypto';
import { ApiError } from './errors.js';
import { canonicalJson } from './json.js';

export type PageRequest<Key> = { readonly limit: number; readonly after?: Key | undefined };
export type Page<Item> = {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
  /** Undefined if there are more matches than a list counts. */
  readonly totalCount: number | undefined;
};

const bound = (scope: unknown): string => createHash('sha256').update(canonicalJson(scope)).digest('base64url').slice(0, 16);

/** `scope` is whatever must stay the same from page to page: operation, platform, filters. */
export function encodeCursor(key: readonly string[], scope: unknown): string {
  return Buffer.from(JSON.stringify([...key, bound([scope, key])])).toString('base64url');
}

/** The key inside a cursor of ours; anything else is a 400. `shape` checks each part of the key. */
export function decodeCursor(cursor: string, scope: unknown, shape: readonly RegExp[]): string[] {
  const refuse = () => new ApiError('INVALID_INPUT', { errors: [{ field: 'cursor', message: 'is not a cursor given for this request' }] });
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refuse();
  }
  if (!isTexts(parts) || parts.length !== shape.length + 1) throw refuse();
  const key = parts.slice(0, -1);
  // Compared as a whole: another spelling of the same bytes is not a cursor we gave.
  if (!shape.every((pattern, i) => pattern.test(key[i] ?? '')) || encodeCursor(key, scope) !== cursor) throw refuse();
  return key;
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((part) => typeof part === 'string');

export const UUID_KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A time as a cursor writes it: a time before the year 0 or after 9999 is none. */
export const TIME_KEY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
export const NUMBER_KEY = /^\d{1,18}$/;

/** Expects rows fetched with `limit + 1`: the extra row shows that there is a next page. */
export function pageOf<Item>(
  rows: readonly Item[],
  limit: number,
  totalCount: number | undefined,
  keyOf: (item: Item) => readonly string[],
  scope: unknown,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, totalCount, nextCursor: encodeCursor(keyOf(last), scope) } : { items, totalCount };
}

/** `data`, `hasMore`, `nextCursor` and `totalCount` as every list of the API answers them. What is not known is left out. */
export const renderPage = <Item, Wire>(page: Page<Item>, render: (item: Item) => Wire) => ({
  data: page.items.map(render),
  hasMore: page.nextCursor !== undefined,
  ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  ...(page.totalCount === undefined ? {} : { totalCount: page.totalCount }),
});
