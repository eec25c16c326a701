// Pays to UMA addresses: hands an executed payment to the provider of its receiver.

import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import { domainOf } from '../../../providers/uma/messages.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import type { UmaPayout } from '../payments/hooks.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { announcePaid } from './receive.js';
import { umaDomainOf } from './rules.js';
import { findPayout, insertNotice, lockInvoice } from './store.js';
import type { Agreement, UmaPeers } from './uma.js';

export type PayDeps = { readonly umaPeers: UmaPeers };

const REFUSED: readonly ScheduledMessage[] = [{ id: 'FAILED', kind: 'FAILED', reason: 'ACCOUNT_CANNOT_RECEIVE', afterMs: 0 }];

export const payToUma =
  ({ umaPeers }: PayDeps): UmaPayout =>
  async (tx, { platformId, payment, now }) => {
    const agreement = await findPayout(tx, platformId, payment.id);
    assert(agreement, 'a payment to a UMA address was agreed with its provider');
    const domain = domainOf(agreement.receiver);
    const peer = umaPeers.find(domain);
    const known = peer?.outcomeOf?.(agreement.receiver);
    if (known) return known;
    const platform = await getPlatform(tx, platformId);
    // Nobody else is there to be told: the platform may have had the domain when the payment was agreed.
    if (!peer || domain === umaDomainOf(platform)) return payHere(tx, platform, payment, agreement, now);
    insertNotice(tx, platformId, {
      url: agreement.callback,
      settlement: {
        invoice: agreement.invoice,
        amount: agreement.amount.toString(),
        currency: agreement.currency,
        outcome: 'PAID',
      },
      paymentId: payment.id,
      now,
    });
    return [];
  };

/** The receiver is a customer of the same platform: the other side is announced in the same transaction, and decides. */
async function payHere(
  tx: Tx,
  platform: Platform,
  { id, sent, exchangeRate }: OutgoingPayment,
  agreement: Agreement,
  now: Date,
): Promise<readonly ScheduledMessage[]> {
  // Another provider may have named its payment by any text.
  const invoiceId = parseId('Invoice', `Invoice:${agreement.invoice}`);
  const invoice = invoiceId && (await lockInvoice(tx, platform.id, invoiceId));
  if (!invoice || invoice.receiver !== agreement.receiver || invoice.paymentId !== null) return REFUSED;
  const announced = await announcePaid(tx, { platform, invoice, sent, exchangeRate, counterpartId: id, now });
  return announced ? [] : REFUSED;
}
