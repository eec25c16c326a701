// The expected effect of a PATCH of status and funding source, written from the specification and independent of the code.
import type { ErrorCode } from '../../src/kernel/errors.js';

export type World = {
  readonly status: 'PENDING_KYC' | 'PROCESSING' | 'PENDING' | 'ACTIVE' | 'FROZEN' | 'CLOSED';
  readonly statusReason: string | null;
  readonly funding: 'USD' | 'USDB';
  /** A usable delegated key for the pair of the card and its USDB account. */
  readonly hasKey: boolean;
  readonly decides: 'SERVICE' | 'ISSUER';
};

export type RequestedChange = { readonly status?: 'ACTIVE' | 'FROZEN' | 'CLOSED'; readonly funding?: 'USD' | 'USDB' };

export type Verdict = { readonly refusal: [number, ErrorCode] | null; readonly world: World; readonly webhook: boolean };

const refuse = (world: World, status: number, code: ErrorCode): Verdict => ({ refusal: [status, code], world, webhook: false });
const accept = (world: World, webhook: boolean): Verdict => ({ refusal: null, world, webhook });

/** "Allowed requested moves are exactly ACTIVE to/from FROZEN, PENDING to ACTIVE or FROZEN, and ACTIVE/PENDING/FROZEN to CLOSED". */
const ALLOWED = ['ACTIVE FROZEN', 'FROZEN ACTIVE', 'PENDING ACTIVE', 'PENDING FROZEN', 'ACTIVE CLOSED', 'PENDING CLOSED', 'FROZEN CLOSED'];

export function verdict(world: World, requested: RequestedChange): Verdict {
  // "fundingSource cannot be supplied with status: CLOSED" – refused for every card.
  if (requested.status === 'CLOSED' && requested.funding) return refuse(world, 400, 'INVALID_INPUT');

  // "closing an already closed card returns 409 CARD_ALREADY_CLOSED; any mutation of a CLOSED card returns 409 CARD_NOT_MUTABLE"
  if (world.status === 'CLOSED') return refuse(world, 409, requested.status === 'CLOSED' ? 'CARD_ALREADY_CLOSED' : 'CARD_NOT_MUTABLE');

  const funding = requested.funding ?? world.funding;
  const lacksKey = funding === 'USDB' && !world.hasKey;
  if (requested.status) {
    // "any other requested move returns 409 INVALID_STATE_TRANSITION"
    if (!ALLOWED.includes(`${world.status} ${requested.status}`)) return refuse(world, 409, 'INVALID_STATE_TRANSITION');
    // "Activating a card whose USDB funding source lacks a usable delegated key returns 409 INVALID_STATE_TRANSITION"
    if (requested.status === 'ACTIVE' && lacksKey) return refuse(world, 409, 'INVALID_STATE_TRANSITION');
    // "On card programs where the card issuer makes authorization decisions, fundingSource cannot be combined with any status change"
    if (requested.funding && world.decides === 'ISSUER') return refuse(world, 400, 'INVALID_INPUT');
    // "The card.status_change webhook fires on every successful status transition"
    const statusReason = requested.status === 'CLOSED' ? 'CLOSED_BY_PLATFORM' : null;
    return accept({ ...world, funding, status: requested.status, statusReason }, true);
  }

  // "A fundingSource change … fires no webhook."
  const settled = { ...world, funding };
  if (!requested.funding) return accept(settled, false);
  // "ACTIVE | changing fundingSource to USDB | no active delegated key | PENDING"; a PENDING card without a key stays PENDING.
  if ((world.status === 'ACTIVE' || world.status === 'PENDING') && lacksKey) {
    return accept({ ...settled, status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' }, false);
  }
  // "PENDING (due to USDB) | fundingSource switched back to USD | restored to ACTIVE"; the key is no longer needed, or it exists.
  if (world.status === 'PENDING') return accept({ ...settled, status: 'ACTIVE', statusReason: null }, false);
  return accept(settled, false);
}

/** "ACTIVE | DELETE /auth/delegated-keys/{id}": an ACTIVE card on that funding source becomes PENDING; frozen and closed cards keep their status. */
export function afterRevocation(world: World): World {
  const keyless = { ...world, hasKey: false };
  return world.status === 'ACTIVE' && world.funding === 'USDB'
    ? { ...keyless, status: 'PENDING', statusReason: 'DELEGATION_REQUIRED' }
    : keyless;
}
