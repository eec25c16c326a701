// SQL of a customer's factors, enrolments, session, lock and limits. The caller has locked the customer before it writes.
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type CustomerId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Customer } from '../../identity/customers/customer.js';
import { NO_SECURITY, wrongProof } from './rules.js';
import type { EnrolledType, Enrollment, Factors, LimitedAction, Passkey, ScaFactor, Security, Session, Totp } from './sca.js';

type Reader = Pick<Tx, 'one' | 'many'>;

const ofCustomer = (platformId: PlatformId, customerId: CustomerId): Sql =>
  sql`platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)}`;

// ---- session and lock

type SecurityRow = {
  failed_attempts: number;
  locked_until: Date | null;
  suspended: boolean;
  session_factor: ScaFactor | null;
  session_ip: string | null;
  session_started_at: Date | null;
  session_expires_at: Date | null;
  totp_steps: (bigint | string)[];
};

function toSession(row: SecurityRow): Session | undefined {
  const { session_factor: factor, session_ip: endUserIpAddress, session_started_at: startedAt, session_expires_at: expiresAt } = row;
  if (factor === null || endUserIpAddress === null || startedAt === null || expiresAt === null) return undefined;
  return { factor, endUserIpAddress, startedAt, expiresAt };
}

const securityOf = (platformId: PlatformId, customerId: CustomerId): Sql =>
  sql`select * from sca_customers where ${ofCustomer(platformId, customerId)}`;

export const findSecurity = async (tx: Reader, platformId: PlatformId, customerId: CustomerId): Promise<Security> =>
  toSecurity(await tx.one<SecurityRow>(securityOf(platformId, customerId)));

export const lockSecurity = async (tx: Tx, platformId: PlatformId, customerId: CustomerId): Promise<Security> =>
  toSecurity(await tx.one<SecurityRow>(sql`${securityOf(platformId, customerId)} for update`));

/** A customer that never used strong authentication has no row. */
function toSecurity(row: SecurityRow | undefined): Security {
  if (!row) return NO_SECURITY;
  return {
    failedAttempts: row.failed_attempts,
    lockedUntil: row.locked_until,
    isSuspended: row.suspended,
    session: toSession(row),
    totpSteps: row.totp_steps.map(Number),
  };
}

export function saveSecurity(tx: Tx, platformId: PlatformId, customerId: CustomerId, security: Security): void {
  const { session } = security;
  tx.send(sql`
    insert into sca_customers (platform_id, customer_id, failed_attempts, locked_until, suspended, session_factor, session_ip,
      session_started_at, session_expires_at, totp_steps)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, ${security.failedAttempts}, ${security.lockedUntil}, ${security.isSuspended},
      ${session?.factor ?? null}, ${session?.endUserIpAddress ?? null}, ${session?.startedAt ?? null}, ${session?.expiresAt ?? null},
      ${[...security.totpSteps]})
    on conflict (platform_id, customer_id) do update set failed_attempts = excluded.failed_attempts, locked_until = excluded.locked_until,
      suspended = excluded.suspended, session_factor = excluded.session_factor, session_ip = excluded.session_ip,
      session_started_at = excluded.session_started_at, session_expires_at = excluded.session_expires_at, totp_steps = excluded.totp_steps`);
}

export function endSession(tx: Tx, platformId: PlatformId, customerId: CustomerId): void {
  tx.send(sql`
    update sca_customers set session_factor = null, session_ip = null, session_started_at = null, session_expires_at = null
    where ${ofCustomer(platformId, customerId)}`);
}

// ---- factors

type FactorRow = {
  type: EnrolledType;
  totp_secret_sealed: Buffer;
  recovery_code_hashes: Buffer[];
  passkey_id: string;
  passkey_public_key: Buffer;
  passkey_counter: bigint;
  passkey_rp_id: string;
};

const toTotp = (row: FactorRow): Totp => ({ secretSealed: row.totp_secret_sealed, recoveryCodeHashes: row.recovery_code_hashes });

const toPasskey = (row: FactorRow): Passkey => ({
  credentialId: row.passkey_id,
  publicKey: row.passkey_public_key,
  counter: Number(row.passkey_counter),
  rpId: row.passkey_rp_id,
});

type Contact = Pick<Customer, 'id' | 'phoneNumber' | 'phoneVerifiedAt'>;

export async function findFactors(tx: Reader, platformId: PlatformId, customer: Contact): Promise<Factors> {
  const rows = await tx.many<FactorRow>(sql`select * from sca_factors where ${ofCustomer(platformId, customer.id)}`);
  const totp = rows.find(({ type }) => type === 'TOTP');
  const passkey = rows.find(({ type }) => type === 'PASSKEY');
  return {
    phone: customer.phoneVerifiedAt === null ? undefined : (customer.phoneNumber ?? undefined),
    totp: totp && toTotp(totp),
    passkey: passkey && toPasskey(passkey),
  };
}

export function insertTotp(tx: Tx, platformId: PlatformId, customerId: CustomerId, totp: Totp, now: Date): void {
  tx.send(sql`
    insert into sca_factors (platform_id, customer_id, type, totp_secret_sealed, recovery_code_hashes, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, 'TOTP', ${totp.secretSealed}, ${[...totp.recoveryCodeHashes]}, ${now})`);
}

/** A passkey of another customer is refused like any other wrong one. */
export async function insertPasskey(tx: Tx, platformId: PlatformId, customerId: CustomerId, passkey: Passkey, now: Date): Promise<void> {
  await tx
    .run(
      sql`
    insert into sca_factors (platform_id, customer_id, type, passkey_id, passkey_public_key, passkey_counter, passkey_rp_id, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, 'PASSKEY', ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.counter},
      ${passkey.rpId}, ${now})`,
    )
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'sca_factors_passkey' ? wrongProof('ASSERTION_INVALID') : error;
    });
}

export function saveCounter(tx: Tx, platformId: PlatformId, customerId: CustomerId, counter: number): void {
  tx.send(sql`
    update sca_factors set passkey_counter = ${counter} where ${ofCustomer(platformId, customerId)} and type = 'PASSKEY'`);
}

export function saveRecoveryCodes(tx: Tx, platformId: PlatformId, customerId: CustomerId, hashes: readonly Buffer[]): void {
  tx.send(sql`
    update sca_factors set recovery_code_hashes = ${[...hashes]} where ${ofCustomer(platformId, customerId)} and type = 'TOTP'`);
}

export function deleteFactor(tx: Tx, platformId: PlatformId, customerId: CustomerId, type: EnrolledType): void {
  tx.send(sql`delete from sca_factors where ${ofCustomer(platformId, customerId)} and type = ${type}`);
}

// ---- enrolments

type EnrollmentRow = {
  type: EnrolledType;
  totp_secret_sealed: Buffer;
  passkey_challenge: Buffer;
  tries_left: number;
  expires_at: Date;
};

/** A check of the table guarantees that the column of the type is set. */
const toEnrollment = (row: EnrollmentRow): Enrollment => {
  const common = { triesLeft: row.tries_left, expiresAt: row.expires_at };
  return row.type === 'TOTP'
    ? { ...common, type: row.type, secretSealed: row.totp_secret_sealed }
    : { ...common, type: row.type, challenge: row.passkey_challenge };
};

export async function findEnrollment(
  tx: Reader,
  platformId: PlatformId,
  customerId: CustomerId,
  type: EnrolledType,
): Promise<Enrollment | undefined> {
  const row = await tx.one<EnrollmentRow>(
    sql`select * from sca_enrollments where ${ofCustomer(platformId, customerId)} and type = ${type}`,
  );
  return row && toEnrollment(row);
}

/** Replaces an open enrolment of the same type. */
export function saveEnrollment(tx: Tx, platformId: PlatformId, customerId: CustomerId, enrollment: Enrollment): void {
  tx.send(sql`
    insert into sca_enrollments (platform_id, customer_id, type, totp_secret_sealed, passkey_challenge, tries_left, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, ${enrollment.type}, ${enrollment.type === 'TOTP' ? enrollment.secretSealed : null},
      ${enrollment.type === 'PASSKEY' ? enrollment.challenge : null}, ${enrollment.triesLeft}, ${enrollment.expiresAt})
    on conflict (platform_id, customer_id, type) do update set totp_secret_sealed = excluded.totp_secret_sealed,
      passkey_challenge = excluded.passkey_challenge, tries_left = excluded.tries_left, expires_at = excluded.expires_at`);
}

export function deleteEnrollment(tx: Tx, platformId: PlatformId, customerId: CustomerId, type: EnrolledType): void {
  tx.send(sql`delete from sca_enrollments where ${ofCustomer(platformId, customerId)} and type = ${type}`);
}

// ---- limits

export async function findUses(tx: Reader, platformId: PlatformId, customerId: CustomerId, action: LimitedAction): Promise<Date[]> {
  const row = await tx.one<{ used_at: Date[] }>(
    sql`select used_at from sca_limits where ${ofCustomer(platformId, customerId)} and action = ${action}`,
  );
  return row?.used_at ?? [];
}

export function saveUses(tx: Tx, platformId: PlatformId, customerId: CustomerId, action: LimitedAction, usedAt: readonly Date[]): void {
  tx.send(sql`
    insert into sca_limits (platform_id, customer_id, action, used_at)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, ${action}, ${[...usedAt]})
    on conflict (platform_id, customer_id, action) do update set used_at = excluded.used_at`);
}

// ---- a deleted customer

/** Challenges of payments stay until their time is over, like the payments. Without a session none of them can be satisfied. */
export function deleteAllOf(tx: Tx, platformId: PlatformId, customerId: CustomerId): void {
  const condition = ofCustomer(platformId, customerId);
  tx.send(sql`delete from sca_customers where ${condition}`);
  tx.send(sql`delete from sca_factors where ${condition}`);
  tx.send(sql`delete from sca_enrollments where ${condition}`);
  tx.send(sql`delete from sca_limits where ${condition}`);
  tx.send(sql`delete from sca_resets where ${condition}`);
  tx.send(sql`delete from sca_challenges where ${condition} and purpose <> 'PAYMENT'`);
}
