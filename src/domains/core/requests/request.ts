// A request of a platform as the request log keeps it.
import type { PlatformId, TokenId } from '../../../kernel/ids.js';

/** Which call of a signed operation it was: the first one, the signed retry, or a retry that names the request and proves it in its body. */
export type SignedLeg = 'initial' | 'retry' | 'named';

/** A body as it is kept: JSON with secrets masked, cut where it is too long. */
export type KeptBody = { readonly text: string; readonly isCut: boolean };

export type LoggedRequest = {
  /** Version 7, made when the request ended: the order of the log. */
  readonly position: string;
  /** The uuid of `X-Request-Id`. */
  readonly id: string;
  readonly platformId: PlatformId;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The query string, in sandbox only. */
  readonly query: string | null;
  readonly status: number;
  /** The error code of a refusal. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly tokenId: TokenId | null;
  /** The program of the issuer's processor that called. */
  readonly program: string | null;
  readonly idempotencyKey: string | null;
  readonly signedLeg: SignedLeg | null;
  /** Ids in the path, in the body and, of a write, in the answer. */
  readonly objectIds: readonly string[];
  /** Sent by the console, with the token of its session. */
  readonly isConsole: boolean;
  /** The time of the platform's clock when the request began. */
  readonly at: Date;
  /** Requests of the platform that this process did not record since the one before. */
  readonly unrecordedBefore: number;
  readonly requestBody: KeptBody | null;
  readonly responseBody: KeptBody | null;
};
