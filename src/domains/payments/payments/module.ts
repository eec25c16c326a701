import { movesOfType } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { depositReceived } from '../../accounts/internal-accounts/hooks.js';
import { questionAnswered } from '../../core/webhooks/hooks.js';
import { paymentDeps } from './actions.js';
import { recordDeposit } from './deposits.js';
import { agentPaymentEnded, umaIncoming, umaPayout } from './hooks.js';
import { answerQuestion } from './incoming.js';
import { paymentJobs } from './jobs.js';
import { IncomingPayment, OutgoingTransaction } from './payment-schemas.js';
import { positionRoutes } from './routes.js';
import { TRANSACTION_MOVES } from './rules.js';

/** Also of quotes: the status of a quote is that of its payment. */
const OUTGOING_MOVES = movesOfType('OUTGOING', TRANSACTION_MOVES);

export const payments: Module = {
  name: 'payments/payments',
  tables: ['payments', 'rail_messages', 'payment_days'],
  reads: ['platforms'],
  hooks: [agentPaymentEnded, umaPayout, umaIncoming],
  listeners: [
    listen(depositReceived, () => recordDeposit),
    listen(
      questionAnswered,
      (context) => (answer) => answerQuestion({ ...paymentDeps(context), db: context.db.causedBy({ job: 'webhook-deliveries' }) }, answer),
    ),
  ],
  transitions: { TransactionStatus: TRANSACTION_MOVES, OutgoingTransactionStatus: OUTGOING_MOVES, QuoteStatus: OUTGOING_MOVES },
  events: { 'incoming-payment': IncomingPayment, 'outgoing-payment': OutgoingTransaction },
  create: (context) => ({
    operations: positionRoutes(context),
    jobs: paymentJobs({ ...paymentDeps(context), db: context.db, log: context.log }),
  }),
};
