// Wire schemas of internal accounts.
import { renderMoney } from '../../kernel/money.js';
import type { CardCapabilitiesFor, InternalAccount, SweepRule } from './internal-account.js';

const renderSweepRule = ({ minimumAmount, maximumAmount, ...rule }: SweepRule, currency: string) => ({
  ...rule,
  minimumAmount: renderMoney(minimumAmount, currency),
  maximumAmount: renderMoney(maximumAmount, currency),
});

/** Capabilities are told where a card could be issued on the account now. */
const canFundCards = ({ customerId, type, status }: InternalAccount): boolean =>
  customerId !== null && status === 'ACTIVE' && (type === 'INTERNAL_FIAT' || type === 'EMBEDDED_WALLET');

/** On the path of every payment: plain reads, no I/O, nothing computed that could be stored. */
export function renderInternalAccount(account: InternalAccount, cardCapabilitiesFor: CardCapabilitiesFor) {
  const cardCapabilities = canFundCards(account) ? cardCapabilitiesFor(account.currency, account.cardProgram) : undefined;
  return {
    id: account.id,
    ...(account.customerId === null ? {} : { customerId: account.customerId }),
    type: account.type,
    status: account.status,
    balance: renderMoney(account.available, account.currency),
    totalBalance: renderMoney(account.total, account.currency),
    fundingPaymentInstructions: account.fundingInstructions,
    ...(account.onBehalfOfCustomerId === null ? {} : { onBehalfOfCustomerId: account.onBehalfOfCustomerId }),
    ...(account.label === null ? {} : { label: account.label }),
    ...(account.sweepRule === null ? {} : { sweepRule: renderSweepRule(account.sweepRule, account.currency) }),
    ...(account.privateEnabled === null ? {} : { privateEnabled: account.privateEnabled }),
    ...(cardCapabilities === undefined ? {} : { cardCapabilities }),
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}
