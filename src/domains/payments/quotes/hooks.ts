// Hooks of quotes, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { QuoteId, ScaChallenge, ScaFactor, ScaSubject } from './quote.js';

export type ScaRequest = {
  readonly platformId: PlatformId;
  readonly customer: Customer;
  readonly quote: ScaSubject;
  readonly factor: ScaFactor | undefined;
  readonly now: Date;
};

export type StrongAuthentication = {
  /**
   * Asked with the quote locked: at execution, or at creation for realtime funding. Undefined lets the payment go on; a challenge makes it
   * wait. Refuses a customer without an open session, and a factor that cannot be used.
   */
  scaFor(tx: Tx, request: ScaRequest): Promise<ScaChallenge | undefined>;
  /** The open challenges of quotes that wait for authorization. */
  challengesOf(tx: Pick<Tx, 'one' | 'many'>, platformId: PlatformId, ids: readonly QuoteId[]): Promise<ReadonlyMap<QuoteId, ScaChallenge>>;
};

/** Strong customer authentication. */
export const strongAuthentication = defineHook<StrongAuthentication>('quotes.strong-authentication');
