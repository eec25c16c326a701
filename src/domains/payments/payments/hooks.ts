// Hooks of payments, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import type { IncomingPayment, OutgoingPayment } from './payment.js';

export type UmaPayout = (
  tx: Tx,
  payout: { readonly platformId: PlatformId; readonly payment: OutgoingPayment; readonly now: Date },
) => Promise<readonly ScheduledMessage[]>;

/** Hands a payment to the counterparty of a UMA address. Its money is in clearing; the outcome arrives as messages, as from a rail. */
export const umaPayout = defineHook<UmaPayout>('payments.uma-payout');

/** The counterparty of an incoming UMA payment learns the platform's decision, in the transaction of that decision. */
export type UmaSender = {
  /** The platform takes the payment. Returns the messages by which the money arrives, as from a rail: COLLECTED or COLLECTION_FAILED. */
  approved(
    tx: Tx,
    approval: {
      readonly platformId: PlatformId;
      readonly payment: IncomingPayment;
      /** The data of the receiver that the platform gives to the sender. */
      readonly receiverCustomerInfo: Readonly<Record<string, unknown>>;
      readonly now: Date;
    },
  ): Promise<readonly ScheduledMessage[]>;
  /** The platform has rejected the payment, has not decided in time, or could not be asked. */
  refused(tx: Tx, refusal: { readonly platformId: PlatformId; readonly payment: IncomingPayment; readonly now: Date }): Promise<void>;
};

/** Without a listener an approved payment arrives at once. */
export const umaIncoming = defineHook<UmaSender>('payments.uma-incoming');

export type PaymentEnded = (tx: Tx, platformId: PlatformId, payment: OutgoingPayment) => Promise<void> | void;

/** A payment that an agent started has failed or expired. Its row is locked. */
export const agentPaymentEnded = defineHook<PaymentEnded>('payments.agent-payment-ended');
