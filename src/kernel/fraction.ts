// Exact positive fractions of bigints, for rates and equivalents. Division into an amount always names its rounding.
import { assert } from './errors.js';

export type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** In lowest terms. */
export function fraction(numerator: bigint, denominator = 1n): Fraction {
  assert(numerator >= 0n && denominator > 0n, 'a fraction is not negative');
  const divisor = gcd(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

const DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/** "0.92" as 23/25; undefined for anything but a plain decimal. */
export function parseDecimal(text: string): Fraction | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.numerator * b.numerator, a.denominator * b.denominator);
export const dividedBy = (a: Fraction, b: Fraction): Fraction => times(a, inverse(b));
export const inverse = ({ numerator, denominator }: Fraction): Fraction => fraction(denominator, numerator);

/** Negative, zero or positive, as `a` is below, equal to or above `b`. */
export const compare = (a: Fraction, b: Fraction): number => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

export const roundDown = ({ numerator, denominator }: Fraction): bigint => numerator / denominator;
export const roundUp = ({ numerator, denominator }: Fraction): bigint => (numerator + denominator - 1n) / denominator;
export const roundHalfUp = ({ numerator, denominator }: Fraction): bigint => (2n * numerator + denominator) / (2n * denominator);

const SHOWN_DIGITS = 8;

/** A decimal for people: rounded half up to 8 decimals, or to 8 significant digits where that is finer. */
export function showDecimal(value: Fraction): string {
  let decimals = SHOWN_DIGITS;
  // One more decimal for every zero that follows the point.
  for (let limit = 10n; value.numerator > 0n && value.numerator * limit < value.denominator; limit *= 10n) decimals += 1;
  const digits = roundHalfUp(times(value, fraction(10n ** BigInt(decimals))))
    .toString()
    .padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}
