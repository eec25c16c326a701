// Providers that go wrong on purpose, as a request and as a job meets them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../src/kernel/ids.js';
import { type CardIssuer, type CardOrder, IssuerSilent } from '../../../src/providers/card-issuer.js';
import { sandboxKyc } from '../../../src/providers/kyc-sandbox.js';
import {
  faultyCardIssuer,
  faultyKyc,
  faultyStablecoinIssuer,
  type ProviderFault,
  withProviderFaults,
} from '../../../src/providers/sandbox-faults.js';
import type { IssuerAccount, StablecoinIssuer } from '../../../src/providers/stablecoin-issuer.js';

const MINUTE_MS = 60_000;
const ordered = new Date('2031-05-01T12:00:00Z');
const after = (ms: number) => new Date(ordered.getTime() + ms);
const slow = (delayMs: number): ProviderFault => ({ kind: 'SLOW', delayMs });
const inJob = <Result>(fault: ProviderFault, work: () => Result) => withProviderFaults(async () => fault, true, work);

describe('a slow provider does not hold up a job: it is slow by the platform’s clock', () => {
  const order: CardOrder = {
    card: { id: newId('Card'), program: 'service_full', version: 1 },
    brand: 'VISA',
    needsPassword: false,
    repeated: true,
    orderedAt: ordered,
  };

  test('a repeated order of a card is answered once the time has passed', async () => {
    const issuer = faultyCardIssuer({ order: async () => ({ kind: 'REJECTED' }) } as unknown as CardIssuer);
    const ask = (now: Date) => inJob(slow(MINUTE_MS), () => issuer.order(order, now));
    await assert.rejects(ask(after(MINUTE_MS - 1)), IssuerSilent);
    assert.deepEqual(await ask(after(MINUTE_MS)), { kind: 'REJECTED' });
  });

  test('orders and tokens of a stablecoin are as far as they were a while ago', async () => {
    const asked: Date[] = [];
    const issuer = faultyStablecoinIssuer({
      follow: async (_account: IssuerAccount, _id: string, now: Date) => {
        asked.push(now);
        return { stage: 'QUEUED' };
      },
      followToken: async (_account: IssuerAccount, _token: unknown, { now }: { now: Date }) => {
        asked.push(now);
        return { issuanceStatus: 'PROVISIONING' };
      },
      cancel: async () => {},
    } as unknown as StablecoinIssuer);
    await inJob(slow(MINUTE_MS), () => issuer.follow({} as never, 'x', after(5 * MINUTE_MS)));
    await inJob(slow(MINUTE_MS), () => issuer.followToken({} as never, {} as never, { since: ordered, now: after(5 * MINUTE_MS) }));
    assert.deepEqual(asked, [after(4 * MINUTE_MS), after(4 * MINUTE_MS)]);
    // In real time this would be the end of the test.
    await inJob(slow(24 * 60 * MINUTE_MS), () => issuer.cancel({} as never, 'x'));
  });
});

test('without faults a customer is screened at once', () => {
  assert.equal(faultyKyc(sandboxKyc).screen({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }), 'APPROVED');
});
