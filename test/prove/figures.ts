// The figures of docs/reliability.md: one row per guarantee, the last run that was recorded.
import { boundOf, type Outcome } from './report.js';

const SECTION = /(<!-- figures -->\n\n)([\s\S]*?)(\n\n<!-- \/figures -->)/;
const HEAD = '| Guarantee | Trials | Failures | Rate (95 %) | Commit | Day |\n|---|---:|---:|---|---|---|';

export type Run = { readonly commit: string; readonly day: string };

/** The page with these outcomes. Rows of other guarantees stay; what could not be tried here leaves its row. */
export function withFigures(page: string, outcomes: readonly Outcome[], { commit, day }: Run): string {
  const [, , shown = ''] = SECTION.exec(page) ?? [];
  const rows = new Map(
    shown
      .split('\n')
      .slice(2)
      .map((row) => [row.split(' | ')[0]?.slice(2) ?? '', row]),
  );
  for (const outcome of outcomes.filter(({ trials }) => trials > 0)) {
    const { goal, trials, failures } = outcome;
    rows.set(goal, `| ${goal} | ${trials.toLocaleString('en-US')} | ${failures.length} | ${boundOf(outcome)} | ${commit} | ${day} |`);
  }
  return page.replace(SECTION, (_whole, before, _shown, after) => `${before}${[HEAD, ...rows.values()].join('\n')}${after}`);
}
