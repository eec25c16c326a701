// The interface of payments for the domains that start and decide them.
import type { Context } from '../../../context.js';
import { amountsToReturn, cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { agentPaymentEnded, umaIncoming, umaPayout } from './hooks.js';
import type { IncomingDeps } from './incoming.js';

export { applyIncoming, applyOutgoing, type Known, type PaymentDeps, paymentEvents } from './apply.js';
export { approvalOf, isUndecided } from './approval-rules.js';
export { applyMessage } from './due.js';
export { type Announcement, announceIncoming, decideIncoming, type IncomingDeps } from './incoming.js';
export { countPayments, listPayments, type PaymentFilter, type SortOrder } from './list-store.js';
export { movesOf } from './moves.js';
export { cancelOrder, startCollection } from './payout.js';
export { carrierOf, networkOf, railsByPreference } from './rail-rules.js';
export { referenceOf, uuidOfReference } from './references.js';
export { asOf, statusOf } from './rules.js';
export { findPayment, insertMessages, insertPayment, lockAsRead, lockPayment, type PaymentRow, savePayment, toPayment } from './store.js';
export { countVolume, readVolume } from './volume.js';
export type { VolumePart } from './volume-rules.js';

/** What applying events to payments needs. */
export const paymentDeps = ({ rails, rates, deposits, hooks }: Pick<Context, 'rails' | 'rates' | 'deposits' | 'hooks'>): IncomingDeps => ({
  rails,
  rates,
  deposits,
  cardCapabilitiesFor: hooks.only(cardCapabilities),
  outstandingOn: hooks.only(amountsToReturn),
  payToUma: () => hooks.all(umaPayout)[0],
  agentPaymentEnded: () => hooks.only(agentPaymentEnded),
  umaSender: () => hooks.all(umaIncoming)[0],
});
