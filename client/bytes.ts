// Texts and bytes, in what Node and browsers both have.

export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function fromHex(text: string): Bytes {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new TypeError('not hexadecimal');
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
export const base64url = (bytes: Uint8Array): string => base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
export const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A P-256 signature of WebCrypto, r and s of 32 bytes each, as DER. */
export function derOfRaw(raw: Uint8Array): Bytes {
  const integer = (bytes: Uint8Array): Uint8Array => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = first === -1 ? bytes.slice(-1) : bytes.slice(first);
    const positive = (digits[0] as number) > 127 ? concat(Uint8Array.of(0), digits) : digits;
    return concat(Uint8Array.of(2, positive.length), positive);
  };
  const body = concat(integer(raw.slice(0, 32)), integer(raw.slice(32)));
  return concat(Uint8Array.of(0x30, body.length), body);
}

/** The reverse; undefined for what is no DER signature of P-256. */
export function rawOfDer(der: Uint8Array): Bytes | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const integer = (at: number): { value: Bytes; next: number } | undefined => {
    const length = der[at + 1];
    if (der[at] !== 2 || length === undefined || length > 33) return undefined;
    const digits = der.slice(at + 2, at + 2 + length);
    const significant = digits.length === 33 && digits[0] === 0 ? digits.slice(1) : digits;
    if (significant.length > 32) return undefined;
    return { value: concat(new Uint8Array(32 - significant.length), significant), next: at + 2 + length };
  };
  const r = integer(2);
  const s = r && integer(r.next);
  return r && s && s.next === der.length ? concat(r.value, s.value) : undefined;
}
