// Sends notices to other providers until they are taken. A notice may arrive twice; the other side counts it once.
import type { Db } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { HOUR_MS, MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { writeNotice } from '../../../providers/uma/notices.js';
import { UmaUnreachable } from '../../../providers/uma/uma.js';
import { getPlatform } from '../../core/platform/actions.js';
import { insertMessages } from '../payments/actions.js';
import { keysOf, signerOf } from './keys.js';
import { deleteNotice, findDueNotices, takeNotice } from './store.js';
import type { DueNotice, UmaPeers } from './uma.js';

export type DeliverDeps = { readonly custody: KeyCustody; readonly umaPeers: UmaPeers };

const BATCH = 20;

/** The pause doubles from 15 seconds to an hour. An answer that says nothing definite is never taken for a refusal: money may have moved. */
const pauseMs = (attempts: number): number => Math.min(HOUR_MS, (MINUTE_MS / 4) * 2 ** Math.min(attempts, 10));

type Delivered = 'TAKEN' | 'REFUSED' | 'UNKNOWN';

/** Answers that mean "try again". */
const LATER: ReadonlySet<number> = new Set([401, 403, 404, 408, 424, 425, 429]);

async function send(db: Db, { custody, umaPeers }: DeliverDeps, platformId: PlatformId, notice: DueNotice, now: Date): Promise<Delivered> {
  const domain = new URL(notice.url).hostname;
  const peer = umaPeers.find(domain);
  if (!peer) return 'UNKNOWN';
  const own = signerOf(await getPlatform(db, platformId), await keysOf(db, custody, platformId, now));
  const body = writeNotice(own.privateKeys, own.domain, domain, notice.settlement);
  try {
    const { status } = await peer.send({ method: 'POST', url: notice.url, body }, own);
    if (status >= 200 && status < 300) return 'TAKEN';
    return status >= 400 && status < 500 && !LATER.has(status) ? 'REFUSED' : 'UNKNOWN';
  } catch (error) {
    if (error instanceof UmaUnreachable) return 'UNKNOWN';
    throw error;
  }
}

export async function deliverNotices(db: Db, deps: DeliverDeps, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number> {
  let done = 0;
  const due = await findDueNotices(db, platformId, now, BATCH);
  for (const notice of due) {
    if (isOver()) break;
    // Taken first, so that another worker does not send it at the same time; if this process is killed it is due again later.
    if (!(await takeNotice(db, platformId, notice, plusMs(now, pauseMs(notice.attempts))))) continue;
    const delivered = await send(db, deps, platformId, notice, now);
    done += 1;
    if (delivered === 'UNKNOWN') continue;
    await db.transaction(async (tx) => {
      deleteNotice(tx, platformId, notice.id);
      // The receiver's provider does not take the payment: it has failed before any money moved.
      if (delivered === 'REFUSED' && notice.settlement.outcome === 'PAID')
        insertMessages(
          tx,
          platformId,
          notice.paymentId,
          [{ id: 'FAILED', kind: 'FAILED', reason: 'COUNTERPARTY_POST_TX_FAILED', afterMs: 0 }],
          now,
        );
    });
  }
  return done;
}
