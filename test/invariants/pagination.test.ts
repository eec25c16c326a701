// Every list that is paged: each record once and in order, whatever is inserted meanwhile; a cursor is good for its own question only.
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

/** Reads a list to its end, with `between` happening after each page. */
async function readAll(path: string, limit: number, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, hasMore, nextCursor } = await page(path, `limit=${limit}${cursor}`);
    ids.push(...data.map(({ id }: { id: string }) => id));
    assert.equal(nextCursor !== undefined, hasMore, 'nextCursor is there exactly when there is more');
    assert.ok(hasMore ? data.length === limit : data.length <= limit);
    if (!hasMore) return ids;
    await between();
    cursor = `&cursor=${nextCursor}`;
  }
}

for (const path of LISTS) {
  describe(path, () => {
    test('stable under concurrent inserts: what was there is seen once, in order, and nothing twice', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(2), { maxLength: 5 }), async (limit, inserts) => {
          const before = await readAll(path, 100, async () => {});
          const pending = [...inserts];
          const inserting: Promise<unknown>[] = [];
          const seen = await readAll(path, limit, async () => {
            // Not waited for: some commit before the next page is read, some after.
            for (let i = pending.shift() ?? 0; i > 0; i -= 1) inserting.push(given(platform).customer({ region: 'GB' }));
          });
          await Promise.all(inserting);
          assert.equal(new Set(seen).size, seen.length, 'nothing is seen twice');
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

    test('400: any text that is not exactly a cursor of ours', async () => {
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

    test('400: a cursor of another filter, another list, another platform', async () => {
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
