// Sweeps of rule-based accounts that are payments: to an account outside the service, or in another currency.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { findExternalAccount, paymentRailsOf } from '../../accounts/external-accounts/actions.js';
import type { OutsideSweeps, Sweep } from '../../accounts/internal-accounts/hooks.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { openServiceAccounts } from '../../ledger/actions.js';
import { applyOutgoing, insertPayment, paymentEvents, railsByPreference } from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { bandOf, SERVICE_TERMS } from '../rates/actions.js';
import { gather, unquotedPayment } from './create.js';
import type { QuoteDeps } from './deps.js';
import { countPayment, knownOf } from './execute.js';
import { currencyOfDestination, leaves, type QuoteRequest } from './rules.js';
import { carriedText } from './sweep-rules.js';

const FIELD = 'sweepRule.destination';

/** The dependencies are read when they are needed: they contain listeners of other hooks. */
export const sweepsBy = (deps: () => QuoteDeps): OutsideSweeps => ({
  async boundsOf(tx, { platformId, holder, destination, now }) {
    const id = parseId('ExternalAccount', destination.accountId);
    if (id) {
      const found = await findExternalAccount(tx, platformId, id);
      if (!found || found.isDeleted) throw new ApiError('ACCOUNT_NOT_FOUND');
      const { customerId, accountInfo } = found.account;
      // A customer pays to accounts of the customer's own and of the platform, the platform to any.
      if (holder !== null && customerId !== undefined && customerId !== holder)
        throw invalidField(`${FIELD}.accountId`, 'must belong to the holder or to the platform');
      const rails = railsByPreference(paymentRailsOf(accountInfo), accountInfo);
      if (destination.paymentRail !== undefined && !rails.includes(destination.paymentRail))
        throw invalidField(`${FIELD}.paymentRail`, 'is not a rail of the account', { enum: rails });
    }
    const band = bandOf(SERVICE_TERMS, await deps().rates.marketAt(tx, platformId, now), 'USD');
    assert(band, 'dollars have a rate');
    return { minimumAmount: band.least, maximumAmount: band.most };
  },
  // What is refused undoes the payment alone: the deposit stays.
  sweep: async (tx, sweep) => !((await tx.attempt(() => pay(deps(), tx, sweep))) instanceof ApiError),
});

const requestOf = ({ rule, own, amount }: Sweep): QuoteRequest => ({
  source: { sourceType: 'ACCOUNT', accountId: own.id },
  destination: { destinationType: 'ACCOUNT', ...rule.destination },
  lockedSide: 'SENDING',
  lockedAmount: amount,
  immediatelyExecute: true,
  description: rule.description,
  remittanceInformation: rule.remittanceInformation === undefined ? undefined : carriedText(rule.remittanceInformation),
  purposeOfPayment: rule.purposeOfPayment,
  documentIds: [],
  platformFeeOverride: rule.platformFeeOverride && {
    fixed: {
      amount: BigInt(rule.platformFeeOverride.platformFixedFee.amount),
      currency: rule.platformFeeOverride.platformFixedFee.currency,
    },
    bps: BigInt(rule.platformFeeOverride.platformVariableFeeBps),
  },
  lookupId: undefined,
  senderCustomerInfo: {},
});

/** Checked, priced and executed like a quote of the holder's own account. */
async function pay(deps: QuoteDeps, tx: Tx, sweep: Sweep): Promise<void> {
  const { platformId, now } = sweep;
  const facts = await gather(deps, tx, { platformId, request: requestOf(sweep), now });
  const swept: OutgoingPayment = {
    ...(await unquotedPayment(deps, tx, platformId, facts)),
    ruleBasedAccountId: sweep.ruleBasedAccountId,
  };
  openServiceAccounts(tx, platformId, [currencyOfDestination(facts.destination)]);
  insertPayment(tx, platformId, swept);
  enqueueEvents(tx, platformId, now, paymentEvents(platformId, swept, ['PENDING']));
  const executed = await applyOutgoing(deps, tx, platformId, swept, { event: 'EXECUTED', now }, knownOf(facts));
  assert(executed, 'a payment that was made is executed');
  if (leaves(facts.destination)) await countPayment(tx, platformId, executed, facts, now);
}
