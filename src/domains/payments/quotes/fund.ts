// The payer of a realtime quote sends the money, and the quote runs by itself.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { applyOutgoing, countVolume } from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { dailyLimitOf, SERVICE_TERMS } from '../rates/actions.js';
import type { QuoteDeps } from './deps.js';
import { refuseFunding } from './execution-rules.js';
import type { QuoteId } from './quote.js';
import { lockQuote } from './store.js';

export type Funds = {
  readonly platformId: PlatformId;
  readonly id: QuoteId | undefined;
  readonly currency: string;
  /** Undefined for exactly what the quote asks for. */
  readonly amount: bigint | undefined;
  readonly now: Date;
};

const leavesTheService = ({ destination }: OutgoingPayment): boolean =>
  destination.type === 'UMA_ADDRESS' || !destination.accountId.startsWith('InternalAccount:');

/** Money that has arrived cannot be refused. It counts, and what is executed after it finds less room. */
async function countArrived({ rates }: QuoteDeps, tx: Tx, platformId: PlatformId, payment: OutgoingPayment, now: Date): Promise<void> {
  const limit = dailyLimitOf(SERVICE_TERMS, await rates.marketAt(tx, platformId, now), payment.sent.currency) ?? 0n;
  await countVolume(tx, platformId, { payment, limit, read: undefined, isForced: true, now });
}

/** Another amount than the quote asks for is money all the same: the payment fails, and what came is refunded. */
export async function fundQuote(deps: QuoteDeps, tx: Tx, { platformId, id, currency, amount, now }: Funds): Promise<OutgoingPayment> {
  const quote = await lockQuote(tx, platformId, id);
  refuseFunding(quote, currency, now);
  const { payment } = quote;
  const isExact = amount === undefined || amount === payment.sent.amount;
  const funded = await applyOutgoing(deps, tx, platformId, isExact ? payment : { ...payment, fundedAmount: amount }, {
    event: isExact ? 'FUNDS_ARRIVED' : 'FUNDS_MISMATCHED',
    now,
  });
  assert(funded, 'a realtime quote that waits takes money');
  if (isExact && leavesTheService(funded)) await countArrived(deps, tx, platformId, funded, now);
  return funded;
}
