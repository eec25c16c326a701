// Which quotes can be executed or paid for. Pure.
import { ApiError, invalid, invalidField } from '../../../kernel/errors.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { asOf, statusOf } from '../payments/actions.js';
import type { Quote } from './quote.js';

/** Which quotes can be executed at this moment. A quote past its expiry is expired, whether or not the job has run. */
export function refuseExecution({ payment }: Quote, now: Date): void {
  const status = statusOf(asOf(payment, now));
  if (status === 'EXPIRED') throw new ApiError('QUOTE_EXPIRED');
  if (payment.state !== 'QUOTED') throw new ApiError('CONFLICT', { status }, { reason: 'The quote has been executed.' });
}

/** The payer pushes the money of a realtime quote, which then runs by itself. */
export function refuseRealtime({ funding }: Quote): void {
  if (funding === 'REALTIME') throw invalid({ field: 'quoteId', message: 'is paid by sending the money, not by executing it' });
}

/** Money is taken for a realtime quote that waits for it, in its currency. */
export function refuseFunding({ funding, payment }: Quote, currency: CurrencyCode, now: Date): void {
  if (funding !== 'REALTIME') throw invalid({ field: 'quoteId', message: 'is not paid by sending money' });
  if (asOf(payment, now).state === 'EXPIRED') throw new ApiError('QUOTE_EXPIRED');
  if (payment.state !== 'QUOTED') throw invalid({ field: 'quoteId', message: 'does not wait for money' });
  if (currency !== payment.sent.currency)
    throw invalidField('currencyCode', 'is not the sending currency of the quote', { enum: [payment.sent.currency] });
}
