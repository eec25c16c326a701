// The interface of payments for the domains that start and decide them.
import type { Context } from '../../../context.js';
import { amountsToReturn, cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import type { PaymentDeps } from './apply.js';
import { agentPaymentEnded, umaPayout } from './hooks.js';

export { applyIncoming, applyOutgoing, type Known, type PaymentDeps, paymentEvents } from './apply.js';
export { applyMessage } from './due.js';
export { movesOf } from './moves.js';
export { startCollection } from './payout.js';
export { carrierOf, networkOf, railsByPreference } from './rail-rules.js';
export { asOf, referenceOf, statusOf, uuidOfReference } from './rules.js';
export { addVolume, findPayment, insertMessages, insertPayment, lockPayment, type PaymentRow, savePayment, toPayment } from './store.js';

/** What applying events to payments needs. */
export const paymentDeps = ({ rails, rates, deposits, hooks }: Pick<Context, 'rails' | 'rates' | 'deposits' | 'hooks'>): PaymentDeps => ({
  rails,
  rates,
  deposits,
  cardCapabilitiesFor: hooks.only(cardCapabilities),
  outstandingOn: hooks.only(amountsToReturn),
  payToUma: () => hooks.all(umaPayout)[0],
  agentPaymentEnded: () => hooks.only(agentPaymentEnded),
});
