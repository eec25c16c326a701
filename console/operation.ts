// The operations of the API document: where they are, who may call them, and what they take.
import operations, { type Entry } from 'switchyard:operations';
import { type Item, may, session } from './api.ts';
import { text } from './resources/shared.ts';
import type { Action } from './resources/types.ts';

export const entryOf = (id: string): Entry | undefined => operations[id];
export const OPERATION_IDS: readonly string[] = Object.keys(operations);

export const isOfSandbox = ({ path }: Entry): boolean => path.startsWith('/sandbox/');

export function isOffered({ operation, when }: Action, object: Item): boolean {
  const entry = entryOf(operation);
  return (
    entry !== undefined && may(entry.permission) && (session.value?.isSandbox === true || !isOfSandbox(entry)) && (when?.(object) ?? true)
  );
}

/** The names of the parameters of a path. */
export const parametersOf = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

export function fillPath(path: string, values: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values[at++] ?? ''));
}

/** The last parameter is the object itself; those before it are members of it. */
export const idsOf = ({ path }: Entry, object: Item, key: string): readonly string[] =>
  parametersOf(path).map((name, at, all) => text(object, at === all.length - 1 ? key : name));

const sorted = new Set(Object.values(operations).flatMap(({ method, path, isSorted: is }) => (method === 'GET' && is ? [path] : [])));

/** Lists that also come oldest first. */
export const isSorted = (list: string | undefined): boolean => list !== undefined && sorted.has(list);

const paged = new Set(Object.values(operations).flatMap(({ method, path, isPaged: is }) => (method === 'GET' && is ? [path] : [])));

/** Short lists come whole and take no limit. A list below an object has pages. */
export const isPaged = (list: string | undefined): boolean => list === undefined || paged.has(list);
