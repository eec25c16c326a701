// The code that proves that an end user reads a contact.
import type { ContactChannel } from '../customers/actions.js';

export type ContactCode = {
  readonly channel: ContactChannel;
  /** Null once the code was used or is void. */
  readonly codeHash: Buffer | null;
  readonly triesLeft: number;
  readonly expiresAt: Date;
  /** When codes were sent lately, oldest first. */
  readonly sentAt: readonly Date[];
};
