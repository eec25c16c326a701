// SQL of card disputes.
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { idOf, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import type { Disposition, Dispute } from './dispute.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type DisputeRow = {
  id: string;
  token: string;
  transaction_id: string;
  amount: bigint;
  reason: string | null;
  credited: bigint;
  status: Dispute['status'];
  disposition: Disposition | null;
  recovered: bigint;
};

export async function findOpenDispute(tx: Reader, platformId: PlatformId, transactionId: TransactionId): Promise<Dispute | undefined> {
  const row = await tx.one<DisputeRow>(sql`
    select id, token, transaction_id, amount, reason, credited, status, disposition, recovered from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(transactionId)} and status = 'OPEN'`);
  return row && { ...row, id: idOf('CardDispute', row.id), transactionId: idOf('Transaction', row.transaction_id) };
}

/** What disputes of the transaction have recovered, plus what an open one claims. */
export async function findDisputed(tx: Reader, platformId: PlatformId, transactionId: TransactionId): Promise<bigint> {
  const row = await tx.one<{ disputed: bigint }>(sql`
    select coalesce(sum(case status when 'OPEN' then amount else recovered end), 0)::bigint as disputed from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(transactionId)}`);
  return row?.disputed ?? 0n;
}

export function insertDispute(tx: Tx, platformId: PlatformId, dispute: Dispute, now: Date): void {
  tx.send(sql`
    insert into card_disputes (platform_id, id, token, transaction_id, amount, reason, credited, status, disposition, recovered, opened_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(dispute.id)}, ${dispute.token}, ${uuidOf(dispute.transactionId)}, ${dispute.amount}, ${dispute.reason},
            ${dispute.credited}, ${dispute.status}, ${dispute.disposition}, ${dispute.recovered}, ${now}, ${now})`);
}

export function saveDispute(tx: Tx, platformId: PlatformId, dispute: Dispute, now: Date): void {
  tx.send(sql`
    update card_disputes set credited = ${dispute.credited}, status = ${dispute.status}, disposition = ${dispute.disposition},
      recovered = ${dispute.recovered}, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(dispute.id)}`);
}
