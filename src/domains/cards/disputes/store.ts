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

/** What disputes of each transaction have recovered, plus what an open one claims. Transactions without a dispute are left out. */
export async function findDisputed(
  tx: Reader,
  platformId: PlatformId,
  transactionIds: readonly TransactionId[],
): Promise<Map<TransactionId, bigint>> {
  const rows = await tx.many<{ transaction_id: string; disputed: bigint }>(sql`
    select transaction_id, sum(case status when 'OPEN' then amount else recovered end)::bigint as disputed from card_disputes
    where platform_id = ${uuidOf(platformId)} and transaction_id = any(${transactionIds.map(uuidOf)}::uuid[]) group by transaction_id`);
  return new Map(rows.map((row) => [idOf('Transaction', row.transaction_id), row.disputed]));
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
