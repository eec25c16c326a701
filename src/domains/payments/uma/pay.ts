// Pays to UMA addresses: hands an executed payment to the provider of its receiver.

import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { idOf, type PlatformId } from '../../../kernel/ids.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import { domainOf } from '../../../providers/uma/messages.js';
import { getPlatform } from '../../core/platform/actions.js';
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
    const known = umaPeers.find(domainOf(agreement.receiver))?.outcomeOf?.(agreement.receiver);
    if (known) return known;
    const platform = await getPlatform(tx, platformId);
    if (domainOf(agreement.receiver) === umaDomainOf(platform)) return payHere(tx, platformId, payment, agreement, now);
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
  platformId: PlatformId,
  { id, sent, exchangeRate }: OutgoingPayment,
  { invoice: invoiceUuid }: Agreement,
  now: Date,
): Promise<readonly ScheduledMessage[]> {
  const invoice = await lockInvoice(tx, platformId, idOf('Invoice', invoiceUuid));
  if (!invoice || invoice.paymentId !== null) return REFUSED;
  const platform = await getPlatform(tx, platformId);
  const announced = await announcePaid(tx, { platform, invoice, sent, exchangeRate, counterpartId: id, now });
  return announced ? [] : REFUSED;
}
