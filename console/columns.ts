// Which columns a list shows, and how high its rows are. The choice is kept in the browser.
import { signal } from '@preact/signals';
import type { Column, Resource } from './resources/types.ts';

const KEY = 'columns';

function read(): Readonly<Record<string, readonly string[]>> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, readonly string[]>;
  } catch {
    return {};
  }
}

/** The labels of the columns that are left out, by list. */
const hidden = signal(read());

/** The first column names the row and always stays. */
export const columnsOf = ({ name, columns }: Resource): readonly Column[] =>
  columns.filter(({ label }, at) => at === 0 || !hidden.value[name]?.includes(label));

export const isShown = ({ name }: Resource, { label }: Column): boolean => !hidden.value[name]?.includes(label);

export function showColumn({ name }: Resource, { label }: Column, isOn: boolean): void {
  const others = (hidden.value[name] ?? []).filter((one) => one !== label);
  hidden.value = { ...hidden.value, [name]: isOn ? others : [...others, label] };
  localStorage.setItem(KEY, JSON.stringify(hidden.value));
}

const COMPACT = 'compact';

/** Rows of less height, in every list. */
export const isCompact = signal(localStorage.getItem(COMPACT) !== null);

export function setCompact(isOn: boolean): void {
  isCompact.value = isOn;
  if (isOn) localStorage.setItem(COMPACT, 'on');
  else localStorage.removeItem(COMPACT);
}
