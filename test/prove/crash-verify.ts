// Compares the database with the sent requests and received responses. Reads only.
import { type Db, openDb, type Tx } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { idOf } from '../../src/kernel/ids.js';
import { assertLedgerHolds } from '../support/ledger.js';

export type Intent = {
  /** Idempotency key, and the marker by which the effect is found in the database. */
  readonly key: string;
  readonly command: 'token' | 'customer' | 'fund' | 'card' | 'limit' | 'status' | 'authorize' | 'clear';
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** How a repeat is recognised: by the header, or by the network's token in the body. Null if the request is idempotent by itself. */
  readonly keyed: 'header' | 'token' | null;
  readonly account?: string;
  readonly amount?: number;
  retried: boolean;
};
export type Acked = { readonly key: string; readonly status: number; readonly text: string };

type Finding = { trials: number; failures: string[] };
export type Findings = { readonly [Part in 'acknowledged' | 'doubtful' | 'ledger' | 'events']: Finding };

type Facts = {
  readonly answers: ReadonlyMap<string, { status: number | null; answer: string | null }>;
  /** How often each mark is found, and the id it stands on. */
  readonly tokens: ReadonlyMap<string, string[]>;
  readonly customers: ReadonlyMap<string, { id: string; accounts: number; events: number }[]>;
  readonly cards: ReadonlyMap<string, { issued: number; bound: number }>;
  readonly transactions: ReadonlyMap<string, { id: string; status: string }[]>;
  readonly messages: ReadonlySet<string>;
  readonly history: ReadonlyMap<string, { limits: number[]; reasons: string[] }>;
};

export async function verify(
  databaseUrl: string,
  intents: readonly Intent[],
  acked: ReadonlyMap<string, Acked>,
  atRest: boolean,
): Promise<Findings> {
  // It reads whole tables, so the statement timeout of requests is too short.
  const db = openDb({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 600_000 });
  try {
    const found: Findings = { acknowledged: fresh(), doubtful: fresh(), ledger: fresh(), events: fresh() };
    // One snapshot, so that the rows can be compared with each other.
    const facts = await db.transaction(async (tx) => {
      await tx.run(sql`set transaction isolation level repeatable read`);
      const facts = await gather(tx);
      await checkFunds(tx, intents, facts, found.doubtful);
      await checkTransactions(tx, found.doubtful);
      return facts;
    });
    for (const intent of intents) {
      const answer = acked.get(intent.key);
      if (answer && answer.status < 300) count(found.acknowledged, acknowledgedProblem(intent, answer, facts));
      else if (!answer && intent.keyed) count(found.doubtful, halfProblem(intent, facts));
    }
    await checkLedger(db, found.ledger);
    await checkEvents(db, found.events, atRest);
    return found;
  } finally {
    await db.close();
  }
}

const fresh = (): Finding => ({ trials: 0, failures: [] });
const count = (finding: Finding, problem: string | undefined): void => {
  finding.trials += 1;
  if (problem) finding.failures.push(problem);
};

async function gather(tx: Tx): Promise<Facts> {
  const answers = await tx.many<{ key: string; status: number | null; answer: Buffer | null }>(
    sql`select key, status, answer from idempotency_keys`,
  );
  const tokens = await tx.many<{ name: string; id: string }>(sql`select name, id from api_tokens`);
  const customers = await tx.many<{ mark: string; id: string; accounts: bigint; events: bigint }>(sql`
    select c.platform_customer_id as mark, c.id,
      (select count(*) from internal_accounts a join ledger_accounts l on l.platform_id = a.platform_id and l.id = a.id
        where a.platform_id = c.platform_id and a.customer_id = c.id) as accounts,
      (select count(*) from webhook_events e where e.platform_id = c.platform_id and e.object_id = 'Customer:' || c.id) as events
    from customers c`);
  const cards = await tx.many<{ id: string; issued: bigint; bound: bigint }>(sql`
    select c.id,
      (select count(*) from card_history h where h.platform_id = c.platform_id and h.card_id = c.id and h.cause = 'ISSUED') as issued,
      (select count(*) from card_funding_sources s where s.platform_id = c.platform_id and s.card_id = c.id) as bound
    from cards c`);
  const history = await tx.many<{ card: string; cap: bigint | null; reason: string | null }>(
    sql`select card_id as card, max_spend_per_day as cap, reason from card_history order by card_id, version`,
  );
  const transactions = await tx.many<{ token: string; id: string; status: string }>(
    sql`select issuer_token as token, id, status from card_transactions`,
  );
  const messages = await tx.many<{ token: string }>(sql`select token from card_messages where kind = 'CLEARING'`);
  const grouped = <T, V>(rows: readonly T[], keyOf: (row: T) => string, pick: (row: T) => V): Map<string, V[]> => {
    const groups = new Map<string, V[]>();
    for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), pick(row)]);
    return groups;
  };
  return {
    answers: new Map(answers.map(({ key, answer, ...rest }) => [key, { ...rest, answer: answer?.toString('utf8') ?? null }])),
    tokens: grouped(
      tokens,
      ({ name }) => name,
      ({ id }) => `Token:${id}`,
    ),
    customers: grouped(
      customers,
      ({ mark }) => mark,
      ({ id, accounts, events }) => ({ id: `Customer:${id}`, accounts: Number(accounts), events: Number(events) }),
    ),
    cards: new Map(cards.map(({ id, issued, bound }) => [`Card:${id}`, { issued: Number(issued), bound: Number(bound) }])),
    transactions: grouped(
      transactions,
      ({ token }) => token,
      ({ id, status }) => ({ id: `Transaction:${id}`, status }),
    ),
    messages: new Set(messages.map(({ token }) => token)),
    history: new Map(
      [
        ...grouped(
          history,
          ({ card }) => `Card:${card}`,
          (row) => row,
        ),
      ].map(([card, rows]) => [
        card,
        { limits: rows.map(({ cap }) => Number(cap ?? 0)), reasons: rows.flatMap(({ reason }) => (reason === null ? [] : [reason])) },
      ]),
    ),
  };
}

/** The problem with an acknowledged change; undefined if it exists once, as it was answered. */
function acknowledgedProblem(intent: Intent, { text }: Acked, facts: Facts): string | undefined {
  const what = `${intent.command} ${intent.key}`;
  const answered = JSON.parse(text) as { id: string; transactionId?: string };
  const card = intent.path.split('/').at(-1) as string;
  if (intent.keyed === 'header') {
    const stored = facts.answers.get(intent.key);
    if (!stored) return `${what}: acknowledged, and its record is gone`;
    // A token's secret is not kept: what is kept names the token.
    if (intent.command !== 'token' && stored.answer !== text) return `${what}: told ${text}, kept ${stored.answer}`;
  }
  switch (intent.command) {
    case 'token':
      return only(what, facts.tokens.get(intent.key), tokenIn(text));
    case 'customer':
      return (
        only(
          what,
          facts.customers.get(intent.key)?.map(({ id }) => id),
          answered.id,
        ) ?? halfProblem(intent, facts)
      );
    case 'card':
      return facts.cards.has(answered.id) ? halfProblem(intent, facts) : `${what}: ${answered.id} is missing`;
    case 'limit':
      return facts.history.get(card)?.limits.includes((intent.body as { maxSpendPerDay: number }).maxSpendPerDay)
        ? undefined
        : `${what}: the limit was acknowledged and is not in the card's history`;
    case 'status':
      return facts.history.get(card)?.reasons.filter((reason) => reason === intent.key).length === 1
        ? undefined
        : `${what}: the status change was acknowledged and is not in the card's history exactly once`;
    case 'authorize': {
      const found = facts.transactions.get(intent.key) ?? [];
      // Answered as declined because the deadline was missed: no hold may remain.
      if (answered.transactionId === undefined)
        return found.some(({ status }) => status === 'AUTHORIZED') ? `${what}: declined, but a hold exists` : undefined;
      return only(
        what,
        found.map(({ id }) => id),
        answered.transactionId,
      );
    }
    case 'clear':
      return facts.messages.has(intent.key) ? undefined : `${what}: the clearing was acknowledged and is missing`;
    case 'fund':
      return undefined; // checked per account by checkFunds
  }
}

/** The token that an answer to its request names: the first shows it, a repeat is told which it was. */
export function tokenIn(text: string): string {
  const told = JSON.parse(text) as { id?: string; details?: { tokenId?: string } };
  return told.id ?? told.details?.tokenId ?? '';
}

const only = (what: string, found: readonly string[] | undefined, id: string): string | undefined =>
  found?.length === 1 && found[0] === id ? undefined : `${what}: acknowledged as ${id}, found ${found?.join() ?? 'nothing'}`;

/** The problem with a change without a response: all of its rows must exist, or none. */
function halfProblem(intent: Intent, facts: Facts): string | undefined {
  const what = `${intent.command} ${intent.key}`;
  const stored = facts.answers.get(intent.key);
  if (stored && (stored.status === null || stored.answer === null))
    return `${what}: an idempotency record without a response was committed`;
  const expected = stored ? 1 : 0;
  const [tokens, customers] = [facts.tokens.get(intent.key) ?? [], facts.customers.get(intent.key) ?? []];
  if (intent.command === 'token' && tokens.length !== expected) return `${what}: ${tokens.length} tokens, ${expected} records`;
  if (intent.command === 'customer') {
    if (customers.length !== expected) return `${what}: ${customers.length} customers, ${expected} records`;
    if (customers[0] && (customers[0].accounts !== 2 || customers[0].events !== 1))
      return `${what}: an incomplete customer, with ${customers[0].accounts} accounts and ${customers[0].events} events`;
  }
  if (intent.command === 'card' && stored) {
    const card = facts.cards.get((JSON.parse(stored.answer as string) as { id: string }).id);
    if (card?.issued !== 1 || card.bound !== 1) return `${what}: an incomplete card`;
  }
  return undefined;
}

/** Per account, the balance equals the committed deposits minus the card transactions, and each deposit has an event. */
async function checkFunds(tx: Tx, intents: readonly Intent[], facts: Facts, finding: Finding): Promise<void> {
  const brought = new Map<string, { amount: number; times: number }>();
  for (const { command, account, amount, key } of intents) {
    if (command !== 'fund' || !account) continue;
    const sum = brought.get(account) ?? { amount: 0, times: 0 };
    brought.set(account, sum);
    if (!facts.answers.has(key)) continue;
    sum.amount += amount ?? 0;
    sum.times += 1;
  }
  for (const [account, { amount, times }] of brought) {
    const uuid = account.slice('InternalAccount:'.length);
    const owner = await tx.one<{ platform: string }>(sql`select platform_id as platform from ledger_accounts where id = ${uuid}`);
    const own = sql`platform_id = ${owner?.platform ?? null}`;
    const row = await tx.one<{ net: bigint; deposits: bigint; pulled: bigint; events: bigint }>(sql`
      select total - owed as net,
        (select count(*) from transfers where ${own} and credit_account_id = ${uuid} and cause = 'DEPOSIT') as deposits,
        (select coalesce(sum(pulled + shortfall), 0)::bigint from card_transactions where ${own} and account_id = ${uuid}) as pulled,
        (select count(*) from webhook_events where ${own} and object_id = ${account} and type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED') as events
      from ledger_accounts where ${own} and id = ${uuid}`);
    const same = row && Number(row.net + row.pulled) === amount && Number(row.deposits) === times && Number(row.events) >= times;
    const shown = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    count(finding, same ? undefined : `${account}: ${times} deposits of ${amount} in all were committed, found ${shown}`);
  }
}

/** Card transactions are consistent: held amounts equal the holds, settled amounts equal the clearings, and each approval counts once in the daily spend. */
async function checkTransactions(tx: Tx, finding: Finding): Promise<void> {
  const broken = await tx.many<{ id: string; why: string }>(sql`
    select t.id, 'holds ' || t.held || ' and the ledger ' || coalesce(h.held, 0) as why
      from card_transactions t left join (
        select platform_id, transaction_id, sum(amount) as held from holds group by 1, 2) h
      on h.platform_id = t.platform_id and h.transaction_id = t.id
      where t.held <> coalesce(h.held, 0)
    union all
    select t.id, 'settled ' || t.settled || ' by clearings of ' || coalesce(m.cleared, 0)
      from card_transactions t left join (
        select platform_id, transaction_id, sum(amount) as cleared from card_messages where kind = 'CLEARING' group by 1, 2) m
      on m.platform_id = t.platform_id and m.transaction_id = t.id
      where t.direction = 'DEBIT' and t.settled <> coalesce(m.cleared, 0)
    union all
    select c.id, 'counts ' || c.day_count + c.earlier_count || ' approvals and has ' || coalesce(a.approved, 0)
      from cards c
      left join (select platform_id, card_id, count(*) as approved from card_transactions
        where direction = 'DEBIT' and status <> 'DECLINED' group by 1, 2) a on a.platform_id = c.platform_id and a.card_id = c.id
      where c.day_count + c.earlier_count <> coalesce(a.approved, 0)`);
  const total = await tx.one<{ count: bigint }>(sql`select count(*) from card_transactions`);
  finding.trials += Number(total?.count ?? 0);
  finding.failures.push(...broken.map(({ id, why }) => `${id} ${why}`));
}

async function checkLedger(db: Db, finding: Finding): Promise<void> {
  finding.trials += 1;
  for (const { id } of await db.many<{ id: string }>(sql`select id from platforms`))
    await assertLedgerHolds(db, idOf('Platform', id)).catch((error: Error) => finding.failures.push(error.message));
}

/** Events are numbered without gaps, and every status change of a card that sends an event has one. */
async function checkEvents(db: Db, finding: Finding, atRest: boolean): Promise<void> {
  const gaps = await db.many<{ object_id: string }>(sql`
    select object_id from webhook_events group by platform_id, object_id having count(*) <> max(sequence) or min(sequence) <> 1`);
  const missing = await db.many<{ card: string; changes: bigint; events: bigint }>(sql`
    select h.card_id as card, h.changes, coalesce(e.events, 0) as events
    from (select platform_id, card_id, count(*) as changes from card_history
      where cause in ('PROVISIONED', 'REJECTED') or (cause = 'UPDATED' and reason is not null) group by platform_id, card_id) h
    left join (select platform_id, object_id, count(*) as events from webhook_events where type = 'card.status_change'
      group by platform_id, object_id) e on e.platform_id = h.platform_id and e.object_id = 'Card:' || h.card_id
    where h.changes <> coalesce(e.events, 0)`);
  const silent = await db.many<{ id: string; status: string }>(sql`
    select t.id, t.status from card_transactions t left join (
      select distinct on (platform_id, object_id) platform_id, object_id, type from webhook_events order by platform_id, object_id, sequence desc) e
    on e.platform_id = t.platform_id and e.object_id = 'Transaction:' || t.id
    where 'CARD_TRANSACTION.' || t.status is distinct from e.type`);
  finding.failures.push(...silent.map(({ id, status }) => `Transaction:${id} is ${status} and its last event says otherwise`));
  const total = await db.one<{ count: bigint }>(sql`select count(*) from webhook_events`);
  finding.trials += Number(total?.count ?? 0);
  finding.failures.push(...gaps.map(({ object_id }) => `the events of ${object_id} have a gap`));
  finding.failures.push(
    ...missing.map(({ card, changes, events }) => `Card:${card} changed its status ${changes} times and has ${events} events`),
  );
  if (!atRest) return;
  const open = await db.many<{ id: string }>(sql`select id from cards where status = 'PROCESSING'`);
  finding.failures.push(...open.map(({ id }) => `Card:${id} is still PROCESSING`));
}
