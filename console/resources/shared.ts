// What several descriptions share.
import type { Item } from '../api.ts';
import type { Column, Related } from './types.ts';

export const text = (object: Item, name: string): string => String(object[name] ?? '');
export const idOf = (object: Item): string => text(object, 'id');
export const encoded = (object: Item, name = 'id'): string => encodeURIComponent(text(object, name));

export const is =
  (...statuses: readonly string[]) =>
  (object: Item): boolean =>
    statuses.includes(text(object, 'status'));

/** The lists of other resources that have this object as their filter. */
export const relatedBy = (filter: string, ...names: readonly string[]): readonly Related[] =>
  names.map((resource) => ({ resource, query: (object) => `${filter}=${encoded(object)}` }));

export const ID: Column = { name: 'id', label: 'Id', as: 'id' };
export const CREATED: Column = { name: 'createdAt', label: 'Created', as: 'time' };
export const STATUS: Column = { name: 'status', label: 'Status', as: 'badge' };
export const CUSTOMER: Column = { name: 'customerId', label: 'Customer', as: 'id' };
export const OF_CUSTOMER = { name: 'customerId', label: 'Customer' } as const;

/** To a page of the console, with an id as it stands. */
export const to =
  (name: string) =>
  (answer: Item): string =>
    `/${name}/${text(answer, 'id')}`;
