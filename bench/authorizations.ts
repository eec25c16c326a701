// Card authorizations over HTTP, compared with the minimal SQL of an authorization: one balance update and one inserted row per statement.
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import { atLeast, load, ms, perSecond, type Row, sideBySide } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const CALLERS = 64;
const CARDS = 1_000;
const AMOUNT = 1_00;
const RICH = 1_000_000_000_000n;

export async function authorizations(): Promise<Row[]> {
  const service = await startBenchService({ ROLE: 'api' });
  const plain = service.plainPool(CALLERS);
  try {
    const cards = await seedCards(plain, CARDS);
    const accounts = await seedBaseline(plain, CARDS);
    return [...(await throughput(service, plain, cards, accounts)), await unloaded(service, cards), await flatness(service, plain, cards)];
  } finally {
    await plain.end();
    service.client.close();
    await service.stop();
  }
}

async function throughput(service: BenchService, plain: pg.Pool, cards: readonly string[], accounts: readonly string[]): Promise<Row[]> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
  const options = { callers: CALLERS, seconds: 4 };
  const { spread, single, sql } = await sideBySide(
    {
      spread: (caller) => authorize(service, caller, pick(cards)),
      single: (caller) => authorize(service, caller, cards[0] as string),
      sql: async () => void (await plain.query({ name: 'pay', text: PAY, values: [pick(accounts), AMOUNT, newUuid()] })),
    },
    options,
  );
  return [
    atLeast(`authorizations, ${CALLERS} callers, ${CARDS} cards`, spread, sql, 'one-row SQL by plain pg', 1),
    atLeast('authorizations, all on one card', single, spread, 'spread over the cards', 0.7),
  ];
}

export async function authorize(service: BenchService, caller: number, card: string): Promise<void> {
  await service.client.expect(202, caller, 'POST', `/sandbox/cards/Card:${card}/simulate/authorization`, {
    amount: AMOUNT,
    currency: { code: 'USD' },
    merchant: { descriptor: 'BLUE BOTTLE COFFEE SF', mcc: '5814', country: 'US' },
  });
}

/** One caller, one decision at a time. */
async function unloaded(service: BenchService, cards: readonly string[]): Promise<Row> {
  const figure = await load((caller) => authorize(service, caller, cards[Math.floor(Math.random() * cards.length)] as string), {
    callers: 1,
    seconds: 4,
  });
  return {
    name: 'one decision without load',
    measured: `p50 ${ms(figure.p50)}  p99 ${ms(figure.p99)}`,
    limit: 'p99 < 10 ms',
    holds: figure.p99 < 10 && figure.errors === 0,
  };
}

/** The same load with few and with many earlier transactions. */
async function flatness(service: BenchService, plain: pg.Pool, cards: readonly string[]): Promise<Row> {
  const measure = () =>
    load((caller) => authorize(service, caller, cards[Math.floor(Math.random() * cards.length)] as string), {
      callers: CALLERS,
      seconds: 4,
    });
  await plain.query('truncate card_transactions, card_messages, card_disputes, card_days');
  await fillHistory(plain, 1_000);
  const few = await measure();
  await fillHistory(plain, 1_000_000);
  const many = await measure();
  const ratio = few.perSecond / many.perSecond;
  return {
    name: 'authorizations with 10⁶ earlier transactions',
    measured: perSecond(many),
    beside: `with 10³ ${perSecond(few)}`,
    ratio,
    limit: '≤ 1.2',
    holds: ratio <= 1.2,
  };
}

export const PAY = `
  with paid as (update bench_accounts set balance = balance - $2 where id = $1 and balance >= $2 returning id)
  insert into bench_payments (id, account_id, amount, created_at) select $3, id, $2, now() from paid`;

export async function seedBaseline(plain: pg.Pool, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newUuid);
  await plain.query('create table bench_accounts (id uuid primary key, balance bigint not null) with (fillfactor = 60)');
  await plain.query(
    'create table bench_payments (id uuid primary key, account_id uuid not null, amount bigint not null, created_at timestamptz not null)',
  );
  await plain.query('insert into bench_accounts select unnest($1::uuid[]), $2', [ids, RICH]);
  return ids;
}

/** Customers with one account and one active card each. The platform has a webhook endpoint, so every decision also queues an event. */
export async function seedCards(plain: pg.Pool, count: number): Promise<string[]> {
  const { rows } = await plain.query(`update platforms set webhook_endpoint = 'http://127.0.0.1:9/webhooks' returning id`);
  const platform = rows[0].id as string;
  const cards = Array.from({ length: count }, newUuid);
  const made = cards.map(() => ({ customer: newUuid(), account: newUuid(), source: newUuid() }));
  const column = (of: (one: (typeof made)[number]) => string) => made.map(of);
  await plain.query(
    `insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, currencies, profile, created_at, updated_at)
     select $1, c, 'bench-' || c, 'INDIVIDUAL', '$' || c || '@bench', 'APPROVED', '{USD}', '{}', now(), now() from unnest($2::uuid[]) c`,
    [platform, column(({ customer }) => customer)],
  );
  await plain.query(
    `insert into ledger_accounts (platform_id, id, kind, currency, available, total) select $1, a, 'CUSTOMER', 'USD', $3, $3 from unnest($2::uuid[]) a`,
    [platform, column(({ account }) => account), RICH],
  );
  await plain.query(
    `insert into internal_accounts (platform_id, id, customer_id, type, status, currency, funding_instructions, created_at, updated_at)
     select $1, a, c, 'INTERNAL_FIAT', 'ACTIVE', 'USD', '[]', now(), now() from unnest($2::uuid[], $3::uuid[]) x (a, c)`,
    [platform, column(({ account }) => account), column(({ customer }) => customer)],
  );
  await plain.query(
    `insert into cards (platform_id, id, customer_id, platform_card_id, status, program, form, currency, funding_account_id, funding_currency,
                        funding_source_id, brand, last4, exp_month, exp_year, processor_ref, issuer_ref, version, created_at, updated_at)
     select $1, k, c, 'bench-' || k, 'ACTIVE', 'service_full', 'VIRTUAL', 'USD', a, 'USD', s, 'VISA', '4242', 1, 2040, 'p', 'i', 1, now(), now()
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[]) x (k, c, a, s)`,
    [platform, cards, column(({ customer }) => customer), column(({ account }) => account), column(({ source }) => source)],
  );
  await plain.query(
    `insert into card_funding_sources (platform_id, id, card_id, account_id, bound_at)
     select $1, s, k, a, now() from unnest($2::uuid[], $3::uuid[], $4::uuid[]) x (s, k, a)`,
    [platform, column(({ source }) => source), cards, column(({ account }) => account)],
  );
  return cards;
}

/** Settled transactions of earlier days, spread over the cards. */
async function fillHistory(plain: pg.Pool, count: number): Promise<void> {
  await plain.query(
    `insert into card_transactions (platform_id, id, card_id, account_id, issuer_token, direction, status, merchant, currency, authorized, settled,
                                    refunded, held, pulled, absorbed, pull, created_at, updated_at)
     select c.platform_id, gen_random_uuid(), c.id, c.funding_account_id, gen_random_uuid()::text, 'DEBIT', 'SETTLED',
            '{"descriptor":"HISTORY"}', 'USD', 100, 100, 0, 0, 100, 0, 'PROMPT', now() - interval '3 days', now() - interval '3 days'
     from generate_series(1, $1::int) n
     join (select *, row_number() over () - 1 as place from cards) c on c.place = n % (select count(*) from cards)`,
    [count],
  );
  await plain.query('analyze');
  await plain.query('checkpoint');
}
