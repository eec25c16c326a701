// The model of prices: rates, fees and bounds, written from the facts of money movement. The arithmetic is exact.

type Ratio = readonly [bigint, bigint];

const ratioOf = (decimal: string): Ratio => {
  const [whole = '', part = ''] = decimal.split('.');
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
};
/** Units for one US dollar in the table of the sandbox. */
const TABLE: Readonly<Record<string, string>> = { USD: '1', USDB: '1', USDC: '1', EUR: '0.92', MXN: '17.25', CNY: '7.24' };
/** "fixed 0.10 USD in the sending currency (at the table, rounded half up)" */
const SERVICE_FIXED: Readonly<Record<string, bigint>> = { USD: 10n, USDB: 10n, USDC: 100_000n, EUR: 9n };
const SERVICE_BPS = 30n;
const decimalsOf = (currency: string): bigint => (currency === 'USDC' ? 6n : 2n);
const half = (value: bigint, by: bigint): bigint => (2n * value + by) / (2n * by);

export type PlatformFees = { readonly fixed: number; readonly bps: number };
export const NO_FEES: PlatformFees = { fixed: 0, bps: 0 };
export type Price = { readonly sent: number; readonly received: number; readonly fees: number; readonly platformFees: number };
export type Corridor = {
  readonly sending: string;
  readonly receiving: string;
  readonly platform: PlatformFees;
  /** What the network of a destination on a chain costs. */
  readonly network?: number;
};

export class Market {
  private readonly perUsd = new Map(Object.entries(TABLE));
  /** When a rate was last changed. */
  readonly changed = new Map<string, number>();

  set(currency: string, perUsd: string | null, now: number): void {
    this.perUsd.set(currency, perUsd ?? (TABLE[currency] as string));
    this.changed.set(currency, now);
  }

  /** Whole units of `receiving` for one of `sending`. */
  private rate(sending: string, receiving: string): Ratio {
    const [[r, rBy], [s, sBy]] = [ratioOf(this.perUsd.get(receiving) as string), ratioOf(this.perUsd.get(sending) as string)];
    return [r * sBy, rBy * s];
  }

  /** "sending units per one receiving unit", "rounded half up to 8 decimals, or to 8 significant digits when that is finer" */
  shown(sending: string, receiving: string): number {
    const [over, under] = this.rate(sending, receiving);
    let decimals = 8n;
    while (under * 10n ** decimals < 10n ** 7n * over) decimals += 1n;
    return Number(`${half(under * 10n ** decimals, over)}e-${decimals}`);
  }

  /** The least and the most that may leave in one payment: 1.00 to 100,000.00 US dollars, "exactly the bound is allowed". */
  band(sending: string): [number, number] {
    const [over, under] = this.rate('USD', sending);
    const unit = 10n ** decimalsOf(sending);
    return [Number((over * unit + under - 1n) / under), Number((100_000n * over * unit) / under)];
  }

  /** "all fixed fees first, then the rates on what is left", each rounded on its own. Undefined: nothing would arrive. */
  private forward({ sending, receiving, platform, network = 0 }: Corridor, sent: bigint): Price | undefined {
    const crosses = sending !== receiving;
    const fixed = BigInt(platform.fixed + network) + (crosses ? (SERVICE_FIXED[sending] as bigint) : 0n);
    const base = sent - fixed;
    if (base < 1n) return undefined;
    const platformVariable = half(base * BigInt(platform.bps), 10_000n);
    const serviceVariable = crosses ? half(base * SERVICE_BPS, 10_000n) : 0n;
    const fees = fixed + platformVariable + serviceVariable;
    const [over, under] = this.rate(sending, receiving);
    const net = sent - fees;
    const received = (net * over * 10n ** decimalsOf(receiving)) / (under * 10n ** decimalsOf(sending));
    if (net < 1n || received < 1n) return undefined;
    const numbers = { sent: Number(sent), received: Number(received), fees: Number(fees) };
    return { ...numbers, platformFees: platform.fixed + Number(platformVariable) };
  }

  price(corridor: Corridor, side: 'SENDING' | 'RECEIVING', amount: number): Price | undefined {
    if (side === 'SENDING') return this.forward(corridor, BigInt(amount));
    // "the smallest S whose SENDING-locked result reaches the locked amount". It grows with every unit but for the rounding of fees, so
    // the search begins where not even a payment without fees would arrive.
    const [over, under] = this.rate(corridor.receiving, corridor.sending);
    let sent = (BigInt(amount) * over * 10n ** decimalsOf(corridor.sending)) / (under * 10n ** decimalsOf(corridor.receiving));
    for (; ; sent += 1n) {
      const price = this.forward(corridor, sent);
      if (price && price.received >= amount) return { ...price, received: amount };
    }
  }
}
