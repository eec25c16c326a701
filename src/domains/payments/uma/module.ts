import { deleteInBatches } from '../../../db/upkeep.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { FRESH_SECONDS } from '../../../providers/uma/signatures.js';
import { umaPayout } from '../payments/hooks.js';
import { payToUma } from './pay.js';
import { deleteOldNonces } from './store.js';

/** A nonce is kept for as long as its message would be taken, and some more. */
const NONCE_LIFE_MS = 3 * FRESH_SECONDS * 1_000;

export const uma: Module = {
  name: 'payments/uma',
  tables: ['uma_keys', 'uma_nonces', 'uma_invoices', 'uma_payouts'],
  listeners: [listen(umaPayout, (context) => payToUma(context))],
  create: () => ({
    upkeep: [
      {
        name: 'uma-nonces',
        everyMs: 10 * MINUTE_MS,
        run: async (db, platformId, now, isOver) => {
          await deleteInBatches((limit) => deleteOldNonces(db, platformId, plusMs(now, -NONCE_LIFE_MS), limit), isOver);
        },
      },
    ],
  }),
};
