// Payments that arrive from other providers. A paid invoice is announced to the platform, which decides whether it takes the payment.
import type { Tx } from '../../../db/pool.js';
import { findDefaultDepositAccount } from '../../accounts/external-accounts/actions.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { findCustomer, lockCustomerForShare } from '../../identity/customers/actions.js';
import { announceIncoming, insertMessages } from '../payments/actions.js';
import type { UmaSender } from '../payments/hooks.js';
import type { AccountId, Amount, IncomingPayment } from '../payments/payment.js';
import { asksFor, receivableIn } from './rules.js';
import { findInvoiceOf, insertNotice, saveInvoicePaid } from './store.js';
import type { Invoice, UmaPeers } from './uma.js';

/** Where the money goes: the external account that the customer has chosen for UMA, if it is in the currency, else the customer's own account. */
async function accountFor(tx: Tx, platform: Platform, { customerId, currency }: Invoice): Promise<AccountId | undefined> {
  const chosen = await findDefaultDepositAccount(tx, platform.id, customerId);
  if (chosen?.currency === currency && chosen.status === 'ACTIVE') return chosen.id;
  return receivableIn(platform, await findOwnAccounts(tx, platform.id, customerId), currency)?.account.id;
}

export type Paid = {
  readonly platform: Platform;
  /** Locked. */
  readonly invoice: Invoice;
  readonly sent: Amount;
  /** Sending units per receiving unit, as shown. */
  readonly exchangeRate: string;
  /** The sender's payment, where the sender is a customer of the same platform. */
  readonly counterpartId: IncomingPayment['counterpartId'];
  readonly refusedFor?: 'COMPLIANCE_REJECTED';
  readonly now: Date;
};

/** Undefined when the receiver can no longer be paid. */
export async function announcePaid(tx: Tx, paid: Paid): Promise<IncomingPayment | undefined> {
  const { platform, invoice, sent, exchangeRate, counterpartId, refusedFor, now } = paid;
  const isLive = await lockCustomerForShare(tx, platform.id, invoice.customerId);
  const customer = isLive && (await findCustomer(tx, platform.id, invoice.customerId));
  const creditTo = customer && (await accountFor(tx, platform, invoice));
  if (!creditTo) return undefined;
  const payment = announceIncoming(tx, {
    platformId: platform.id,
    customer: { id: customer.id, platformCustomerId: customer.platformCustomerId },
    sender: invoice.sender,
    receiver: invoice.receiver,
    sent,
    received: { amount: invoice.amount, currency: invoice.currency },
    exchangeRate,
    creditTo,
    counterpartyInformation: asksFor(platform, invoice),
    requestedFields: invoice.requestedFields,
    counterpartId,
    ...(refusedFor && { refusedFor }),
    now,
  });
  saveInvoicePaid(tx, platform.id, invoice.id, payment.id);
  return payment;
}

// ---- the platform's decision

/** Tells the sender's side what became of the payment: in the same transaction for a sender of this platform, by a notice for others. */
async function report(
  tx: Tx,
  { platformId, payment, now }: Parameters<UmaSender['refused']>[1],
  outcome: 'SETTLED' | 'REFUSED',
): Promise<void> {
  if (payment.counterpartId !== null) {
    const message =
      outcome === 'SETTLED'
        ? { id: 'SETTLED', kind: 'SETTLED' as const, afterMs: 0 }
        : { id: 'FAILED', kind: 'FAILED' as const, reason: 'ACCOUNT_CANNOT_RECEIVE', afterMs: 0 };
    insertMessages(tx, platformId, payment.counterpartId, [message], now);
    return;
  }
  const invoice = await findInvoiceOf(tx, platformId, payment.id);
  if (!invoice || invoice.callback === null) return;
  insertNotice(tx, platformId, {
    url: invoice.callback,
    settlement: { invoice: invoice.id.slice('Invoice:'.length), amount: invoice.amount.toString(), currency: invoice.currency, outcome },
    paymentId: payment.id,
    now,
  });
}

export const umaSender = ({ umaPeers }: { readonly umaPeers: UmaPeers }): UmaSender => ({
  async approved(tx, approval) {
    await report(tx, approval, 'SETTLED');
    const { source } = approval.payment;
    const domain = source.type === 'UMA_ADDRESS' ? source.umaAddress.slice(source.umaAddress.indexOf('@') + 1) : '';
    const afterMs = source.type === 'UMA_ADDRESS' ? (umaPeers.find(domain)?.arrivesAfterMs?.(source.umaAddress) ?? 0) : 0;
    return [{ id: 'COLLECTED', kind: 'COLLECTED', afterMs }];
  },
  refused: (tx, refusal) => report(tx, refusal, 'REFUSED'),
});
