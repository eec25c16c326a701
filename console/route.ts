// Where the browser is: the path below /console, and the query, which holds the filter of a list.
import { signal } from '@preact/signals';
import { BASE, hrefOf } from './address.ts';

export type Place = { readonly path: string; readonly query: URLSearchParams };

const read = (): Place => ({
  path: location.pathname.slice(BASE.length).replace(/\/$/, '') || '/home',
  query: new URLSearchParams(location.search),
});

export const place = signal<Place>(read());

export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', hrefOf(path));
  else history.pushState(null, '', hrefOf(path));
  place.value = read();
  if (!replace) scrollTo(0, 0);
}

/** Changes the query and stays on the page. */
export function setQuery(name: string, value: string): void {
  const query = new URLSearchParams(place.value.query);
  if (value === '') query.delete(name);
  else query.set(name, value);
  const text = query.toString();
  go(place.value.path + (text === '' ? '' : `?${text}`), { replace: true });
}

addEventListener('popstate', () => {
  place.value = read();
});

/** Links inside the console change the page without loading it again. */
addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('a');
  if (link?.target !== '' || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  const { pathname, search, origin } = new URL(link.href);
  if (origin !== location.origin || !pathname.startsWith(`${BASE}/`)) return;
  event.preventDefault();
  go(pathname.slice(BASE.length) + search);
});
