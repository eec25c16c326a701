// Pays to UMA addresses: hands an executed payment to the provider of its receiver.
import { assert } from '../../../kernel/errors.js';
import type { UmaPayout } from '../payments/hooks.js';
import { findPayout } from './store.js';
import type { UmaPeers } from './uma.js';

export type PayDeps = { readonly umaPeers: UmaPeers };

export const payToUma =
  ({ umaPeers }: PayDeps): UmaPayout =>
  async (tx, { platformId, payment }) => {
    const agreement = await findPayout(tx, platformId, payment.id);
    assert(agreement, 'a payment to a UMA address was agreed with its provider');
    const { receiver } = agreement;
    return umaPeers.find(receiver.slice(receiver.indexOf('@') + 1))?.outcomeOf?.(receiver) ?? [];
  };
