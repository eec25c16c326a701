// How a search term is read. Pure.

/** An id as the API shows it, or its uuid alone. */
const ID = /^(?:([A-Z][A-Za-z]{1,40}):)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

export type Term =
  | { readonly kind: 'ID'; readonly type: string | undefined; readonly uuid: string }
  | { readonly kind: 'TEXT'; readonly text: string };

/** Ids are copied with blanks around them, and uuids sometimes in capitals. */
export function readTerm(given: string): Term | undefined {
  const text = given.trim().replaceAll(/\s+/g, ' ');
  if (text === '') return undefined;
  const [, type, uuid] = ID.exec(text.replace(/[0-9A-Fa-f-]{36}$/, (found) => found.toLowerCase())) ?? [];
  return uuid === undefined ? { kind: 'TEXT', text } : { kind: 'ID', type, uuid };
}
