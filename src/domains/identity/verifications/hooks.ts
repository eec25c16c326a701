// Hooks of verifications: how packets learn of documents, which are a later domain.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { DocumentId, HeldDocument, HolderId } from './verification.js';

/** The documents of the holders, the oldest first. */
export const documentsOf =
  defineHook<(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[]) => Promise<readonly HeldDocument[]>>(
    'verifications.documents-of',
  );

/** The documents were handed to the provider. */
export const documentsSubmitted =
  defineHook<(tx: Tx, platformId: PlatformId, documentIds: readonly DocumentId[], now: Date) => Promise<void> | void>(
    'verifications.documents-submitted',
  );

/** Beneficial owners were deleted: their documents go with them. */
export const holdersRemoved =
  defineHook<(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[], now: Date) => Promise<void> | void>(
    'verifications.holders-removed',
  );
