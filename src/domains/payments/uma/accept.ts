// Takes notices of other providers: that an invoice of ours is paid, and what became of a payment of ours.
import type { Tx } from '../../../db/pool.js';
import { parseId } from '../../../kernel/ids.js';
import { domainOf } from '../../../providers/uma/messages.js';
import { isSettlementSigned, type Notice, readNotice } from '../../../providers/uma/notices.js';
import { UmaFault, type UmaReply } from '../../../providers/uma/uma.js';
import { findPayment, insertMessages, statusOf } from '../payments/actions.js';
import { type Answering, replying, requireGenuine } from './answer.js';
import { announcePaid } from './receive.js';
import { findPayout, lockInvoice } from './store.js';

const TAKEN = JSON.stringify({ status: 'OK' });

async function requireNotice(tx: Tx, { platform, own, sender }: Answering, text: string): Promise<Notice> {
  const notice = await readNotice(text);
  await requireGenuine(tx, platform.id, sender, notice.domain, notice.signed);
  if (!isSettlementSigned(notice, own.domain, sender.keys)) throw new UmaFault('INVALID_SIGNATURE', 'The settlement is not signed.');
  return notice;
}

const unknown = (): UmaFault => new UmaFault('INVALID_REQUEST', 'No such payment was agreed.');

/** The sender's provider has paid an invoice. A notice that comes again is taken again and changes nothing. */
export const acceptPaid = (tx: Tx, answering: Answering, invoiceUuid: string, text: string): Promise<UmaReply> =>
  replying(async () => {
    const { settlement, domain } = await requireNotice(tx, answering, text);
    const { platform, now } = answering;
    const id = parseId('Invoice', `Invoice:${invoiceUuid}`);
    const invoice = id && (await lockInvoice(tx, platform.id, id));
    const isAgreed =
      invoice &&
      settlement.outcome === 'PAID' &&
      settlement.invoice === invoiceUuid &&
      domain === domainOf(invoice.sender) &&
      settlement.amount === invoice.amount.toString() &&
      settlement.currency === invoice.currency;
    if (!isAgreed) throw unknown();
    if (invoice.paymentId !== null) return TAKEN;
    if (invoice.expiresAt <= now) throw new UmaFault('INVALID_REQUEST', 'The invoice has expired.');
    const payment = await announcePaid(tx, {
      platform,
      invoice,
      // What the sender paid in another currency is the sender's affair.
      sent: { amount: invoice.amount, currency: invoice.currency },
      exchangeRate: '1',
      counterpartId: null,
      now,
    });
    if (!payment) throw new UmaFault('INVALID_REQUEST', 'The receiver can no longer be paid.');
    return TAKEN;
  });

/** The receiver's provider says what became of a payment. The first outcome counts. */
export const acceptOutcome = (tx: Tx, answering: Answering, paymentUuid: string, text: string): Promise<UmaReply> =>
  replying(async () => {
    const { settlement, domain } = await requireNotice(tx, answering, text);
    const { platform, now } = answering;
    const paymentId = parseId('Transaction', `Transaction:${paymentUuid}`);
    const payout = paymentId && (await findPayout(tx, platform.id, paymentId));
    const isAgreed =
      payout &&
      settlement.outcome !== 'PAID' &&
      settlement.invoice === payout.invoice &&
      domain === domainOf(payout.receiver) &&
      settlement.amount === payout.amount.toString() &&
      settlement.currency === payout.currency;
    const payment = paymentId && (await findPayment(tx, platform.id, paymentId));
    // Nothing becomes of a payment that was not made yet.
    if (!isAgreed || !payment || statusOf(payment) === 'PENDING' || statusOf(payment) === 'PENDING_AUTHORIZATION') throw unknown();
    const message =
      settlement.outcome === 'SETTLED'
        ? { id: 'SETTLED', kind: 'SETTLED' as const, afterMs: 0 }
        : { id: 'FAILED', kind: 'FAILED' as const, reason: 'ACCOUNT_CANNOT_RECEIVE', afterMs: 0 };
    insertMessages(tx, platform.id, payment.id, [message], now);
    return TAKEN;
  });
