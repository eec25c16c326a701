// The external account operations of customers or of the platform, so that a test can run for both.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../../src/db/sql.js';
import { type Answer, type Client, expectStatus } from '../client.js';
import { given } from '../given.js';
import type { TestService } from '../service.js';
import { evmWallet, type TestWallet } from './wallets.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;
type Fields = Record<string, unknown>;

export type OwnerPath = 'platform' | 'customers';

export type AccountsApi = {
  readonly base: string;
  readonly platform: Client;
  /** `customerId` of one customer, or nothing for the platform. */
  owner(): Promise<Fields>;
  create(fields: Fields): Promise<Answer>;
  /** A self-custody wallet of the owner: `PENDING_OWNERSHIP_VERIFICATION` under counterparty rules. */
  wallet(wallet?: TestWallet, fields?: Fields): Promise<Resource>;
  get(account: Resource): Promise<Resource>;
  challenge(account: Resource, method?: string): Promise<Answer>;
  /** The text to sign of a fresh challenge. */
  messageFor(account: Resource): Promise<string>;
  verify(account: Resource, body: unknown): Promise<Answer>;
  proofs(account: Resource): Promise<Resource[]>;
};

export function accountsApi(platform: Client, name: OwnerPath): AccountsApi {
  const base = `/${name}/external-accounts`;
  let owner: Promise<Fields> | undefined = name === 'platform' ? Promise.resolve({}) : undefined;
  // One customer, also for concurrent callers. After a failure the next call tries again.
  const ownerOf = () => {
    owner ??= given(platform)
      .customer()
      .then(({ id }) => ({ customerId: id }));
    owner.catch(() => {
      owner = undefined;
    });
    return owner;
  };
  const create = async (fields: Fields) => platform.post(base, { ...(await ownerOf()), ...fields });
  const challenge: AccountsApi['challenge'] = (account, method = 'WALLET_SIGNATURE') =>
    platform.post(`${base}/${account.id}/challenge`, { method });
  return {
    base,
    platform,
    owner: ownerOf,
    create,
    wallet: (wallet = evmWallet(randomUUID()), fields = {}) =>
      expectStatus(
        201,
        create({
          currency: 'USDC',
          ownershipType: 'FIRST_PARTY',
          accountInfo: { accountType: wallet.accountType, address: wallet.address },
          ...fields,
        }),
      ),
    get: (account) => expectStatus(200, platform.get(`${base}/${account.id}`)),
    challenge,
    messageFor: async (account) => (await expectStatus(201, challenge(account))).messageToSign,
    verify: (account, body) => platform.post(`${base}/${account.id}/verify`, body),
    proofs: async (account) => (await expectStatus(200, platform.get(`/external-accounts/${account.id}/ownership-proofs`))).data,
  };
}

/** Status events of an account, in order. */
export async function statusEvents({ db }: Pick<TestService, 'db'>, account: Resource): Promise<Resource[]> {
  const rows = await db.many<{ type: string; data: Resource }>(
    sql`select type, data from webhook_events where object_id = ${account.id} order by sequence`,
  );
  assert.ok(rows.every(({ type }) => type === 'EXTERNAL_ACCOUNT.STATUS_UPDATED'));
  return rows.map(({ data }) => data);
}

/** Everything stored about an account. A refusal must not change it. */
export async function traceOf({ db }: Pick<TestService, 'db'>, account: Resource): Promise<unknown> {
  const uuid = account.id.split(':')[1];
  return {
    account: await db.one(sql`select * from external_accounts where id = ${uuid}`),
    proofs: await db.many(sql`select * from ownership_proofs where account_id = ${uuid} order by id`),
    events: await db.many(sql`select id from webhook_events where object_id = ${account.id} order by sequence`),
  };
}

/** How many accounts, events and proofs the whole service holds. */
export const totals = ({ db }: Pick<TestService, 'db'>): Promise<unknown> =>
  db.one(sql`select (select count(*) from external_accounts) as accounts, (select count(*) from webhook_events) as events,
    (select count(*) from ownership_proofs) as proofs`);

/** Disables the counterparty rules of a platform. */
export async function liftCounterpartyRules({ db }: Pick<TestService, 'db'>, platform: Client): Promise<void> {
  await db.run(sql`update platforms set counterparty_rules = false
    where id = (select platform_id from api_tokens where client_id = ${platform.tokenId})`);
}
