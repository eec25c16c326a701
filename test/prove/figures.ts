// The tables of docs/reliability.md: one row per part, one per guarantee and one per rules file, each from the last run that was recorded.
import { JUDGED, type Judged } from './mutation/judged.js';
import { boundOf, type Outcome } from './report.js';

/** A part that ended, the command that runs it again as it ran, and the commit that ran. */
export type Run = {
  readonly part: string;
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  readonly day: string;
};

const RUNS = { name: 'runs', head: ['Part', 'Command', 'Minutes', 'Commit', 'Day'], right: [2] };
const FIGURES = { name: 'figures', head: ['Guarantee', 'Trials', 'Failures', 'Rate (95 %)', 'Note', 'Commit', 'Day'], right: [1, 2] };
const MUTATION = { name: 'mutation', head: ['Rules file', 'Changes', 'Noticed', 'Not noticed', 'Commit', 'Day'], right: [1, 2] };
const JUDGED_TABLE = { name: 'judged', head: ['Rules file', 'Change', 'In', 'Why no test can notice it'], right: [] };
type Table = { readonly name: string; readonly head: readonly string[]; readonly right: readonly number[] };

const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
const rowOf = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const keyOf = (row: string): string => row.split(' | ')[0]?.slice(2) ?? '';

/** The page with these rows. Rows with other first cells stay, unless the table is made anew as a whole. */
function withRows(page: string, { name, head, right }: Table, rows: readonly string[], isWhole = false): string {
  const section = new RegExp(`(<!-- ${name} -->\\n\\n)([\\s\\S]*?)(\\n\\n<!-- /${name} -->)`);
  const [, , shown = ''] = section.exec(page) ?? [];
  const kept = isWhole ? [] : shown.split('\n').slice(2);
  const all = isWhole ? rows : [...new Map([...kept, ...rows].map((row) => [keyOf(row), row])).values()];
  const heading = [rowOf(head), `|${head.map((_, i) => (right.includes(i) ? '---:' : '---')).join('|')}|`];
  return page.replace(section, (_whole, before, _shown, after) => `${before}${[...heading, ...all].join('\n')}${after}`);
}

const judgedRow = ({ file, what, within, why }: Judged): string => rowOf([file, `\`${what}\``, `\`${within}\``, why]);

/** The page with these outcomes. What could not be tried here leaves its row. */
export function withFigures(page: string, outcomes: readonly Outcome[], { part, command, seconds, commit, day }: Run): string {
  const tried = outcomes.filter(({ trials }) => trials > 0);
  const figures = tried
    .filter(({ mutation }) => !mutation)
    .map((outcome) => {
      const { goal, trials, failures, note = '' } = outcome;
      return rowOf([goal, trials.toLocaleString('en-US'), String(failures.length), boundOf(outcome), note, commit, day]);
    });
  const scores = tried.flatMap(({ trials, mutation }) => {
    if (!mutation) return [];
    const { file, survivors } = mutation;
    const noticed = `${((100 * (trials - survivors.length)) / trials).toFixed(1)} %`;
    return [rowOf([file, String(trials), noticed, survivors.map((text) => `\`${text}\``).join('<br>'), commit, day])];
  });
  const ran = tried.length > 0 ? [rowOf([part, `\`${command}\``, (seconds / 60).toFixed(1), commit, day])] : [];
  const renewed = withRows(withRows(page, RUNS, ran), FIGURES, figures);
  if (scores.length === 0) return renewed;
  return withRows(withRows(renewed, MUTATION, scores), JUDGED_TABLE, JUDGED.map(judgedRow), true);
}
