import { deleteInBatches } from '../../../db/upkeep.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { FRESH_SECONDS } from '../../../providers/uma/signatures.js';
import { umaIncoming, umaPayout } from '../payments/hooks.js';
import { deliverNotices } from './deliver.js';
import { payToUma } from './pay.js';
import { umaSender } from './receive.js';
import { umaRoutes } from './routes.js';
import { deleteOldNonces, deleteUnpaid, firstNotice, firstUnpaid } from './store.js';

/** A nonce is kept for as long as its message would be taken, and some more. */
const NONCE_LIFE_MS = 3 * FRESH_SECONDS * 1_000;

export const uma: Module = {
  name: 'payments/uma',
  tables: ['uma_keys', 'uma_nonces', 'uma_invoices', 'uma_payouts', 'uma_notices'],
  listeners: [listen(umaPayout, (context) => payToUma(context)), listen(umaIncoming, (context) => umaSender(context))],
  create: (context) => ({
    operations: umaRoutes({ ...context, mode: context.config.mode }),
    jobs: [
      {
        name: 'uma-notices',
        firstDue: firstNotice,
        run: (db, platformId, now, isOver) => deliverNotices(db, context, platformId, now, isOver),
      },
      {
        name: 'uma-invoice-expiry',
        firstDue: firstUnpaid,
        run: (db, platformId, now, isOver) => deleteInBatches((limit) => deleteUnpaid(db, platformId, now, limit), isOver),
      },
    ],
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
