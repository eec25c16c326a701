// Funded cards written by SQL, for benchmarks that measure something else than issuing them.
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import type { BenchService } from './service.js';

const AMOUNT = 1_00;
const RICH = 1_000_000_000_000n;

export async function authorize(service: BenchService, caller: number, card: string): Promise<void> {
  await service.client.expect(202, caller, 'POST', `/sandbox/cards/Card:${card}/simulate/authorization`, {
    amount: AMOUNT,
    currency: { code: 'USD' },
    merchant: { descriptor: 'BLUE BOTTLE COFFEE SF', mcc: '5814', country: 'US' },
  });
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
