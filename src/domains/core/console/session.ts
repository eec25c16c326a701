// A session of the console: a browser that acts with the permissions of an API token.
import type { Permission } from '../../../http/operation.js';
import type { PlatformId, TokenId } from '../../../kernel/ids.js';

export type ConsoleSession = {
  readonly platformId: PlatformId;
  readonly platformName: string;
  readonly tokenId: TokenId;
  readonly tokenName: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Date;
  readonly seenAt: Date;
  /** The time of the platform's clock. */
  readonly now: Date;
  /** The real time. */
  readonly realNow: Date;
};
