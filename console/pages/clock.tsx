// The clock of the sandbox platform: now, and what an advance ran.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item, may } from '../api.ts';
import { Failure } from '../parts/notice.tsx';
import { time } from '../parts/value.tsx';

const HOUR = 3_600_000;

function monthEnd(now: string): number {
  const at = new Date(now);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1) - at.getTime();
}

export function ClockPage() {
  const [clock, setClock] = useState<Item | undefined>();
  const [error, setError] = useState<unknown>();
  // One change at a time: the answers of two could arrive in either order.
  const [isBusy, setBusy] = useState(false);
  const change = async (body?: Item) => {
    setBusy(true);
    try {
      setClock(await (body ? call('PUT', '/sandbox/clock', body) : call('GET', '/sandbox/clock')));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    void change();
  }, []);
  const now = String(clock?.['now'] ?? '');
  const isFrozen = clock?.['frozen'] === true;
  const ran = (clock?.['ran'] ?? []) as readonly Item[];
  return (
    <>
      <header class="page-head">
        <h1>Clock</h1>
      </header>
      {error !== undefined && <Failure error={error} />}
      {clock && (
        <>
          <p class="big mono" aria-live="polite">
            {time(now)} <span class={`badge ${isFrozen ? 'info' : 'ok'}`}>{isFrozen ? 'frozen' : 'running'}</span>
          </p>
          {may('MANAGE') && (
            <div class="actions">
              <button type="button" disabled={isBusy} onClick={() => void change({ frozen: !isFrozen })}>
                {isFrozen ? 'Resume' : 'Freeze'}
              </button>
              <button type="button" disabled={isBusy} onClick={() => void change({ advanceMs: HOUR })}>
                + 1 hour
              </button>
              <button type="button" disabled={isBusy} onClick={() => void change({ advanceMs: 24 * HOUR })}>
                + 1 day
              </button>
              <button type="button" disabled={isBusy} onClick={() => void change({ advanceMs: monthEnd(now) })}>
                To the end of the month
              </button>
            </div>
          )}
          {ran.length > 0 && (
            <section class="related">
              <h2>What ran</h2>
              <ul>
                {ran.map((one) => (
                  <li key={String(one['job'])}>
                    <span class="mono">{String(one['job'])}</span> {String(one['count'])}
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </>
  );
}
