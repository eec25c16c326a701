// The clock of the sandbox platform: now, what falls due next, and what an advance ran.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item, may } from '../api.ts';
import { clock, clockNow, showClock } from '../live.ts';
import { ClockText } from '../parts/clock.tsx';
import { Actions } from '../parts/form.tsx';
import { Failure } from '../parts/notice.tsx';
import { time } from '../parts/time.ts';
import { useTurn } from '../parts/turn.ts';
import type { Action } from '../resources/types.ts';

const HOUR = 3_600_000;
const SET: Action = {
  operation: 'updateSandboxClock',
  label: 'Set',
  ask: ['now'],
  values: () => ({ now: new Date(clockNow()).toISOString() }),
};

function toMonthEnd(): number {
  const at = new Date(clockNow());
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1) - at.getTime();
}

export function ClockPage() {
  const [answer, setAnswer] = useState<Item>({});
  const { error, isBusy, run } = useTurn();
  const change = (body?: Item) =>
    run(async () => {
      const found = await (body ? call('PUT', '/sandbox/clock', body) : call('GET', '/sandbox/clock'));
      setAnswer(found);
      showClock(found);
    });
  useEffect(() => {
    void change();
  }, []);
  const isFrozen = clock.value?.isFrozen;
  const button = (label: string, body: () => Item) => (
    <button type="button" disabled={isBusy} onClick={() => void change(body())}>
      {label}
    </button>
  );
  return (
    <>
      <header class="page-head">
        <h1>Clock</h1>
      </header>
      {error !== undefined && <Failure error={error} />}
      <p class="big clock">
        <ClockText />
      </p>
      {may('MANAGE') && (
        <div class="actions">
          {button(isFrozen ? 'Resume' : 'Freeze', () => ({ frozen: !isFrozen }))}
          {button('+ 1 hour', () => ({ advanceMs: HOUR }))}
          {button('+ 1 day', () => ({ advanceMs: 24 * HOUR }))}
          {button('To the end of the month', () => ({ advanceMs: toMonthEnd() }))}
          <Actions actions={[SET]} object={{}} onDone={() => void change()} />
        </div>
      )}
      {answer['due'] === undefined && error === undefined && <p class="faint">Loading …</p>}
      <Jobs title="What ran" jobs={answer['ran']} shown={({ count }) => String(count)} />
      <Jobs title="What falls due next" jobs={answer['due']} shown={({ dueAt }) => time(String(dueAt))} />
    </>
  );
}

type JobsProps = { readonly title: string; readonly jobs: unknown; readonly shown: (job: Item) => string };

/** Nothing is shown where the answer has no such list. */
function Jobs({ title, jobs, shown }: JobsProps) {
  if (!Array.isArray(jobs)) return null;
  return (
    <section class="related">
      <h2>{title}</h2>
      {jobs.length === 0 && <p class="faint none">Nothing.</p>}
      <dl class="members">
        {(jobs as readonly Item[]).map((job) => (
          <div key={String(job['job'])}>
            <dt>{String(job['job'])}</dt>
            <dd class="mono">{shown(job)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
