// Receivers as the specification tells them: institutions, who is at the sandbox's UMA domain, rates, bounds and prices.

/** Units per US dollar of the sandbox table, in ten-thousandths. All of them have two decimals. */
export const TABLE = { USD: 10_000n, EUR: 9_200n, MXN: 172_500n } as const;
export type Currency = keyof typeof TABLE;
/** The market of a platform: without a rate, a currency cannot be sent or received. */
export type Market = { [currency in Currency]: bigint | undefined };

type Fraction = readonly [bigint, bigint];
const rateOf = (market: Market, sending: Currency, receiving: Currency): Fraction => [market[receiving] ?? 0n, market[sending] ?? 0n];
const down = (amount: bigint, [n, d]: Fraction): bigint => (amount * n) / d;
const up = (amount: bigint, [n, d]: Fraction): bigint => (amount * n + d - 1n) / d;
const halfUp = (amount: bigint, [n, d]: Fraction): bigint => (2n * amount * n + d) / (2n * d);

/** "rounded half up to 8 decimals, or to 8 significant digits when that is finer" */
function shown([n, d]: Fraction): number {
  let digits = 8;
  while (n * 10n ** BigInt(digits - 7) < d) digits += 1;
  return Number(halfUp(10n ** BigInt(digits), [n, d])) / 10 ** digits;
}

export type Bounds = { readonly code: Currency; readonly min: number; readonly max: number };

/** A currency of a look-up. The band goes "from the equivalent of 1.00 USD to 100,000.00 USD". */
export function preference(market: Market, sending: Currency, { code, min, max }: Bounds) {
  const rate = rateOf(market, sending, code);
  const dollars = rateOf(market, 'USD', sending);
  const [least, most] = [up(100n, dollars), down(10_000_000n, dollars)];
  return {
    code,
    estimatedExchangeRate: shown(rate),
    exchangeRate: shown([rate[1], rate[0]]),
    min: Math.max(min, Number(up(least, rate))),
    max: Math.min(max, Number(down(most, rate))),
    minSendingAmount: Number(least),
    maxSendingAmount: Number(most),
  };
}

/** What US cents bring: 0.10 USD and 30 basis points of the rest are the fee, unless nothing is converted. */
export function price(market: Market, sent: number, receiving: Currency): { readonly fees: number; readonly received: number } {
  if (receiving === 'USD') return { fees: 0, received: sent };
  const fees = 10n + halfUp(BigInt(sent) - 10n, [30n, 10_000n]);
  return { fees: Number(fees), received: Number(down(BigInt(sent) - fees, rateOf(market, 'USD', receiving))) };
}

/** "`sentAmount` in the sender's currency at the table rate, rounded up" */
export const sentFor = (received: number, receiving: Currency, sending: Currency): number =>
  Number(up(BigInt(received), rateOf(TABLE, receiving, sending)));

// ---- people of the sandbox's domain

type Asked = readonly { readonly name: string; readonly mandatory: boolean }[];
const asks = (...names: readonly string[]): Asked => [
  ...names.map((name) => ({ name, mandatory: true })),
  { name: 'NATIONALITY', mandatory: false },
];

export type SandboxPerson = {
  readonly currency: Currency;
  /** What they ask about their payer, and about whom they pay. */
  readonly ofPayer: Asked;
  readonly ofPayee: Asked;
  /** When the money arrives; undefined: it never does. */
  readonly afterMs: number | undefined;
};

const plain = { ofPayer: [], ofPayee: [], afterMs: 0 } as const;
export const SANDBOX_PEOPLE: Readonly<Record<string, SandboxPerson>> = {
  'success.usd': { ...plain, currency: 'USD' },
  'success.eur': {
    ...plain,
    currency: 'EUR',
    ofPayer: asks('FULL_NAME', 'BIRTH_DATE'),
    ofPayee: asks('FULL_NAME', 'COUNTRY_OF_RESIDENCE'),
  },
  'success.mxn': { ...plain, currency: 'MXN' },
  'pending.long.usd': { ...plain, currency: 'USD', afterMs: 360_000 },
  'fail.compliance.usd': { ...plain, currency: 'USD', afterMs: undefined },
};

// ---- institutions

const INSTITUTIONS = {
  'BDT BD': ['BRAC Bank', 'Dutch-Bangla Bank', 'bKash'],
  'COP CO': ['Bancolombia', 'Davivienda', 'Nequi'],
  'EGP EG': ['National Bank of Egypt', 'Banque Misr', 'Vodafone Cash'],
  'GHS GH': ['GCB Bank', 'Ecobank Ghana', 'MTN'],
  'GTQ GT': ['Banco GYT Continental', 'Banco Industrial'],
  'IDR ID': ['Bank Central Asia', 'Bank Mandiri'],
  'JMD JM': ['Bank of Nova Scotia', 'National Commercial Bank'],
  'MYR MY': ['Maybank', 'CIMB Bank'],
  'NGN NG': ['First Bank of Nigeria', 'Access Bank', 'GTBank'],
  'PHP PH': ['BDO Unibank', 'Bank of the Philippine Islands', 'GCash'],
  'PKR PK': ['HBL', 'Meezan Bank', 'Easypaisa'],
  'THB TH': ['Bangkok Bank', 'Kasikornbank'],
  'VND VN': ['Vietcombank', 'Techcombank'],
  'ZAR ZA': ['Standard Bank', 'FNB'],
  'CNY CN': ['AliPay', 'WeChat Pay', 'Bank of China', 'ICBC'],
  'ILS IL': ['Bank Leumi', 'Bank Hapoalim'],
  'TRY TR': ['Garanti BBVA', 'Ziraat Bankasi'],
};

export const DISCOVERIES = Object.entries(INSTITUTIONS).flatMap(([place, names]) => {
  const [currency = '', country = ''] = place.split(' ');
  return names.map((bankName) => ({ bankName, displayName: bankName, country, currency }));
});
