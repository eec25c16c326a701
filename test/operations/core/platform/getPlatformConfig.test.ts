import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

describe('200', () => {
  test('a new platform uses USD and USDB', async () => {
    const { status, body } = await service.platform.get('/config');
    assert.equal(status, 200);
    assert.match(body.id, /^Platform:/);
    assert.deepEqual(
      body.supportedCurrencies.map((currency: { currencyCode: string }) => currency.currencyCode),
      ['USD', 'USDB'],
    );
  });
});

describe('401 UNAUTHORIZED', () => {
  test('"issue with API credentials": unknown id and wrong secret answer byte for byte alike', async () => {
    const wrongSecret = await service.as(service.platform.tokenId, 'x'.repeat(24)).get('/config');
    const unknownId = await service.as('nobody', service.platform.secret).get('/config');
    assertRefused(wrongSecret, 401, 'UNAUTHORIZED');
    assert.equal(unknownId.text, wrongSecret.text);
    assert.equal(unknownId.status, 401);
    assert.deepEqual(wrongSecret.body.details, { cause: 'INVALID_CREDENTIALS' });
  });

  test('no header', async () => {
    const response = await fetch(`${service.baseUrl}/config`);
    const body = (await response.json()) as { code: string; details: unknown };
    assert.deepEqual([response.status, body.code, body.details], [401, 'UNAUTHORIZED', { cause: 'AUTHORIZATION_MISSING' }]);
  });

  for (const [authorization, cause] of [
    ['', 'AUTHORIZATION_MALFORMED'],
    ['Basic', 'AUTHORIZATION_MALFORMED'],
    ['Basic !!!', 'AUTHORIZATION_MALFORMED'],
    ['Basic a b', 'AUTHORIZATION_MALFORMED'],
    ['Bearer abc', 'AUTHORIZATION_SCHEME_UNSUPPORTED'],
    ['constructor abc', 'AUTHORIZATION_SCHEME_UNSUPPORTED'],
    ['Basic Og==', 'AUTHORIZATION_MALFORMED'],
    [`Basic ${Buffer.from('only-an-id').toString('base64')}`, 'AUTHORIZATION_MALFORMED'],
    [`Basic ${Buffer.from('an-id:').toString('base64')}`, 'INVALID_CREDENTIALS'],
  ] as const) {
    test(`a header of "${authorization}": ${cause}`, async () => {
      const answer = await service.platform.get('/config', { headers: { authorization } });
      assertRefused(answer, 401, 'UNAUTHORIZED');
      assert.deepEqual(answer.body.details, { cause });
    });
  }
});
