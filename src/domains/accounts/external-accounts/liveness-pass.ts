// The token in the link of a liveness check. It is sealed, so it needs no column. Its holder may decide the check that it names, and no other.
import type { ExternalAccountId, PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';

export type LivenessPass = { readonly platformId: PlatformId; readonly accountId: ExternalAccountId; readonly checkId: string };

const CONTEXT = 'ownership liveness';

export const sealLivenessPass = (custody: KeyCustody, pass: LivenessPass): string =>
  custody.seal(Buffer.from(JSON.stringify(pass)), CONTEXT).toString('base64url');

/** What a token names; undefined for anything else. */
export function openLivenessPass(custody: KeyCustody, token: string): LivenessPass | undefined {
  try {
    return JSON.parse(custody.open(Buffer.from(token, 'base64url'), CONTEXT).toString());
  } catch {
    return undefined;
  }
}
