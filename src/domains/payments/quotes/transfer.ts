// Transfers without a quote: one currency, debited at once, and acknowledged by the bank before they run.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { needsAuthorization } from '../../access/sca/actions.js';
import { applyOutgoing, insertPayment } from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { gather, unquotedPayment } from './create.js';
import type { QuoteDeps } from './deps.js';
import { countPayment, knownOf } from './execute.js';
import { type QuoteRequest, refuseTransfer } from './rules.js';

export type TransferRequest = {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly paymentRail: string | undefined;
  readonly amount: bigint;
  readonly remittanceInformation: string | undefined;
  readonly purposeOfPayment: string | undefined;
};

/** A transfer is checked and priced like a quote that is executed at once. */
const asQuoteRequest = (transfer: TransferRequest): QuoteRequest => ({
  source: { sourceType: 'ACCOUNT', accountId: transfer.sourceId },
  destination: {
    destinationType: 'ACCOUNT',
    accountId: transfer.destinationId,
    ...(transfer.paymentRail !== undefined && { paymentRail: transfer.paymentRail }),
  },
  lockedSide: 'SENDING',
  lockedAmount: transfer.amount,
  immediatelyExecute: true,
  isTransfer: true,
  description: undefined,
  remittanceInformation: transfer.remittanceInformation,
  purposeOfPayment: transfer.purposeOfPayment,
  documentIds: [],
  platformFeeOverride: undefined,
  lookupId: undefined,
  senderCustomerInfo: {},
});

export async function transferOut(
  deps: QuoteDeps,
  tx: Tx,
  { platformId, transfer, now }: { readonly platformId: PlatformId; readonly transfer: TransferRequest; readonly now: Date },
): Promise<OutgoingPayment> {
  const facts = await gather(deps, tx, { platformId, request: asQuoteRequest(transfer), now });
  const { customer, market } = facts;

  refuseTransfer(facts, (currency) => customer !== null && needsAuthorization(customer, currency));
  const unquoted = await unquotedPayment(deps, tx, platformId, facts);

  insertPayment(tx, platformId, unquoted);
  const ordered = await applyOutgoing(deps, tx, platformId, unquoted, { event: 'ORDERED', now }, knownOf(facts));
  assert(ordered, 'a transfer is ordered when it is made');
  await countPayment(tx, platformId, ordered, { market }, now);
  return ordered;
}
