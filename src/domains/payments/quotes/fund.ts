// The payer of a realtime quote sends the money, and the quote runs by itself.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { applyOutgoing } from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
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
  return funded;
}
