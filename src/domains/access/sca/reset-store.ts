// SQL of resets of a lost factor.
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { EnrolledType, Reset, ResetId, ResetState, ScaFactor } from './sca.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type ResetRow = {
  id: string;
  customer_id: string;
  factor: ScaFactor;
  status: ResetState;
  end_user_ip: string;
  created_at: Date;
  expires_at: Date;
  completed_at: Date | null;
  enrolled_at: Date | null;
};

const toReset = (row: ResetRow): Reset => ({
  id: idOf('TwoFactorReset', row.id),
  customerId: idOf('Customer', row.customer_id),
  factor: row.factor,
  status: row.status,
  endUserIpAddress: row.end_user_ip,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  completedAt: row.completed_at,
  enrolledAt: row.enrolled_at,
});

/** The reset, or 404. An id that cannot name one (undefined) and a reset of another customer get the same answer. */
export async function getReset(tx: Reader, platformId: PlatformId, customerId: CustomerId, id: ResetId | undefined): Promise<Reset> {
  const reset = id && (await findReset(tx, platformId, id));
  if (reset?.customerId !== customerId) throw new ApiError('NOT_FOUND');
  return reset;
}

export async function findReset(tx: Reader, platformId: PlatformId, id: ResetId): Promise<Reset | undefined> {
  const row = await tx.one<ResetRow>(sql`select * from sca_resets where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row && toReset(row);
}

export function insertReset(tx: Tx, platformId: PlatformId, reset: Reset): void {
  tx.send(sql`
    insert into sca_resets (platform_id, id, customer_id, factor, status, end_user_ip, created_at, expires_at, completed_at, enrolled_at)
    values (${uuidOf(platformId)}, ${uuidOf(reset.id)}, ${uuidOf(reset.customerId)}, ${reset.factor}, ${reset.status}, ${reset.endUserIpAddress},
      ${reset.createdAt}, ${reset.expiresAt}, ${reset.completedAt}, ${reset.enrolledAt})`);
}

export function saveReset(tx: Tx, platformId: PlatformId, reset: Reset): void {
  tx.send(sql`
    update sca_resets set status = ${reset.status}, completed_at = ${reset.completedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(reset.id)}`);
}

/** A new start ends the open one. */
export function expireOpenResets(tx: Tx, platformId: PlatformId, customerId: CustomerId): void {
  tx.send(sql`
    update sca_resets set status = 'EXPIRED'
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)}
      and status in ('INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED')`);
}

/** The factor was enrolled again: completed resets of it are done. */
export function markEnrolled(tx: Tx, platformId: PlatformId, customerId: CustomerId, factor: EnrolledType, now: Date): void {
  tx.send(sql`
    update sca_resets set enrolled_at = ${now}
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and factor = ${factor} and status = 'COMPLETED'
      and enrolled_at is null`);
}
