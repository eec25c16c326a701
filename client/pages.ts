// Lists, page by page.
import type { Pages } from './calls.js';

type Page = { readonly data?: readonly unknown[]; readonly hasMore?: boolean; readonly nextCursor?: string };

/** `fetchPage` is called once per page, and not before a page is asked for. */
export function pagesOf(fetchPage: (cursor: string | undefined) => Promise<Page>): Pages<Page> {
  async function* pages(): AsyncGenerator<Page> {
    let cursor: string | undefined;
    do {
      const page = await fetchPage(cursor);
      yield page;
      cursor = page.hasMore ? page.nextCursor : undefined;
    } while (cursor !== undefined);
  }
  async function* items(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* page.data ?? [];
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page and iterated for all of them.
    then: (done, failed) => fetchPage(undefined).then(done, failed),
    catch: (failed) => fetchPage(undefined).catch(failed),
    finally: (ended) => fetchPage(undefined).finally(ended),
    [Symbol.toStringTag]: 'Pages',
    [Symbol.asyncIterator]: items,
    pages,
    async all(limit = Number.POSITIVE_INFINITY) {
      const found: unknown[] = [];
      if (limit <= 0) return found;
      for await (const item of items()) {
        found.push(item);
        if (found.length >= limit) break;
      }
      return found;
    },
  };
}
