// How the payer of a realtime quote sends the money: the deposit instructions of the quote, over instant rails only.
import { invalidField } from '../../../kernel/errors.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { DepositInstructions, DepositProvider } from '../../../providers/deposits.js';
import type { PaymentInstructions } from '../../accounts/internal-accounts/internal-account.js';

const INSTANT: ReadonlySet<unknown> = new Set(['RTP', 'FEDNOW', 'SEPA_INSTANT', 'SPEI']);

const WALLETS: Readonly<Record<string, string>> = {
  SOLANA: 'SOLANA_WALLET',
  ETHEREUM: 'ETHEREUM_WALLET',
  BASE: 'BASE_WALLET',
  POLYGON: 'POLYGON_WALLET',
  ARBITRUM: 'ARBITRUM_WALLET',
  PLASMA: 'PLASMA_WALLET',
  TRON: 'TRON_WALLET',
  SPARK: 'SPARK_WALLET',
  BITCOIN: 'BITCOIN_L1',
};

const EVM: ReadonlySet<string> = new Set(['ETHEREUM_WALLET', 'BASE_WALLET', 'POLYGON_WALLET', 'ARBITRUM_WALLET', 'PLASMA_WALLET']);

type Funding = { readonly currency: CurrencyCode; readonly network: string | undefined };

/** One entry per way to pay. The deposit provider derives address and reference from the quote, so they name no other. */
export function instructionsFor(deposits: DepositProvider, quoteUuid: string, { currency, network }: Funding): PaymentInstructions[] {
  const offered = deposits.instructionsFor({ accountUuid: quoteUuid, currency, isQuote: true }).map(overInstantRails);
  if (network === undefined) return offered;
  const onNetwork = offered.flatMap((way) => onChain(way, WALLETS[network]));
  const [first] = onNetwork;
  if (!first) throw invalidField('source.cryptoNetwork', 'cannot be used to pay for a quote');
  return [first];
}

function overInstantRails(way: DepositInstructions): DepositInstructions {
  const { paymentRails } = way.accountOrWalletInfo;
  if (!Array.isArray(paymentRails)) return way;
  return { ...way, accountOrWalletInfo: { ...way.accountOrWalletInfo, paymentRails: paymentRails.filter((rail) => INSTANT.has(rail)) } };
}

/** All EVM chains have the same addresses. */
function onChain(way: DepositInstructions, accountType: string | undefined): DepositInstructions[] {
  const { accountType: own } = way.accountOrWalletInfo;
  if (accountType === undefined) return [];
  if (own === accountType) return [way];
  return EVM.has(own) && EVM.has(accountType) ? [{ ...way, accountOrWalletInfo: { ...way.accountOrWalletInfo, accountType } }] : [];
}
