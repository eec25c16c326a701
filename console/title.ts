// The title of the browser's tab, of its history and of its bookmarks: what the page shows.
import { wordsOf } from './form-model.ts';
import { groupsOf, linksOf, resourceOf } from './resources/index.ts';

const PRODUCT = 'Switchyard';

export function setTitle(what: string): void {
  document.title = `${what} · ${PRODUCT}`;
}

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['home', 'Home'],
  ['keys-help', 'Keyboard'],
]);

/** As far as the address says it: a list by its name, an object by its kind and the end of its id. */
export function titleAt(path: string): string {
  const [, name = '', ...rest] = path.split('/');
  const id = rest.join('/');
  const resource = resourceOf(name);
  if (resource && id !== '') return `${wordsOf(resource.one)} …${id.slice(-6)}`;
  const page = groupsOf(true)
    .flatMap(linksOf)
    .find((link) => link.path === `/${name}`);
  return id !== '' ? id : (OTHERS.get(name) ?? page?.title ?? resource?.title ?? 'No such page');
}
