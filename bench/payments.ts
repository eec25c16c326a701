// Quote and execution from a prefunded account over HTTP, compared with the smallest SQL that writes the same rows.
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import { comparedTime, type Load, median, meteredLoad, type Row } from './measure.js';
import { meterOf } from './processor-time.js';
import { type BenchService, startBenchService } from './service.js';

const CALLERS = 64;
const ACCOUNTS = 256;
const ROUNDS = 5;
const SECONDS = 3;
const RICH = 1_000_000_000_000n;

type Payer = { readonly account: string; readonly destination: string };

export async function payments(): Promise<Row[]> {
  const service = await startBenchService({ ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' });
  const plain = service.plainPool(CALLERS);
  try {
    const payers = await seedPayers(plain);
    return [await throughput(service, plain, payers), await oneWins(service, payers)];
  } finally {
    await plain.end();
    service.client.close();
    await service.stop();
  }
}

const requestOf = ({ account, destination }: Payer) => ({
  source: { sourceType: 'ACCOUNT', accountId: `InternalAccount:${account}` },
  destination: { destinationType: 'ACCOUNT', accountId: `ExternalAccount:${destination}` },
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount: 100,
});

/** Medians of alternating rounds. */
async function throughput(service: BenchService, plain: pg.Pool, payers: readonly Payer[]): Promise<Row> {
  const pick = () => payers[Math.floor(Math.random() * payers.length)] as Payer;
  const ours = async (caller: number) => {
    const quote = JSON.parse(await service.client.expect(200, caller, 'POST', '/quotes', requestOf(pick()))) as { id: string };
    await service.client.expect(200, caller, 'POST', `/quotes/${quote.id}/execute`);
  };
  const rows = await readTemplate(service, plain, payers[0] as Payer);
  const theirs = () => writeSameRows(plain, rows, pick());
  const meter = await meterOf(service);
  const rounds: { ours: Load; theirs: Load }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await plain.query('delete from payment_days');
    rounds.push({
      ours: await meteredLoad(ours, { callers: CALLERS, seconds: SECONDS }, meter),
      theirs: await meteredLoad(theirs, { callers: CALLERS, seconds: SECONDS }, meter),
    });
  }
  const errors = rounds.reduce((sum, round) => sum + round.ours.errors + round.theirs.errors, 0);
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of));
  const [mine, other] = [middle((round) => round.ours.perSecond), middle((round) => round.theirs.perSecond)];
  const time = comparedTime(
    { processorMs: middle((round) => round.ours.processorMs ?? 0) },
    { processorMs: middle((round) => round.theirs.processorMs ?? 0) },
  );
  const ratio = mine / other;
  return {
    name: `quote and execution, ${CALLERS} callers, ${ACCOUNTS} accounts`,
    measured: `${Math.round(mine)}/s${errors > 0 ? `  ${errors} errors` : ''}`,
    beside: `the same rows by plain SQL ${Math.round(other)}/s${time}`,
    ratio,
    limit: '≥ 0.5',
    holds: ratio >= 0.5 && errors === 0,
  };
}

async function oneWins(service: BenchService, payers: readonly Payer[]): Promise<Row> {
  const quote = JSON.parse(await service.client.expect(200, 0, 'POST', '/quotes', requestOf(payers[0] as Payer))) as { id: string };
  const won = await Promise.all(
    Array.from({ length: CALLERS }, (_, caller) =>
      service.client.expect(200, caller, 'POST', `/quotes/${quote.id}/execute`).then(
        () => 1,
        () => 0,
      ),
    ),
  );
  const wins = won.reduce<number>((sum, one) => sum + one, 0);
  return { name: `${CALLERS} executions of one quote`, measured: `${wins} succeed`, limit: '1', holds: wins === 1 };
}

// ---- the same rows by plain SQL

type Fields = Record<string, unknown>;
type Written = { readonly table: string; readonly columns: readonly string[]; readonly rows: readonly Fields[] };
type Template = {
  /** What the quote and its execution insert. */
  readonly inserted: readonly Written[];
  /** What the execution changes of the payment. */
  readonly changed: Fields;
  readonly platform: string;
};

/** The rows that one quote and its execution write, read back as templates. */
async function readTemplate(service: BenchService, plain: pg.Pool, payer: Payer): Promise<Template> {
  const quote = JSON.parse(await service.client.expect(200, 0, 'POST', '/quotes', requestOf(payer))) as {
    id: string;
    transactionId: string;
  };
  const [quoteId, paymentId] = [quote.id.slice(6), quote.transactionId.slice(12)];
  const read = async (table: string, where: string, values: readonly unknown[]): Promise<Written> => {
    const { rows, fields } = await plain.query(`select * from ${table} where ${where}`, [...values]);
    return { table, columns: fields.map(({ name }) => name), rows };
  };
  const quoted = await read('payments', 'id = $1', [paymentId]);
  await service.client.expect(200, 0, 'POST', `/quotes/${quote.id}/execute`);
  const [before, after] = [quoted.rows[0] as Fields, (await read('payments', 'id = $1', [paymentId])).rows[0] as Fields];
  return {
    inserted: [
      quoted,
      await read('quotes', 'id = $1', [quoteId]),
      await read('webhook_events', `object_id = $1 or object_id = $2 and created_at >= (select created_at from quotes where id = $3)`, [
        quote.transactionId,
        `InternalAccount:${payer.account}`,
        quoteId,
      ]),
      await read('rail_messages', 'payment_id = $1', [paymentId]),
      await read('transfers', 'transaction_id = $1', [paymentId]),
      await read('entries', 'transaction_id = $1', [paymentId]),
    ],
    changed: Object.fromEntries(
      Object.entries(after).filter(([name, value]) => String(toParameter(value)) !== String(toParameter(before[name]))),
    ),
    platform: before['platform_id'] as string,
  };
}

const SAME_ACCOUNT = `update ledger_accounts set available = available - 100, total = total - 100, last_entry = last_entry + 1, not_before = now()
  where platform_id = $1 and id = $2 returning last_entry, total`;
const SAME_DAY = `insert into payment_days (platform_id, day, sending_currency, receiving_currency, part, sent, most, day_limit)
  values ($1, current_date, 'USD', 'EUR', $2, 100, 100000000, 100000000)
  on conflict (platform_id, day, sending_currency, receiving_currency, part) do update set sent = payment_days.sent + 100`;
const PARTS = 16;
/** The row by which the events of a transaction are found after its commit. */
const SAME_INBOX = 'insert into webhook_inbox (platform_id, id, event_ids) values ($1, $2, $3)';

/** Two transactions, as there are two calls: the quote, then its execution. Every id is new; everything else is as the service wrote it. */
async function writeSameRows(plain: pg.Pool, { inserted, changed, platform }: Template, { account }: Payer): Promise<void> {
  const fresh = new Map<unknown, string>();
  const renew = (value: unknown): string => {
    const known = fresh.get(value) ?? newUuid();
    fresh.set(value, known);
    return known;
  };
  const client = await plain.connect();
  const run = (name: string, text: string, values: readonly unknown[]) => client.query({ name, text, values: [...values] });
  const insert = async (table: string, keep: (row: Fields) => boolean, patch: (row: Fields) => object) => {
    const { columns, rows } = inserted.find((each) => each.table === table) as Written;
    const kept = rows.filter(keep).map((row) => ({ ...row, ...patch(row) }) as Fields);
    if (kept.length === 0) return;
    const values = kept.flatMap((row) => columns.map((column) => toParameter(row[column])));
    const places = kept.map((_, i) => `(${columns.map((_column, j) => `$${i * columns.length + j + 1}`).join(', ')})`).join(', ');
    await run(`${table} ${kept.length}`, `insert into ${table} (${columns.join(', ')}) values ${places}`, values);
  };
  const ids = (row: Fields) =>
    Object.fromEntries(
      ['id', 'payment_id', 'quote_id', 'transaction_id', 'transfer_id'].flatMap((name) => (name in row ? [[name, renew(row[name])]] : [])),
    );
  const isFirst = (row: Fields) => row['type'] === 'OUTGOING_PAYMENT.PENDING';
  const eventIds: string[] = [];
  const events = () => {
    const id = newUuid();
    eventIds.push(id);
    return { id, object_id: newUuid() };
  };
  const inbox = () => run('inbox', SAME_INBOX, [platform, newUuid(), eventIds.splice(0)]);
  const all = () => true;
  try {
    await client.query('begin');
    await insert('payments', all, ids);
    await insert('quotes', all, ids);
    await insert('webhook_events', isFirst, events);
    await inbox();
    await client.query('commit');
    await client.query('begin');
    const { rows } = await run('account', SAME_ACCOUNT, [platform, account]);
    await insert('transfers', all, (row) => ({ ...ids(row), debit_account_id: account }));
    await insert('entries', all, (row) => ({
      ...ids(row),
      ...(row['number'] === null ? {} : { account_id: account, number: rows[0].last_entry, balance_after: rows[0].total }),
    }));
    await run(
      'payment',
      `update payments set ${Object.keys(changed).map((name, i) => `${name} = $${i + 3}`)} where platform_id = $1 and id = $2`,
      [platform, [...fresh.values()][0], ...Object.values(changed).map(toParameter)],
    );
    await insert('rail_messages', all, ids);
    await insert('webhook_events', (row) => !isFirst(row), events);
    await inbox();
    await run('day', SAME_DAY, [platform, Math.floor(Math.random() * PARTS)]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const toParameter = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !(value instanceof Date) && !Buffer.isBuffer(value) ? JSON.stringify(value) : value;

async function seedPayers(plain: pg.Pool): Promise<Payer[]> {
  const { rows } = await plain.query('select id from platforms limit 1');
  const platform = rows[0].id as string;
  const payers = Array.from({ length: ACCOUNTS }, () => ({ customer: newUuid(), account: newUuid(), destination: newUuid() }));
  const column = (of: (one: (typeof payers)[number]) => string) => payers.map(of);
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
    `insert into external_accounts (platform_id, id, customer_id, status, currency, default_uma_deposit_account, account_info, identity, created_at, updated_at)
     select $1, d, c, 'ACTIVE', 'EUR', false, '{"accountType":"EUR_ACCOUNT","iban":"DE89370400440532013000"}', sha256(d::text::bytea), now(), now()
     from unnest($2::uuid[], $3::uuid[]) x (d, c)`,
    [platform, column(({ destination }) => destination), column(({ customer }) => customer)],
  );
  return payers;
}
