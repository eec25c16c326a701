// Deposit instructions: the bank accounts and wallet addresses through which money is paid into an internal account.
import { createHash } from 'node:crypto';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';

export type DepositInstructions = {
  readonly instructionsNotes: string;
  readonly accountOrWalletInfo: { readonly accountType: string; readonly [field: string]: unknown };
};

export type DepositProvider = {
  /** How to pay into an account of the currency, or for a quote; empty if no partner is connected. */
  instructionsFor(account: {
    readonly accountUuid: string;
    readonly currency: string;
    readonly isQuote?: true;
  }): readonly DepositInstructions[];
};

/** A live installation connects its own partners. Without one, nothing can be paid in from outside. */
export const noDeposits: DepositProvider = { instructionsFor: () => [] };

/** Derived from the account's id, so the same account always has the same instructions. No payment to them arrives. */
export const sandboxDeposits: DepositProvider = {
  instructionsFor: ({ accountUuid, currency, isQuote }) =>
    (INFO[currency] ?? [swift])
      .map((make) => make(accountUuid, currency))
      .map((accountOrWalletInfo) => ({ instructionsNotes: isQuote ? QUOTE_NOTE : ACCOUNT_NOTE, accountOrWalletInfo })),
};

const NO_MONEY = 'Sandbox only: send no real money here.';
const ACCOUNT_NOTE = `${NO_MONEY} Fund the account with POST /sandbox/internal-accounts/{accountId}/fund.`;
const QUOTE_NOTE = `${NO_MONEY} Pay for the quote with POST /sandbox/send.`;

type Info = DepositInstructions['accountOrWalletInfo'];
type MakeInfo = (account: string, currency: string) => Info;

const bytes = (account: string, what: string): Buffer => createHash('sha256').update(`${what} ${account}`).digest();

const digits = (account: string, what: string, length: number): string =>
  (BigInt(`0x${bytes(account, what).toString('hex')}`) % 10n ** BigInt(length)).toString().padStart(length, '0');

/** The payment reference that assigns a deposit to its account. */
const reference = (account: string): string => `SY${account.replaceAll('-', '').slice(-12).toUpperCase()}`;

const usd: MakeInfo = (account) => ({
  accountType: 'USD_ACCOUNT',
  accountNumber: `9${digits(account, 'usd', 11)}`,
  routingNumber: '110000000',
  bankName: 'Sandbox Bank',
  bankAccountType: 'CHECKING',
  paymentRails: ['ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW'],
  reference: reference(account),
});

const eur: MakeInfo = (account) => {
  const bban = `00000000${digits(account, 'eur', 10)}`;
  // ISO 13616: with the country moved to the end as digits (DE is 1314), the number modulo 97 must be 1.
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return {
    accountType: 'EUR_ACCOUNT',
    iban: `DE${String(check).padStart(2, '0')}${bban}`,
    swiftCode: 'SNDBDEFF',
    paymentRails: ['SEPA', 'SEPA_INSTANT'],
    reference: reference(account),
  };
};

const CLABE_WEIGHTS = [3, 7, 1] as const;

const mxn: MakeInfo = (account) => {
  const body = `000000${digits(account, 'mxn', 11)}`;
  const sum = [...body].reduce((total, digit, i) => total + ((Number(digit) * (CLABE_WEIGHTS[i % 3] ?? 0)) % 10), 0);
  return {
    accountType: 'MXN_ACCOUNT',
    clabeNumber: `${body}${(10 - (sum % 10)) % 10}`,
    paymentRails: ['SPEI'],
    reference: reference(account),
  };
};

const swift: MakeInfo = (account, currency) => ({
  accountType: 'SWIFT_ACCOUNT',
  country: 'US',
  swiftCode: 'SNDBUS33',
  bankName: 'Sandbox Bank',
  accountNumber: `9${digits(account, currency, 11)}`,
  accountHolderName: 'Switchyard Sandbox',
  paymentRails: ['SWIFT'],
  reference: reference(account),
});

const evm =
  (accountType: string): MakeInfo =>
  (account, assetType) => ({ accountType, address: `0x${bytes(account, 'evm').toString('hex').slice(0, 40)}`, assetType });

const solana: MakeInfo = (account, assetType) => ({
  accountType: 'SOLANA_WALLET',
  address: base58.encode(bytes(account, 'solana')),
  assetType,
});

const base58check = createBase58check((message: Uint8Array) => createHash('sha256').update(message).digest());

const tron: MakeInfo = (account, assetType) => ({
  accountType: 'TRON_WALLET',
  address: base58check.encode(Buffer.concat([Buffer.of(0x41), bytes(account, 'tron').subarray(0, 20)])),
  assetType,
});

/** A regtest address: a compressed key as member 1 of a protobuf message. */
const spark: MakeInfo = (account, assetType) => ({
  accountType: 'SPARK_WALLET',
  address: bech32m.encode('sparkrt', bech32m.toWords(Buffer.concat([Buffer.of(0x0a, 33, 0x02), bytes(account, 'spark')])), 120),
  assetType,
});

/** A testnet address, so that nobody sends coins of value. */
const bitcoin: MakeInfo = (account) => ({
  accountType: 'BITCOIN_L1',
  address: bech32.encode('tb', [0, ...bech32.toWords(bytes(account, 'bitcoin').subarray(0, 20))]),
  network: 'BITCOIN',
});

const INFO: Readonly<Record<string, readonly MakeInfo[]>> = {
  USD: [usd],
  EUR: [eur],
  MXN: [mxn],
  BRL: [(account) => ({ accountType: 'BRL_ACCOUNT', qrCode: `SANDBOX.PIX.${reference(account)}` })],
  COP: [(account) => ({ accountType: 'COP_ACCOUNT', paymentUrl: `https://pay.sandbox.invalid/${reference(account)}` })],
  ARS: [(account) => ({ accountType: 'ARS_ACCOUNT', accountNumber: `0000000${digits(account, 'ars', 15)}` })],
  USDB: [spark],
  USDC: [evm('BASE_WALLET'), evm('ETHEREUM_WALLET'), evm('POLYGON_WALLET'), solana],
  USDT: [tron, evm('ETHEREUM_WALLET'), evm('PLASMA_WALLET')],
  BTC: [spark, bitcoin],
};
