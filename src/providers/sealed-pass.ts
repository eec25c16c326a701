// The token in a link: what it names, sealed, so that it needs no column and nobody can make one.
import type { KeyCustody } from './key-custody.js';

export const sealPass = (custody: KeyCustody, context: string, pass: object): string =>
  custody.seal(Buffer.from(JSON.stringify(pass)), context).toString('base64url');

/** What a token of this context names; undefined for anything else. */
export function openPass<Pass>(custody: KeyCustody, context: string, token: string): Pass | undefined {
  try {
    return JSON.parse(custody.open(Buffer.from(token, 'base64url'), context).toString()) as Pass;
  } catch {
    return undefined;
  }
}
