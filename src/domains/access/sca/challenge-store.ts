// SQL of challenges. The caller has locked the customer before it writes.
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Answerable, Challenge, PaymentStep, Purpose, ScaFactor } from './sca.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type ChallengeRow = {
  customer_id: string;
  purpose: Purpose;
  target_id: string;
  id: string;
  factor: ScaFactor;
  step: PaymentStep | null;
  code_hash: Buffer;
  passkey_nonce: Buffer;
  tries_left: number;
  created_at: Date;
  expires_at: Date;
};

const TARGET_KINDS = { LOGIN: 'Customer', TRUST: 'ExternalAccount', UNTRUST: 'ExternalAccount', PAYMENT: 'Quote' } as const;

/** A check of the table guarantees that the column of the factor is set. */
function toAnswerable(row: ChallengeRow): Answerable {
  switch (row.factor) {
    case 'SMS_OTP':
      return { factor: row.factor, codeHash: row.code_hash };
    case 'TOTP':
      return { factor: row.factor };
    case 'PASSKEY':
      return { factor: row.factor, nonce: row.passkey_nonce };
  }
}

const toChallenge = (row: ChallengeRow): Challenge => ({
  id: idOf('ScaChallenge', row.id),
  customerId: idOf('Customer', row.customer_id),
  purpose: row.purpose,
  targetId: idOf(TARGET_KINDS[row.purpose], row.target_id),
  step: row.step,
  triesLeft: row.tries_left,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  ...toAnswerable(row),
});

/** What a customer has one challenge for at a time. */
export type ChallengeKey = Pick<Challenge, 'customerId' | 'purpose' | 'targetId'>;

const hasKey = (platformId: PlatformId, { customerId, purpose, targetId }: ChallengeKey): Sql => sql`
  platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and purpose = ${purpose} and target_id = ${uuidOf(targetId)}`;

export async function findChallenge(tx: Reader, platformId: PlatformId, key: ChallengeKey): Promise<Challenge | undefined> {
  const row = await tx.one<ChallengeRow>(sql`select * from sca_challenges where ${hasKey(platformId, key)}`);
  return row && toChallenge(row);
}

/** Replaces the open challenge of the same key. */
export function saveChallenge(tx: Tx, platformId: PlatformId, challenge: Challenge): void {
  tx.send(sql`
    insert into sca_challenges (platform_id, customer_id, purpose, target_id, id, factor, step, code_hash, passkey_nonce, tries_left, created_at,
      expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(challenge.customerId)}, ${challenge.purpose}, ${uuidOf(challenge.targetId)}, ${uuidOf(challenge.id)},
      ${challenge.factor}, ${challenge.step}, ${challenge.factor === 'SMS_OTP' ? challenge.codeHash : null},
      ${challenge.factor === 'PASSKEY' ? challenge.nonce : null}, ${challenge.triesLeft}, ${challenge.createdAt}, ${challenge.expiresAt})
    on conflict (platform_id, customer_id, purpose, target_id) do update set id = excluded.id, factor = excluded.factor, step = excluded.step,
      code_hash = excluded.code_hash, passkey_nonce = excluded.passkey_nonce, tries_left = excluded.tries_left,
      created_at = excluded.created_at, expires_at = excluded.expires_at`);
}

export function deleteChallenge(tx: Tx, platformId: PlatformId, key: ChallengeKey): void {
  tx.send(sql`delete from sca_challenges where ${hasKey(platformId, key)}`);
}

/** The factor is gone. A payment keeps its challenge, without tries: it fails when its time is over. */
export function voidChallengesOfFactor(tx: Tx, platformId: PlatformId, customerId: CustomerId, factor: ScaFactor): void {
  const ofFactor = sql`platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and factor = ${factor}`;
  tx.send(sql`delete from sca_challenges where ${ofFactor} and purpose <> 'PAYMENT'`);
  // Those of payments are left. To name the purpose would make the planner read all challenges of payments.
  tx.send(sql`update sca_challenges set tries_left = 0 where ${ofFactor}`);
}

// ---- challenges of payments that were never satisfied

/** How long a challenge is kept after its time, so that a late proof is told so. */
const KEPT = sql`interval '1 day'`;

export const firstStaleChallenge: Job['firstDue'] = (condition) => sql`
  select platform_id, expires_at + ${KEPT} as at from sca_challenges where ${condition(sql`platform_id`)} and purpose = 'PAYMENT'
  order by platform_id, expires_at limit 1`;

/** Deletes about `limit` rows, those that expire at the same time together; returns how many it deleted. */
export const deleteStaleChallenges = (tx: Tx, platformId: PlatformId, now: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from sca_challenges where platform_id = ${uuidOf(platformId)} and purpose = 'PAYMENT' and expires_at <= (
      select max(expires_at) from (
        select expires_at from sca_challenges
        where platform_id = ${uuidOf(platformId)} and purpose = 'PAYMENT' and expires_at <= ${now}::timestamptz - ${KEPT}
        order by expires_at limit ${limit}) stale)`);
