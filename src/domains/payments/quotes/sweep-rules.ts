// What a sweep says to the receiver. Pure.

/** As much as a quote may say. */
const MOST = 80;

/**
 * A rule takes any text of up to 1,024 characters, and rails carry less: marks of letters are left out, whatever else is not printable ASCII
 * is replaced, and the end is cut off.
 */
export const carriedText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/\s/gu, ' ')
    .replaceAll(/[^ -~]/gu, '?')
    .slice(0, MOST);
