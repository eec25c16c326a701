// All SQL of issuer credentials.
import { platformTime } from '../../../db/platform-time.js';
import type { Db, Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { Mode } from '../../core/platform/platform.js';
import type { IssuerCredential, IssuerCredentialId } from './issuer-credential.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type Row = { platform_id: string; id: string; program: string; certificate_sha256: Buffer | null; created_at: Date };

const toCredential = (row: Row): IssuerCredential => ({
  id: idOf('IssuerCredential', row.id),
  platformId: idOf('Platform', row.platform_id),
  program: row.program,
  certificateSha256: row.certificate_sha256,
  createdAt: row.created_at,
});

/** A credential that is not revoked, with its sealed secret, the time of its platform and the real time. */
export type StoredCredential = {
  readonly credential: IssuerCredential;
  readonly secretSealed: Buffer | null;
  readonly now: Date;
  readonly realNow: Date;
};

export async function findUsable(
  db: Pick<Db, 'many'>,
  mode: Mode,
  platformId: PlatformId,
  ids: readonly IssuerCredentialId[],
): Promise<StoredCredential[]> {
  const rows = await db.many<Row & { secret_sealed: Buffer | null; now: Date; real_now: Date }>(sql`
    select c.*, ${platformTime} as now, clock_timestamp() as real_now
    from platforms p cross join unnest(${ids.map(uuidOf)}::uuid[]) k (id) cross join lateral (
      select * from issuer_credentials where platform_id = ${uuidOf(platformId)} and id = k.id and revoked_at is null limit 1) c
    where p.id = ${uuidOf(platformId)} and p.mode = ${mode}`);
  return rows.map((row) => ({
    credential: toCredential(row),
    secretSealed: row.secret_sealed,
    now: row.now,
    realNow: row.real_now,
  }));
}

/** Whether any platform of the installation has a credential. */
export const hasAny = async (db: Reader, mode: Mode): Promise<boolean> =>
  (await db.one(sql`
    select 1 from issuer_credentials c join platforms p on p.id = c.platform_id and p.mode = ${mode} where c.revoked_at is null limit 1`)) !==
  undefined;

/** The platform's credentials that are not revoked, newest first. */
export const listCredentials = async (tx: Reader, platformId: PlatformId): Promise<IssuerCredential[]> =>
  (
    await tx.many<Row>(sql`
      select * from issuer_credentials where platform_id = ${uuidOf(platformId)} and revoked_at is null order by id desc`)
  ).map(toCredential);

export function insertCredential(tx: Tx, credential: IssuerCredential, secretSealed: Buffer | null): void {
  tx.send(sql`
    insert into issuer_credentials (platform_id, id, program, secret_sealed, certificate_sha256, created_at)
    values (${uuidOf(credential.platformId)}, ${uuidOf(credential.id)}, ${credential.program}, ${secretSealed},
            ${credential.certificateSha256}, ${credential.createdAt})`);
}

/** False when there is no such credential, or it is revoked already. */
export const revokeCredential = async (tx: Tx, platformId: PlatformId, id: IssuerCredentialId, now: Date): Promise<boolean> =>
  (await tx.run(sql`
    update issuer_credentials set revoked_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and revoked_at is null`)) > 0;
