// Statements: account and month, every entry with the balance after it, and the proof that they add up.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { ApiFailure, call, download, type Item, list, revival } from '../api.ts';
import { Waiting } from '../frame.tsx';
import { Actions } from '../parts/form.tsx';
import { Failure } from '../parts/notice.tsx';
import { save } from '../parts/save.ts';
import { time } from '../parts/time.ts';
import { Id, money } from '../parts/value.tsx';
import { place, setQuery } from '../route.ts';

type Month = { readonly rows: readonly Item[]; readonly opening: Item; readonly closing: Item; readonly isOver: boolean };

const startOf = (month: string): string => `${month}-01T00:00:00Z`;
const nextMonth = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
};

/** Every page of the month. A month that runs ends now. */
async function readMonth(accountId: string, month: string, now: string): Promise<Month> {
  const isOver = startOf(nextMonth(month)) <= now;
  const rows: Item[] = [];
  let page: Item = {};
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({ startDate: startOf(month), endDate: isOver ? startOf(nextMonth(month)) : now, limit: '200' });
    if (cursor !== undefined) query.set('cursor', cursor);
    page = await call('GET', `/internal-accounts/${encodeURIComponent(accountId)}/balance-changes?${query}`);
    rows.push(...((page['data'] ?? []) as readonly Item[]));
    cursor = page['nextCursor'] as string | undefined;
    if (cursor === undefined) break;
  }
  return { rows, opening: (page['openingBalance'] ?? {}) as Item, closing: (page['closingBalance'] ?? {}) as Item, isOver };
}

const amountOf = (value: unknown): number => Number((value as Item | undefined)?.['amount'] ?? 0);

export function StatementsPage() {
  const accountId = place.value.query.get('accountId') ?? '';
  const [accounts, setAccounts] = useState<readonly Item[]>([]);
  const [now, setNow] = useState('');
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const own = list('/customers/internal-accounts', new URLSearchParams({ limit: '100' }));
    Promise.all([own, list('/platform/internal-accounts', new URLSearchParams())]).then(async ([one, two]) => {
      setAccounts([...one.data, ...two.data]);
      setNow(await platformNow());
    }, setError);
  }, [revival.value]);
  const month = place.value.query.get('month') ?? now.slice(0, 7);
  // What the page shows first depends on the time, so that nothing moves when it is known.
  if (now === '' && error === undefined)
    return (
      <>
        <header class="page-head">
          <h1>Statements</h1>
        </header>
        <Waiting />
      </>
    );
  return (
    <>
      <header class="page-head">
        <h1>Statements</h1>
        {accountId !== '' && month !== '' && (
          <MonthActions accountId={accountId} month={month} isOver={now !== '' && startOf(nextMonth(month)) <= now} />
        )}
      </header>
      {error !== undefined && <Failure error={error} />}
      <search class="filters">
        <div class="field wide">
          <label for="account">Account</label>
          <select id="account" value={accountId} onChange={({ currentTarget }) => setQuery('accountId', currentTarget.value)}>
            <option value="">Choose an account</option>
            {accounts.map((account) => (
              <option key={String(account['id'])} value={String(account['id'])}>
                {money(account['balance'] ?? {})} {String(account['type'])} …{String(account['id']).slice(-6)}
              </option>
            ))}
            {accountId !== '' && !accounts.some(({ id }) => id === accountId) && <option value={accountId}>…{accountId.slice(-6)}</option>}
          </select>
        </div>
        <div class="field">
          <label for="month">Month</label>
          <input
            id="month"
            type="month"
            value={month}
            max={now.slice(0, 7)}
            onChange={({ currentTarget }) => setQuery('month', currentTarget.value)}
          />
        </div>
      </search>
      {accountId === '' ? (
        <p class="empty">Choose an account.</p>
      ) : (
        now !== '' && <MonthTable accountId={accountId} month={month} now={now} />
      )}
    </>
  );
}

/** Asked, because the clock of the page may be behind what has happened, or ahead of what may be asked for. */
async function platformNow(): Promise<string> {
  const clock = await call('GET', '/sandbox/clock').catch(() => undefined);
  return String(clock?.['now'] ?? new Date().toISOString());
}

function MonthActions({ accountId, month, isOver }: { readonly accountId: string; readonly month: string; readonly isOver: boolean }) {
  const [error, setError] = useState<unknown>();
  if (!isOver) return <p class="hint">The month is not over. Its statement can be read from {nextMonth(month)}-01.</p>;
  const path = `/internal-accounts/${encodeURIComponent(accountId)}/statement?periodStart=${month}-01`;
  const file = (accept: string, ending: string) =>
    download('GET', path, accept).then((bytes) => {
      setError(undefined);
      save(bytes, `statement-${month}.${ending}`);
    }, setError);
  return (
    <div class="actions">
      <button type="button" onClick={() => void file('text/csv', 'csv')}>
        CSV
      </button>
      <button type="button" onClick={() => void file('text/html', 'html')}>
        Page to print
      </button>
      <Actions
        actions={[{ operation: 'confirmStatementDelivery', label: 'Confirm delivery', fixed: () => ({ periodStart: `${month}-01` }) }]}
        object={{ id: accountId }}
        onDone={() => undefined}
      />
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}

type MonthProps = {
  readonly accountId: string;
  readonly month: string;
  readonly now: string;
  /** Changes when the entries must be read again. */
  readonly version?: number;
  /** Of a part of another page. */
  readonly onReady?: () => void;
};
type PartProps = { readonly accountId: string; readonly version: number; readonly onReady: () => void };

/** The month that runs, as a part of the page of the account. */
export function ThisMonth({ accountId, version, onReady }: PartProps) {
  const [now, setNow] = useState('');
  useEffect(() => {
    void platformNow().then(setNow);
  }, [version]);
  return now === '' ? null : <MonthTable accountId={accountId} month={now.slice(0, 7)} now={now} version={version} onReady={onReady} />;
}

function MonthTable({ accountId, month, now, version, onReady }: MonthProps) {
  const [found, setFound] = useState<Month | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    // A part of a page keeps what it shows until the next is there.
    if (!onReady) setFound(undefined);
    readMonth(accountId, month, now)
      .then((read) => {
        setFound(read);
        setError(undefined);
      }, setError)
      .finally(onReady);
  }, [accountId, month, now, version]);
  if (onReady && error instanceof ApiFailure && error.code === 'INVALID_INPUT')
    return <p class="faint none">This kind of account has no statements. The timeline has its entries, with the balance after each.</p>;
  if (error !== undefined) return <Failure error={error} />;
  if (!found) return <p class="faint">Loading …</p>;
  const { rows, opening, closing, isOver } = found;
  if (onReady && rows.length === 0) return <p class="faint none">Nothing has moved. Fund the account to begin.</p>;
  const currency = opening['currency'] ?? closing['currency'] ?? {};
  const shown = (amount: number) => money({ amount, currency });
  let balance = amountOf(opening);
  const sum = rows.reduce((total, row) => total + amountOf(row['amount']), amountOf(opening));
  return (
    <>
      <section class="scroll" aria-label="Entries">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Transaction</th>
              <th scope="col" class="number">
                Change
              </th>
              <th scope="col" class="number">
                Balance
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td colSpan={3}>Opening balance</td>
              <td class="number">{shown(amountOf(opening))}</td>
            </tr>
            {rows.map((row) => {
              balance += amountOf(row['amount']);
              return (
                <tr key={String(row['id'])}>
                  <td class="mono">{time(String(row['effectiveAt']))}</td>
                  <td>{row['transactionId'] === undefined ? '–' : <Id text={String(row['transactionId'])} />}</td>
                  <td class="number">{shown(amountOf(row['amount']))}</td>
                  <td class="number">{shown(balance)}</td>
                </tr>
              );
            })}
            <tr>
              <td colSpan={3}>{isOver ? 'Closing balance' : 'Balance now'}</td>
              <td class="number">{shown(amountOf(closing))}</td>
            </tr>
          </tbody>
        </table>
      </section>
      <p class={sum === amountOf(closing) ? 'hint' : 'problem'}>
        {sum === amountOf(closing)
          ? `Opening balance and ${rows.length} ${rows.length === 1 ? 'change' : 'changes'} add up to the closing balance.`
          : `Opening balance and changes add up to ${shown(sum)}, not to the closing balance.`}
      </p>
      {!onReady && (
        <p>
          <a href={hrefOf(`/accounts/${accountId}`)}>The account</a>
        </p>
      )}
    </>
  );
}
