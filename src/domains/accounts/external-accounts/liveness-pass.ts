// The token in the link of a liveness check. Its holder may decide the check that it names, and no other.
import type { ExternalAccountId, PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { openPass, sealPass } from '../../../providers/sealed-pass.js';

export type LivenessPass = { readonly platformId: PlatformId; readonly accountId: ExternalAccountId; readonly checkId: string };

const CONTEXT = 'ownership liveness';

export const sealLivenessPass = (custody: KeyCustody, pass: LivenessPass): string => sealPass(custody, CONTEXT, pass);

export const openLivenessPass = (custody: KeyCustody, token: string): LivenessPass | undefined => openPass(custody, CONTEXT, token);
