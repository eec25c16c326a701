import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const list = async (query = '', platform = service.platform) => expectStatus(200, platform.get(`/customers${query}`));
const idsOf = ({ data }: { data: { platformCustomerId: string }[] }) => data.map(({ platformCustomerId }) => platformCustomerId).sort();

describe('filters', () => {
  let platform: TestService['platform'];
  before(async () => {
    platform = await service.newPlatform();
    const { customer } = given(platform);
    await platform.clock.freeze('2026-01-10T00:00:00Z');
    await customer({ platformCustomerId: 'a', region: 'GB', currencies: ['USD'] });
    await platform.clock.set('2026-01-11T00:00:00Z');
    await customer({ platformCustomerId: 'b', region: 'US', umaAddress: '$bea@uma.example.com' });
    await platform.clock.set('2026-01-12T00:00:00Z');
    const business = await expectStatus(
      201,
      platform.post('/customers', {
        customerType: 'BUSINESS',
        platformCustomerId: 'c',
        region: 'US',
        businessInfo: { legalName: 'C Ltd', country: 'GB' },
      }),
    );
    const { id } = await customer({ platformCustomerId: 'd', region: 'US' });
    await platform.clock.set('2026-01-13T00:00:00Z');
    await expectStatus(200, platform.delete(`/customers/${id}`));
    await expectStatus(200, platform.patch(`/customers/${business.id}`, { customerType: 'BUSINESS', email: 'c@example.com' }));
  });

  const cases: [string, string[]][] = [
    ['', ['a', 'b', 'c']],
    ['?isIncludingDeleted=false', ['a', 'b', 'c']],
    ['?isIncludingDeleted=true', ['a', 'b', 'c', 'd']],
    ['?platformCustomerId=b', ['b']],
    ['?platformCustomerId=d', []],
    ['?platformCustomerId=d&isIncludingDeleted=true', ['d']],
    ['?customerType=INDIVIDUAL', ['a', 'b']],
    ['?customerType=BUSINESS', ['c']],
    ['?region=US', ['b', 'c']],
    ['?currency=USD', ['a', 'b', 'c']],
    ['?currency=USDB', ['b', 'c']],
    ['?umaAddress=$BEA@uma.example.com', ['b']],
    ['?createdAfter=2026-01-11T00:00:00Z', ['b', 'c']],
    ['?createdAfter=2026-01-11T00:00:00.001Z', ['c']],
    ['?createdBefore=2026-01-11T00:00:00Z', ['a', 'b']],
    ['?createdBefore=2026-01-10T23:59:59.999Z', ['a']],
    ['?updatedAfter=2026-01-13T00:00:00Z', ['c']],
    ['?updatedBefore=2026-01-12T00:00:00Z', ['a', 'b']],
    ['?createdAfter=2026-01-11T01:00:00%2B01:00&createdBefore=2026-01-11T00:00:00Z', ['b']],
    ['?region=US&customerType=BUSINESS', ['c']],
    ['?region=FR', []],
  ];
  for (const [query, expected] of cases) {
    test(`${query || 'none'} gives ${expected.join(', ') || 'nothing'}`, async () => {
      const page = await list(query, platform);
      assert.deepEqual(idsOf(page), expected);
      assert.equal(page.totalCount, expected.length);
      assert.equal(page.hasMore, false);
      assert.equal('nextCursor' in page, false);
    });
  }

  test('a deleted customer says so', async () => {
    const { data } = await list('?isIncludingDeleted=true&platformCustomerId=d', platform);
    assert.equal(data[0].isDeleted, true);
  });
});

test('pages: newest first, each customer once, the last page says so', async () => {
  const platform = await service.newPlatform();
  const made: string[] = [];
  for (let i = 0; i < 5; i += 1) made.push((await given(platform).customer()).id);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await list(`?limit=2${cursor}`, platform);
    assert.equal(page.totalCount, 5);
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.hasMore) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(seen, made.reverse());
});

test('a cursor belongs to a question, however its words are ordered', async () => {
  const platform = await service.newPlatform();
  for (let i = 0; i < 2; i += 1) await given(platform).customer();
  const { nextCursor } = await list('?customerType=INDIVIDUAL&currency=USD&limit=1', platform);
  const rest = await list(`?cursor=${nextCursor}&limit=1&currency=USD&customerType=INDIVIDUAL`, platform);
  assert.equal(rest.data.length, 1);
});

test('customers of other platforms are not among them', async () => {
  await given(await service.newPlatform()).customer({ platformCustomerId: 'theirs' });
  assert.deepEqual(idsOf(await list('?platformCustomerId=theirs')), []);
});

describe('400', () => {
  const bad: [string, string][] = [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=many', 'limit'],
    ['customerType=ROBOT', 'customerType'],
    ['createdAfter=2026-02-30', 'createdAfter'],
    ['updatedBefore=2026-02-30T00:00:00Z', 'updatedBefore'],
    ['createdAfter=2026-01-11T00:00:00+01:00', 'createdAfter'],
    ['isIncludingDeleted=perhaps', 'isIncludingDeleted'],
    ['cursor=nonsense', 'cursor'],
    ['name=Ada', 'name'],
  ];
  for (const [query, field] of bad) {
    test(query, async () => assertInvalid(await service.platform.get(`/customers?${query}`), field));
  }
});
