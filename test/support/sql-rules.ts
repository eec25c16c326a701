// What a database that is distributed by platform refuses, found in the SQL of the sources: so the same statements serve one server
// and many. docs/decisions/0075-sql-for-many-nodes.md lists the rules.
import { sources, TABLE_FUNCTIONS, TABLES } from './architecture.js';

export type Statement = { readonly path: string; readonly text: string };

/**
 * The statements of a source. A nested `sql` template is read as part of the statement around it, and any other expression as its source
 * in braces.
 */
export function statementsOf(path: string, source: string): Statement[] {
  const found: Statement[] = [];
  for (let at = 0; ; ) {
    const next = source.slice(at).search(/\bsql`/);
    if (next < 0) return found;
    const { text, end } = template(source, at + next + 4);
    found.push({ path, text: text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim() });
    at = end;
  }
}

/** Reads a template from behind its opening backtick. */
function template(source: string, start: number): { text: string; end: number } {
  let text = '';
  let at = start;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') {
      text += source.slice(at, at + 2);
      at += 2;
    } else if (source.startsWith('${', at)) {
      const inner = expression(source, at + 2);
      text += inner.text;
      at = inner.end;
    } else {
      text += source[at];
      at += 1;
    }
  }
  return { text, end: at + 1 };
}

/** Reads an expression from behind its opening brace. */
function expression(source: string, start: number): { text: string; end: number } {
  let text = '';
  let depth = 1;
  let at = start;
  while (at < source.length) {
    const char = source[at] as string;
    if (char === '`') {
      const isSql = source.slice(0, at).endsWith('sql');
      const inner = template(source, at + 1);
      text = isSql ? `${text.slice(0, -3)} ${inner.text} ` : text;
      at = inner.end;
      continue;
    }
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (depth === 0) return { text: `{${text}}`, end: at + 1 };
    text += char;
    at += 1;
  }
  return { text, end: at };
}

const WRITE = /\b(?:insert into|delete from)\s|\bupdate\s+(?!set\b|skip\b|of\b|nowait\b)\w+\s+(?:\w+\s+)?set\b/gi;
const writesIn = (text: string): number => (text.match(WRITE) ?? []).length;
const WRITE_IN_WITH = /\bas\s+(?:materialized\s+)?\(\s*(?:\{\s*)?(?:insert into|delete from|update\s+\w+\s+(?:\w+\s+)?set)\b/i;
const isChange = (text: string): boolean => /^(?:\{[^}]*\})?\s*(?:update|delete)\b/i.test(text);
const readsTable = new RegExp(`\\b(?:from|join)\\s+(?:${TABLES.join('|')})\\b|,\\s*(?:${TABLES.join('|')})\\s+[a-z]\\b`, 'i');

const callsTableFunction = new RegExp(`\\b(?:${TABLE_FUNCTIONS.join('|')})\\s*\\(`, 'i');
/** The platform is given. */
const NAMES_PLATFORM = /\bplatform_id\s*=\s*\{|\{(?:is|platform|of)\w*\(/i;

/** Rules by what they forbid. Each says whether a statement violates it. */
export const SQL_RULES: Readonly<Record<string, (text: string) => boolean>> = {
  'an advisory lock: nodes do not share them; see db/named-locks.ts': (text) => /advisory/i.test(text),
  'what one session or one server keeps: another connection, or another node, does not have it': (text) =>
    /^(?:listen|notify|declare|prepare|discard|set (?!transaction\b|local\b|constraints\b))\b|\bpg_notify\s*\(|\btemp(?:orary)? table\b|\b(?:nextval|currval|setval|pg_backend_pid)\s*\(|\bset_config\s*\([^()]*,\s*false\s*\)|\b(?:ctid|tableoid)\b/i.test(
      text,
    ),
  'a function that reads a table inside a statement: use `platformTime`': (text) =>
    /\bplatform_now\s*\(/i.test(text) || (readsTable.test(text) && callsTableFunction.test(text)),
  'a transaction id as a position: nodes have their own': (text) =>
    /\b(?:pg_current_xact_id|pg_current_snapshot|pg_snapshot_\w+|txid_\w+)\s*\(|\bxmin\b/i.test(text),
  'locked rows of several platforms: one statement per platform': (text) =>
    /\bfor (?:no key )?update\b.*\bskip locked\b/i.test(text) && !NAMES_PLATFORM.test(text),
  'a walk over all platforms: ask a group of them at a time, see db/platform-groups.ts': (text) =>
    /\bwith recursive\b/i.test(text) && !NAMES_PLATFORM.test(text) && !/\bgroup\b/.test(text),
  'a volatile function in an update or delete: read the time first and pass it': (text) =>
    isChange(text) && /\b(?:clock_timestamp|random|gen_random_uuid|timeofday)\s*\(|\{platformTime\}/i.test(text),
  'a time of a row plus an interval in an update or delete: it follows the time zone of the node, so read it first and pass it': (text) =>
    isChange(text) && /\b\w+_(?:at|until)\s*[+-]\s*(?:interval\b|make_interval\b|\{[^}]*\}::interval\b)/i.test(text),
  'a subscript as the whole value of a column: a coordinator does not survive it': (text) =>
    isChange(text) && /(?:\bset|,)\s+\w+\s*=\s*(?:\w+|\([^()]*\))\[/i.test(text),
  'the time in `do update set`: take it from `excluded`': (text) =>
    /\bdo update\s+set\b.*(?:\b(?:now|clock_timestamp|random|gen_random_uuid)\s*\(|\{platformTime\})/i.test(text),
  'the platform of another row in a sub-select: name the given platform': (text) =>
    /(?:\(|\s)(?:where|and)\s+(?:\w+\.)?platform_id\s*=\s*\w+\.(?:platform_id|id)\b/i.test(text) &&
    !/group by (?:\w+\.)?platform_id/i.test(text),
  'no column in a sub-select over all platforms: `select 1 … limit 1`, which a coordinator can fetch': (text) =>
    /\b(?:from|exists)\s*\(\s*select from\s+[a-z](?:(?!platform)[^{}()]|\((?:(?!platform)[^()])*\)|\{(?!of|is)(?:(?!platform)[^{}])*\})*\)/i.test(
      text,
    ),
  'a write of several tables in one statement: send separate statements': (text) => writesIn(text) > 1,
  'a write inside another statement: send it by itself': (text) => writesIn(text) === 1 && WRITE_IN_WITH.test(text),
  'an insert of rows from a parameter without the row of the platform: `from platforms p, … where p.id = …`': (text) =>
    /^insert into\b/i.test(text) &&
    /\b(?:unnest|json_to_recordset|jsonb_to_recordset|string_to_table)\s*\(|\{records\(/i.test(text) &&
    !readsTable.test(text),
  'rows of several platforms by key: one statement per platform': (text) =>
    /\(\s*(?:\w+\.)?platform_id\s*,[^)]*\)\s+in\s*\(|\bplatform_id\s*=\s*any\s*\(|(?<!insert into \w+ )\bas\s+\w+\s*\(\s*platform_id\b/i.test(
      text,
    ),
};

/** Statements outside the rules, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'db/migrate.ts': 'migrations run one at a time on the node that clients connect to',
  'db/embedded.ts': 'the embedded database is one server',
};

/**
 * Statements that write one table of one platform and read on in the same statement: a node runs them whole, as
 * test/invariants/distribution.test.ts shows on a cluster. Separately they would need another round trip.
 */
const WRITES_AND_READS: readonly { readonly path: string; readonly begins: RegExp }[] = [
  // Fails the transaction unless every hold was there: nobody waits for the answer of a statement that is sent with COMMIT.
  { path: 'domains/ledger/store.ts', begins: /^with ended as \( delete from holds where platform_id = \{platform\} / },
  // Leases what it has chosen, in the order of the events.
  { path: 'domains/core/webhooks/store-deliveries.ts', begins: /^with recursive heads as .*\), taken as \( update webhook_deliveries / },
];

const isAllowed = ({ path, text }: Statement, rule: string): boolean =>
  rule.startsWith('a write inside') && WRITES_AND_READS.some((allowed) => allowed.path === path && allowed.begins.test(text));

export const violationsIn = (statements: readonly Statement[]): string[] =>
  statements.flatMap((statement) =>
    Object.entries(SQL_RULES)
      .filter(([rule, violates]) => violates(statement.text) && !isAllowed(statement, rule))
      .map(([rule]) => `${statement.path}: ${rule}\n    ${statement.text.slice(0, 160)}`),
  );

export const violations = (): string[] =>
  violationsIn(sources.filter(({ path }) => EXEMPT[path] === undefined).flatMap(({ path, text }) => statementsOf(path, text)));
