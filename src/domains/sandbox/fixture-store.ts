// SQL of the applied steps of fixtures.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import type { AppliedStep } from './fixture-rules.js';

/** Binds a sealed answer to its platform and step: in another row it does not open. */
export const stepAnswerContext = (platformId: PlatformId, fixture: string, step: string): string =>
  `fixture answer ${platformId} ${fixture} ${step}`;

export async function findAppliedSteps(
  tx: Pick<Tx, 'many'>,
  custody: KeyCustody,
  platformId: PlatformId,
  fixture: string,
): Promise<Map<string, AppliedStep>> {
  const rows = await tx.many<{ step: string; content_hash: Buffer; answer_sealed: Buffer }>(sql`
    select step, content_hash, answer_sealed from sandbox_fixture_steps where platform_id = ${uuidOf(platformId)} and fixture = ${fixture}`);
  return new Map(
    rows.map(({ step, content_hash, answer_sealed }) => [
      step,
      {
        hash: content_hash,
        answer: JSON.parse(custody.open(answer_sealed, stepAnswerContext(platformId, fixture, step)).toString('utf8')),
      },
    ]),
  );
}

export async function insertAppliedStep(
  tx: Pick<Tx, 'run'>,
  custody: KeyCustody,
  platformId: PlatformId,
  { fixture, step, hash, answer, now }: AppliedStep & { readonly fixture: string; readonly step: string; readonly now: Date },
): Promise<void> {
  const sealed = custody.seal(Buffer.from(JSON.stringify(answer)), stepAnswerContext(platformId, fixture, step));
  await tx.run(sql`
    insert into sandbox_fixture_steps (platform_id, fixture, step, content_hash, answer_sealed, applied_at)
    values (${uuidOf(platformId)}, ${fixture}, ${step}, ${hash}, ${sealed}, ${now})`);
}
