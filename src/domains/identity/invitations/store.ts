// All SQL of invitations.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { assert } from '../../../kernel/errors.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Invitation, InvitationStatus } from './invitation.js';

type Reader = Pick<Tx, 'one'>;

type InvitationRow = {
  platform_id: string;
  id: string;
  code: string;
  customer_id: string;
  inviter_uma: string;
  first_name: string | null;
  amount: bigint | null;
  currency: string | null;
  status: InvitationStatus;
  invitee_uma: string | null;
  claimed_at: Date | null;
  expires_at: Date | null;
  created_at: Date;
};

function outcomeOf({ status, invitee_uma: inviteeUma, claimed_at: claimedAt }: InvitationRow) {
  if (status !== 'CLAIMED') return { status };
  assert(inviteeUma !== null && claimedAt !== null, 'a claimed invitation says by whom and when');
  return { status, inviteeUma, claimedAt };
}

const toInvitation = (row: InvitationRow): Invitation => ({
  ...outcomeOf(row),
  id: idOf('Invitation', row.id),
  platformId: idOf('Platform', row.platform_id),
  code: row.code,
  customerId: idOf('Customer', row.customer_id),
  inviterUma: row.inviter_uma,
  firstName: row.first_name,
  amountToSend: row.amount === null || row.currency === null ? null : { amount: row.amount, currency: row.currency },
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});

const byCode = (platformId: PlatformId, code: string): Sql => sql`
  select * from invitations where platform_id = ${uuidOf(platformId)} and code = ${code}`;

export async function findInvitation(tx: Reader, platformId: PlatformId, code: string): Promise<Invitation | undefined> {
  const row = await tx.one<InvitationRow>(byCode(platformId, code));
  return row && toInvitation(row);
}

export async function lockInvitation(tx: Tx, platformId: PlatformId, code: string): Promise<Invitation | undefined> {
  const row = await tx.one<InvitationRow>(sql`${byCode(platformId, code)} for update`);
  return row && toInvitation(row);
}

export function insertInvitation(tx: Tx, invitation: Invitation): void {
  const { amountToSend } = invitation;
  tx.send(sql`
    insert into invitations (platform_id, id, code, customer_id, inviter_uma, first_name, amount, currency, status, expires_at, created_at)
    values (${uuidOf(invitation.platformId)}, ${uuidOf(invitation.id)}, ${invitation.code}, ${uuidOf(invitation.customerId)},
      ${invitation.inviterUma}, ${invitation.firstName}, ${amountToSend?.amount ?? null}, ${amountToSend?.currency ?? null},
      ${invitation.status}, ${invitation.expiresAt}, ${invitation.createdAt})`);
}

/** Writes what a claim or a cancellation changes. */
export function saveInvitation(tx: Tx, invitation: Invitation): void {
  const [inviteeUma, claimedAt] = invitation.status === 'CLAIMED' ? [invitation.inviteeUma, invitation.claimedAt] : [null, null];
  tx.send(sql`
    update invitations set status = ${invitation.status}, invitee_uma = ${inviteeUma}, claimed_at = ${claimedAt}
    where platform_id = ${uuidOf(invitation.platformId)} and id = ${uuidOf(invitation.id)}`);
}

/** Ends the open invitations of a customer. Those past their expiry stay expired. */
export function cancelInvitationsOf(tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): void {
  tx.send(sql`
    update invitations set status = case when expires_at <= ${now} then 'EXPIRED' else 'CANCELLED' end
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and status = 'PENDING'`);
}

// ---- expiry

export const firstExpiry = (condition: PlatformCondition): Sql => sql`
  select platform_id, expires_at as at from invitations
  where ${condition(sql`platform_id`)} and status = 'PENDING' and expires_at is not null order by platform_id, expires_at limit 1`;

/** Ends invitations whose time is over, some at a time; returns how many. One that is being claimed is left to the next run. */
export const expireInvitations = (tx: Tx, platformId: PlatformId, now: Date, limit: number): Promise<number> =>
  tx.run(sql`
    update invitations set status = 'EXPIRED'
    where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from invitations
      where platform_id = ${uuidOf(platformId)} and status = 'PENDING' and expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked))`);
