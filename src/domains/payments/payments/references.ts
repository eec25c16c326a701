// References that name payments on bank statements. Pure.
import { type TransactionId, uuidOf } from '../../../kernel/ids.js';

/** The reference that names a payment on bank statements: at most 32 of A-Z, 0-9 and the hyphen. It is derived from the id. */
export const referenceOf = (id: TransactionId): string =>
  `SY${BigInt(`0x${uuidOf(id).replaceAll('-', '')}`)
    .toString(36)
    .toUpperCase()}`;

/** The uuid that a reference names; undefined for any other text. */
export function uuidOfReference(reference: string): string | undefined {
  if (!/^SY[0-9A-Z]{1,25}$/.test(reference)) return undefined;
  let value = 0n;
  for (const digit of reference.slice(2)) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = value.toString(16).padStart(32, '0');
  if (hex.length > 32) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
