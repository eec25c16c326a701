// Signed retries and delegated keys, compared with their minimal cost: P-256 verification and the same SQL.
import { createHash, verify } from 'node:crypto';
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import { generateP256KeyPair, type P256KeyPair, publicKeyObject, signP256 } from '../src/providers/wallet-signer/p256.js';
import { makeStamp } from '../test/support/stamps.js';
import { atLeast, type Row, sideBySide } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const CALLERS = 32;
const CARDS_EACH = 400;
/** The default pool size of one process of the service. */
const CONNECTIONS = 10;
const OPTIONS = { callers: CALLERS, seconds: 4 };

type Owner = { readonly accountId: string; readonly keys: P256KeyPair; readonly signerId: string; readonly cards: string[] };
type Challenge = { readonly payloadToSign: string; readonly requestId: string };

export async function keys(): Promise<Row[]> {
  const service = await startBenchService();
  const plain = service.plainPool(CONNECTIONS);
  try {
    const { platform, owners } = await prepare(service, plain);
    return [await signedRetries(service, plain, platform, owners), await delegatedKeys(service, plain, platform, owners)];
  } finally {
    service.client.close();
    await plain.end();
    await service.stop();
  }
}

/** One provisioned wallet per caller, with a session and cards in DELEGATION_REQUIRED. */
async function prepare(service: BenchService, plain: pg.Pool): Promise<{ platform: string; owners: Owner[] }> {
  const owners: Owner[] = [];
  for (let i = 0; i < CALLERS; i += 1) {
    const customer = JSON.parse(
      await service.client.expect(201, 0, 'POST', '/customers', {
        customerType: 'INDIVIDUAL',
        fullName: 'Ada Lovelace',
        email: `${newUuid()}@example.com`,
      }),
    );
    const { rows } = await plain.query('select platform_id, id from internal_accounts where customer_id = $1 and type = $2', [
      customer.id.slice('Customer:'.length),
      'EMBEDDED_WALLET',
    ]);
    const [platform, account] = [rows[0].platform_id, rows[0].id] as [string, string];
    const owner: Owner = {
      accountId: account,
      keys: generateP256KeyPair(),
      signerId: newUuid(),
      cards: Array.from({ length: CARDS_EACH }, newUuid),
    };
    await plain.query(`insert into wallets (platform_id, account_id, recovery_phrase_sealed, created_at) values ($1, $2, '', now())`, [
      platform,
      account,
    ]);
    await plain.query(
      `insert into auth_sessions (platform_id, id, account_id, credential_id, public_key, created_at, updated_at, expires_at)
       select $1, $2, $3, id, $4, now(), now(), now() + interval '1 day' from auth_credentials where platform_id = $1 and account_id = $3`,
      [platform, owner.signerId, account, owner.keys.publicKey],
    );
    await plain.query(
      `insert into wallet_signers (platform_id, id, account_id, kind, public_key, policies, created_at, expires_at)
       values ($1, $2, $3, 'SESSION', $4, '{}', now(), now() + interval '1 day')`,
      [platform, owner.signerId, account, owner.keys.publicKey],
    );
    await plain.query(
      `insert into cards (platform_id, id, customer_id, platform_card_id, status, status_reason, program, form, currency, funding_account_id, funding_currency,
         funding_source_id, version, created_at, updated_at)
       select $1, c, $2, c::text, 'PENDING', 'DELEGATION_REQUIRED', 'service_full', 'VIRTUAL', 'USD', $3, 'USDB', c, 1, now(), now() from unnest($4::uuid[]) as c`,
      [platform, customer.id.slice('Customer:'.length), account, owner.cards],
    );
    await plain.query(
      `insert into card_funding_sources (platform_id, id, card_id, account_id, bound_at) select $1, c, c, $2, now() from unnest($3::uuid[]) as c`,
      [platform, account, owner.cards],
    );
    owners.push(owner);
  }
  const { rows } = await plain.query('select platform_id from wallets limit 1');
  return { platform: rows[0].platform_id, owners };
}

const signatureHeaders = (keys: P256KeyPair, { payloadToSign, requestId }: Challenge) => ({
  'service-wallet-signature': makeStamp(keys, payloadToSign),
  'request-id': requestId,
});

// ---- a signed call: the initial call and the signed retry

async function signedRetries({ client }: BenchService, plain: pg.Pool, platform: string, owners: readonly Owner[]): Promise<Row> {
  let flag = false;
  const { ours, theirs } = await sideBySide(
    {
      ours: async (caller) => {
        const { accountId, keys } = owners[caller] as Owner;
        const path = `/internal-accounts/InternalAccount:${accountId}`;
        flag = !flag;
        const body = { privateEnabled: flag };
        const challenge = JSON.parse(await client.expect(202, caller, 'PATCH', path, body)) as Challenge;
        await client.expect(200, caller, 'PATCH', path, body, signatureHeaders(keys, challenge));
      },
      theirs: async (caller) => {
        const owner = owners[caller] as Owner;
        const pending = await transaction(plain, async (query) => {
          await readWallet(query, platform, owner);
          return insertRequest(query, platform, owner);
        });
        await transaction(plain, async (query) => {
          await redeemRequest(query, platform, owner, pending);
          await readWallet(query, platform, owner);
          await query(
            'account',
            'update internal_accounts set private_enabled = $3, updated_at = now() where platform_id = $1 and id = $2',
            [platform, owner.accountId, true],
          );
        });
      },
    },
    OPTIONS,
  );
  return atLeast('signed call (202, signed retry)', ours, theirs, 'P-256 verification and the same SQL with plain pg', 0.4);
}

// ---- creation of a delegated key in three calls

async function delegatedKeys({ client }: BenchService, plain: pg.Pool, platform: string, owners: readonly Owner[]): Promise<Row> {
  const { ours, theirs } = await sideBySide(
    {
      ours: async (caller) => {
        const { accountId, keys, cards } = owners[caller] as Owner;
        const body = { cardId: `Card:${takeCard(cards)}`, internalAccountId: `InternalAccount:${accountId}`, nickname: 'Bench' };
        const send = async (status: number, challenge?: Challenge) =>
          JSON.parse(
            await client.expect(status, caller, 'POST', '/auth/delegated-keys', body, challenge && signatureHeaders(keys, challenge)),
          ) as Challenge;
        await send(201, await send(202, await send(202)));
      },
      theirs: async (caller) => {
        const owner = owners[caller] as Owner;
        const card = takeCard(owner.cards);
        const key = generateP256KeyPair();
        const id = newUuid();
        const gather = async (query: Query, lock: string) => {
          await query(
            `source${lock}`,
            `select funding_source_id from cards where platform_id = $1 and id = $2 and funding_account_id = $3 ${lock}`,
            [platform, card, owner.accountId],
          );
          await readWallet(query, platform, owner);
          await query('active', `select 1 from delegated_keys where platform_id = $1 and funding_source_id = $2 and status = 'ACTIVE'`, [
            platform,
            card,
          ]);
        };
        const first = await transaction(plain, async (query) => {
          await gather(query, '');
          return insertRequest(query, platform, owner);
        });
        const second = await transaction(plain, async (query) => {
          await redeemRequest(query, platform, owner, first);
          await query(
            'signer',
            `insert into wallet_signers (platform_id, id, account_id, kind, public_key, policies, created_at) values ($1, $2, $3, 'DELEGATED', $4, '{}', now())`,
            [platform, id, owner.accountId, key.publicKey],
          );
          await gather(query, '');
          await query(
            'pending',
            `insert into delegated_keys (platform_id, id, card_id, funding_source_id, account_id, public_key, private_key_sealed, nickname, status, created_at, updated_at)
             values ($1, $2, $3, $3, $4, $5, $6, 'Bench', 'PENDING', now(), now())`,
            [platform, id, card, owner.accountId, key.publicKey, key.privateKey],
          );
          return insertRequest(query, platform, owner);
        });
        await transaction(plain, async (query) => {
          await redeemRequest(query, platform, owner, second);
          await query('grant', `update wallet_signers set policies = '{SIGN,SELF_REVOKE}' where platform_id = $1 and id = $2`, [
            platform,
            id,
          ]);
          await gather(query, 'for update');
          await query('key', 'select 1 from delegated_keys where platform_id = $1 and id = $2 for update', [platform, id]);
          await query('activate', `update delegated_keys set status = 'ACTIVE', updated_at = now() where platform_id = $1 and id = $2`, [
            platform,
            id,
          ]);
          await query(
            'card',
            `update cards set status = 'ACTIVE', status_reason = null, version = version + 1, updated_at = now() where platform_id = $1 and id = $2`,
            [platform, card],
          );
          await query(
            'history',
            `insert into card_history (platform_id, card_id, version, cause, to_status, funding_account_id, at) values ($1, $2, 2, 'DELEGATION_COMPLETED', 'ACTIVE', $3, now())`,
            [platform, card, owner.accountId],
          );
        });
      },
    },
    OPTIONS,
    2,
  );
  return atLeast('delegated key (three calls)', ours, theirs, 'P-256 verification and the same SQL with plain pg', 0.4);
}

function takeCard(cards: string[]): string {
  const card = cards.pop();
  if (!card) throw new Error('the benchmark has no more cards: raise CARDS_EACH');
  return card;
}

// ---- the same with plain pg

type Query = (name: string, text: string, values: unknown[]) => Promise<pg.QueryResult>;

async function transaction<Result>(pool: pg.Pool, work: (query: Query) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work((name, text, values) => client.query({ name, text, values }));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function readWallet(query: Query, platform: string, { accountId }: Owner): Promise<void> {
  await query(
    'readAccount',
    `select a.*, l.available, l.total, p.card_program from internal_accounts a join ledger_accounts l on l.platform_id = a.platform_id and l.id = a.id
     join platforms p on p.id = a.platform_id where a.platform_id = $1 and a.id = $2 for no key update of a`,
    [platform, accountId],
  );
  await query('readPhrase', 'select recovery_phrase_sealed from wallets where platform_id = $1 and account_id = $2', [platform, accountId]);
}

type PendingRequest = { readonly id: string; readonly payload: Buffer };

async function insertRequest(query: Query, platform: string, { accountId }: Owner): Promise<PendingRequest> {
  const id = newUuid();
  const payload = Buffer.from(
    JSON.stringify({ organizationId: accountId, parameters: { requestId: id }, timestampMs: '0', type: 'BENCH' }),
  );
  await query(
    'request-insert',
    `insert into signed_requests (platform_id, id, operation, target, body_hash, account_id, leg, payload, facts, created_at, expires_at)
     values ($1, $2, 'bench', '', $3, $4, 1, $5, '{}', now(), now() + interval '5 minutes')`,
    [platform, id, createHash('sha256').update(payload).digest(), accountId, payload.toString()],
  );
  return { id, payload };
}

async function redeemRequest(
  query: Query,
  platform: string,
  { accountId, keys, signerId }: Owner,
  { id, payload }: PendingRequest,
): Promise<void> {
  const signature = signP256(keys.privateKey, payload);
  await query('request', 'select * from signed_requests where platform_id = $1 and id = $2 for update', [platform, id]);
  const { rows } = await query(
    'signers',
    'select id, public_key, policies, expires_at from wallet_signers where platform_id = $1 and account_id = $2 and public_key = $3 and deleted_at is null for share',
    [platform, accountId, keys.publicKey],
  );
  if (!verify('sha256', payload, publicKeyObject(rows[0].public_key), signature)) throw new Error('the signature is invalid');
  await query(
    'record',
    `insert into wallet_activities (platform_id, id, account_id, signer_id, public_key, type, payload, payload_hash, signature, created_at)
     values ($1, $2, $3, $4, $5, 'BENCH', $6, $7, $8, now())`,
    [
      platform,
      newUuid(),
      accountId,
      signerId,
      keys.publicKey,
      payload.toString(),
      createHash('sha256').update(payload).digest(),
      signature,
    ],
  );
  await query('use', 'update signed_requests set used_at = now(), secret_sealed = null where platform_id = $1 and id = $2', [platform, id]);
}
