// What a page is made of: lists with their columns, objects with what belongs to them, and actions, which are operations of the API.
import type { Item, Json } from '../api.ts';

export type Look =
  | 'id'
  | 'money'
  | 'badge'
  | 'time'
  | 'ms'
  | 'mono'
  | 'link'
  | 'countdown'
  | 'last-use'
  | 'quoted'
  | 'sending'
  | 'receiving';

export type Column = { readonly name: string; readonly label: string; readonly as?: Look };

export type Action = {
  /** The operation. Method, path, permission and form are those of the API document. */
  readonly operation: string;
  readonly label: string;
  /** The parameters of the path, in order. Absent: the id of the object, and before it members of the object with the parameter's name. */
  readonly ids?: (object: Item) => readonly string[];
  readonly query?: (object: Item) => Readonly<Record<string, string>>;
  /** Members of the body that nobody is asked for. */
  readonly fixed?: (object: Item) => { readonly [name: string]: Json };
  /** The members that are asked for. Absent: all that the operation takes. */
  readonly ask?: readonly string[];
  /** Members that stand open although they may be left out. */
  readonly first?: readonly string[];
  /** What the form holds when it opens, by the path of the member. */
  readonly values?: (object: Item) => Readonly<Record<string, string>>;
  readonly when?: (object: Item) => boolean;
  /** The states that it leads to. Absent: the status that it sets. */
  readonly leads?: readonly string[];
  readonly isDanger?: boolean;
  /** The text that must be typed before a danger is done. */
  readonly confirm?: (object: Item) => string;
  /** Where the page goes with what was answered. */
  readonly next?: (answer: Item) => string;
  /** The member of the answer that is shown; `*` is the whole answer. */
  readonly shows?: string;
  /** What is shown is a secret: it is hidden after half a minute. */
  readonly isSecret?: boolean;
};

export type Filter = { readonly name: string; readonly label: string; readonly choices?: readonly string[] };

export type Related = {
  readonly resource: string;
  readonly query: (object: Item) => string;
  readonly when?: (object: Item) => boolean;
  /** The list below the object, where the resource has none of its own. */
  readonly list?: (object: Item) => string;
  /** Absent: that of the resource. */
  readonly title?: string;
  /** The rows that are shown, where the API has no filter for it. */
  readonly only?: (row: Item, object: Item) => boolean;
};

export const GROUPS = ['Money', 'Payments', 'Cards', 'Identity', 'Agents', 'Stablecoins', 'Developers', 'Sandbox'] as const;
export type Group = (typeof GROUPS)[number];

export type Resource = {
  /** The segment of the console's path. */
  readonly name: string;
  readonly title: string;
  readonly one: string;
  readonly group: Group;
  /** The path of its list. Absent: its objects are opened by their id, or from the objects they belong to. */
  readonly list?: string;
  /** A filter without which the API lists nothing. */
  readonly needs?: string;
  /** The member of the answer that holds the rows. */
  readonly rows?: string;
  readonly columns: readonly Column[];
  readonly filters?: readonly Filter[];
  /** The prefix of its ids; absent: its ids are bare. */
  readonly kind?: string;
  /** The member that names the object. */
  readonly key?: string;
  /** The operation that reads one. Absent: the row is all there is. */
  readonly get?: string;
  readonly titleOf?: (object: Item) => string;
  readonly related?: readonly Related[];
  readonly create?: Action;
  readonly actions?: readonly Action[];
  readonly empty: string;
  /** What makes the first row. */
  readonly begin?: Action;
  /** What the stream of the tab calls its rows, where they arrive while the list is read. */
  readonly stream?: 'event' | 'request';
  /** Members of the object page that are shown as JSON text. */
  readonly texts?: readonly string[];
  /** Members that the page shows in a way of its own. */
  readonly hides?: readonly string[];
  /** The name of the schema whose transitions the page draws. */
  readonly machine?: (object: Item) => string | undefined;
  readonly hasTimeline?: boolean;
  /** Its `code` is an error code, which the page explains. */
  readonly hasErrors?: boolean;
  /** Not in the rail: its lists stand on other pages. */
  readonly isInner?: boolean;
};
