// Paged lists: each record appears once and in order, also during inserts. A cursor is valid only for its own list, filter and platform.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { assertInvalid, type Client, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  for (let i = 0; i < 7; i += 1) await given(platform).customer({ region: i % 2 === 0 ? 'GB' : 'US' });
});
after(() => service.stop());

const LISTS = ['/customers', '/customers/internal-accounts'] as const;
const page = (path: string, query: string) => expectStatus(200, platform.get(`${path}?${query}`));

/** Reads all pages of a list and calls `between` after each page but the last. */
async function readAll(path: string, limit: number, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, hasMore, nextCursor } = await page(path, `limit=${limit}${cursor}`);
    ids.push(...data.map(({ id }: { id: string }) => id));
    assert.equal(nextCursor !== undefined, hasMore, 'nextCursor is present exactly if there are more records');
    assert.ok(hasMore ? data.length === limit : data.length <= limit);
    if (!hasMore) return ids;
    await between();
    cursor = `&cursor=${nextCursor}`;
  }
}

for (const path of LISTS) {
  describe(path, () => {
    test('with concurrent inserts, every existing record appears once and in order, and no record appears twice', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(2), { maxLength: 5 }), async (limit, inserts) => {
          const before = await readAll(path, 100, async () => {});
          const pending = [...inserts];
          const inserting: Promise<unknown>[] = [];
          const seen = await readAll(path, limit, async () => {
            // Not awaited: some inserts commit before the next page is read, some after.
            for (let i = pending.shift() ?? 0; i > 0; i -= 1) inserting.push(given(platform).customer({ region: 'GB' }));
          });
          await Promise.all(inserting);
          assert.equal(new Set(seen).size, seen.length, 'no record appears twice');
          const known = new Set(before);
          assert.deepEqual(
            seen.filter((id) => known.has(id)),
            before,
          );
        }),
        { numRuns: 15 },
      );
    });

    test('totalCount counts all matches on every page', async () => {
      const all = await readAll(path, 100, async () => {});
      const first = await page(path, 'limit=2');
      const second = await page(path, `limit=2&cursor=${first.nextCursor}`);
      assert.deepEqual([first.totalCount, second.totalCount], [all.length, all.length]);
    });

    test('the limit may change from page to page', async () => {
      const all = await readAll(path, 100, async () => {});
      const first = await page(path, 'limit=2');
      const second = await page(path, `limit=3&cursor=${first.nextCursor}`);
      assert.deepEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        all.slice(0, 5),
      );
    });

    test('400: any text that is not a cursor of the service', async () => {
      const { nextCursor } = await page(path, 'limit=1');
      const changed = fc
        .record({ at: fc.nat(nextCursor.length - 1), to: fc.constantFrom(...'ABCabc012_-') })
        .map(({ at, to }) => nextCursor.slice(0, at) + to + nextCursor.slice(at + 1));
      const cursor = fc
        .oneof(changed, fc.base64String({ maxLength: 120 }), fc.string({ maxLength: 60 }))
        .filter((text) => text !== nextCursor);
      await fc.assert(
        fc.asyncProperty(cursor, async (text) => {
          assertInvalid(await platform.get(`${path}?limit=1&cursor=${encodeURIComponent(text)}`), 'cursor');
        }),
        { numRuns: 100 },
      );
    });

    test('400: a cursor of another filter, another list or another platform', async () => {
      const { nextCursor } = await page(path, 'limit=1&currency=USD');
      assertInvalid(await platform.get(`${path}?limit=1&cursor=${nextCursor}`), 'cursor');
      assertInvalid(await platform.get(`${path}?limit=1&currency=USDB&cursor=${nextCursor}`), 'cursor');
      const other = LISTS.find((one) => one !== path) as string;
      assertInvalid(await platform.get(`${other}?limit=1&currency=USD&cursor=${nextCursor}`), 'cursor');
      assertInvalid(await (await service.newPlatform()).get(`${path}?limit=1&currency=USD&cursor=${nextCursor}`), 'cursor');
      await page(path, `limit=1&currency=USD&cursor=${nextCursor}`);
    });
  });
}
