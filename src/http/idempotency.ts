// Idempotency-Key: the first answer is stored in the transaction of its effect; a replay gets the same status and bytes.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Tx } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { deleteInBatches, type Upkeep } from '../db/upkeep.js';
import { ApiError, assert, invalidField } from '../kernel/errors.js';
import { type PlatformId, uuidOf } from '../kernel/ids.js';
import { canonicalJson } from '../kernel/json.js';
import { plusMs } from '../kernel/time.js';
import type { KeyCustody } from '../providers/key-custody.js';

/** The payload is text, or the bytes of the text where these exist already: sent and stored are the same. */
export type Reply = { readonly status: number; readonly payload: string | Buffer };
/** What an effect answers, and what its repeats get instead, where the answer must not be stored. A sealed answer is stored encrypted. */
export type Effect = Reply & { readonly replay?: Reply; readonly isSealed?: boolean };
export type IdempotencyOptions = { readonly secrets: { readonly requestHashKey: Buffer }; readonly custody: KeyCustody };

/** Binds a sealed answer to platform and key: in another row it does not open. */
export const answerContext = (platformId: PlatformId, key: string): string => `idempotent answer ${platformId} ${key}`;

const inBytes = ({ status, payload }: Reply): { readonly status: number; readonly payload: Buffer } => ({
  status,
  payload: typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload,
});

/** The header's value, or undefined when it was not sent. */
export function idempotencyKeyOf(header: string | string[] | undefined, required: boolean): string | undefined {
  if (header === undefined) {
    if (required) throw invalidField('Idempotency-Key', 'is required');
    return undefined;
  }
  if (typeof header !== 'string' || header.length < 1 || header.length > 255 || !/^[\x20-\x7e]+$/.test(header)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable characters', { minLength: 1, maxLength: 255 });
  }
  return header;
}

export type KeyedRequest = {
  readonly platformId: PlatformId;
  readonly key: string;
  readonly operation: string;
  readonly target: string;
  readonly body: unknown;
};

/** Keyed, because a body may hold a secret that must not be open to guessing. */
export const requestHash = ({ secrets }: IdempotencyOptions, { operation, target, body }: KeyedRequest): Buffer =>
  createHmac('sha256', secrets.requestHashKey)
    .update(canonicalJson([operation, target, body]))
    .digest();

/** Whether a request with this key was answered, whatever the request was. */
export const isAnswered = async (tx: Pick<Tx, 'one'>, { platformId, key }: KeyedRequest): Promise<boolean> =>
  (await tx.one(sql`select from idempotency_keys where platform_id = ${uuidOf(platformId)} and key = ${key}`)) !== undefined;

/**
 * Runs `effect` at most once for the key. The claim is the first statement of the transaction, so a concurrent duplicate
 * waits for the first and then finds its answer. A refused effect rolls back together with its claim: the key stays free.
 */
export async function once(
  tx: Tx,
  request: KeyedRequest,
  options: IdempotencyOptions,
  effect: () => Promise<Effect>,
): Promise<Reply & { replayed: boolean }> {
  const { platformId, key } = request;
  const { custody } = options;
  const hash = requestHash(options, request);
  const claimed = await tx.run(sql`
    insert into idempotency_keys (platform_id, key, request_hash) values (${uuidOf(platformId)}, ${key}, ${hash})
    on conflict (platform_id, key) do nothing`);

  if (claimed === 0) {
    // The lock is a write, so COMMIT waits for the synchronous standby: what is answered again cannot be lost with the server either.
    const stored = await tx.one<{ request_hash: Buffer; status: number | null; answer: Buffer | null; answer_sealed: Buffer | null }>(sql`
      select request_hash, status, answer, answer_sealed from idempotency_keys where platform_id = ${uuidOf(platformId)} and key = ${key}
      for key share`);
    // Swept away between the two statements: as good as a concurrent duplicate.
    if (!stored || !timingSafeEqual(stored.request_hash, hash)) {
      throw new ApiError('CONFLICT', { cause: 'IDEMPOTENCY_KEY_REUSED' }, { reason: 'The Idempotency-Key was used for another request.' });
    }
    const answer = stored.answer_sealed ? custody.open(stored.answer_sealed, answerContext(platformId, key)) : stored.answer;
    assert(stored.status !== null && answer !== null, 'a committed idempotency record has an answer');
    return { status: stored.status, payload: answer, replayed: true };
  }

  const { replay, isSealed = false, ...first } = await effect();
  const reply = inBytes(first);
  const { status, payload } = replay ? inBytes(replay) : reply;
  tx.send(sql`
    update idempotency_keys set status = ${status}, answer = ${isSealed ? null : payload},
      answer_sealed = ${isSealed ? custody.seal(payload, answerContext(platformId, key)) : null}
    where platform_id = ${uuidOf(platformId)} and key = ${key}`);
  return { ...reply, replayed: false };
}

/** Forgets records of one platform that are older than `lifeMs`; callers are promised at least 24 hours. */
export const idempotencyUpkeep = (lifeMs: number): Upkeep => ({
  name: 'idempotency-retention',
  everyMs: 10 * 60_000,
  run: async (db, platformId, now, isOver) => {
    await deleteInBatches((limit) => deleteRecords(db, platformId, plusMs(now, -lifeMs), limit), isOver);
  },
});

const deleteRecords = (db: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  db.run(sql`
    delete from idempotency_keys where platform_id = ${uuidOf(platformId)} and key = any(array(
      select key from idempotency_keys
      where platform_id = ${uuidOf(platformId)} and created_at > '-infinity' and created_at < ${before}
      order by created_at limit ${limit} for update skip locked))`);
