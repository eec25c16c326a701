// Hooks of payments, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import type { OutgoingPayment } from './payment.js';

export type UmaPayout = (
  tx: Tx,
  payout: { readonly platformId: PlatformId; readonly payment: OutgoingPayment; readonly now: Date },
) => Promise<readonly ScheduledMessage[]>;

/** Hands a payment to the counterparty of a UMA address. Its money is in clearing; the outcome arrives as messages, as from a rail. */
export const umaPayout = defineHook<UmaPayout>('payments.uma-payout');

export type PaymentEnded = (tx: Tx, platformId: PlatformId, payment: OutgoingPayment) => Promise<void> | void;

/** A payment that an agent started has failed or expired. Its row is locked. */
export const agentPaymentEnded = defineHook<PaymentEnded>('payments.agent-payment-ended');
