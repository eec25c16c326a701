// Load generators that are not ours, used where they are installed: wrk for HTTP, pgbench for SQL.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installation } from './installation.js';

const SECONDS = 5;

const isInstalled = (tool: string): boolean => {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

function withScript<Result>(text: string, use: (file: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const file = join(directory, 'script');
  try {
    writeFileSync(file, text);
    return use(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One-row payments per second over the accounts 1…`accounts` of the baseline. */
export function pgbench(url: string, callers: number, accounts: number): number | undefined {
  if (!isInstalled('pgbench')) return undefined;
  const account = `lpad(:n::text, 32, '0')::uuid`;
  const script = `\\set n random(1, ${accounts})
with paid as (update bench_accounts set balance = balance - 100 where id = ${account} and balance >= 100 returning id)
insert into bench_payments (id, account_id, amount, created_at) select gen_random_uuid(), id, 100, now() from paid;
`;
  return withScript(script, (file) => {
    const args = ['-n', '-M', 'prepared', '-c', String(callers), '-j', '1', '-T', String(SECONDS), '-f', file, url];
    const out = execFileSync('pgbench', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/tps = ([\d.]+)/.exec(out)?.[1]);
  });
}

/** Authorizations per second through the sandbox simulator, spread over the cards. */
export function wrk({ baseUrl, credentials }: Installation, callers: number, cards: readonly string[]): number | undefined {
  if (!isInstalled('wrk')) return undefined;
  const authorization = Buffer.from(`${credentials.tokenId}:${credentials.secret}`).toString('base64');
  const base = new URL(baseUrl);
  const script = `
local cards = { ${cards.map((card) => `"${card}"`).join(', ')} }
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Basic ${authorization}"
wrk.body = '{"amount":100,"currency":{"code":"USD"},"merchant":{"descriptor":"BLUE BOTTLE COFFEE SF","mcc":"5814","country":"US"}}'
request = function()
  return wrk.format(nil, "${base.pathname}/sandbox/cards/" .. cards[math.random(#cards)] .. "/simulate/authorization")
end
`;
  return withScript(script, (file) => {
    const args = ['-t', '1', '-c', String(callers), '-d', `${SECONDS}s`, '-s', file, base.origin];
    const out = execFileSync('wrk', args, { encoding: 'utf8' });
    if (/Non-2xx/.test(out)) throw new Error(`wrk got other answers than 2xx:\n${out}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]);
  });
}
