// The tables of docs/reliability.md: a row per run of a part, one per guarantee and one per rules file, each from what was recorded last.
import { JUDGED, type Judged } from './mutation/judged.js';
import { boundOf, type Outcome } from './report.js';

/** A part that ended, the command that runs it again as it ran, and the commit that ran. */
export type Run = {
  readonly part: string;
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  readonly day: string;
  /** Its trials are added to those on the page of the same commit: a long part may be run piece by piece, each with a seed of its own. */
  readonly adds?: boolean;
};

const RUNS = { name: 'runs', head: ['Part', 'Command', 'Minutes', 'Commit', 'Day'], right: [2] };
const FIGURES = { name: 'figures', head: ['Guarantee', 'Trials', 'Failures', 'Rate (95 %)', 'Note', 'Commit', 'Day'], right: [1, 2] };
const MUTATION = { name: 'mutation', head: ['Rules file', 'Changes', 'Noticed', 'Not noticed', 'Commit', 'Day'], right: [1, 2] };
const JUDGED_TABLE = { name: 'judged', head: ['Rules file', 'Change', 'In', 'Why no test can notice it'], right: [] };
type Table = { readonly name: string; readonly head: readonly string[]; readonly right: readonly number[] };

const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');
const rowOf = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const cellsOf = (row: string): string[] => row.slice(2, -2).split(' | ');

const sectionOf = ({ name }: Table): RegExp => new RegExp(`(<!-- ${name} -->\\n\\n)([\\s\\S]*?)(\\n\\n<!-- /${name} -->)`);

/** The rows that the page shows, by their first cell. */
function shownRows(page: string, table: Table): Map<string, string[]> {
  const [, , shown = ''] = sectionOf(table).exec(page) ?? [];
  return byFirstCell(shown.split('\n').slice(2));
}

function byFirstCell(rows: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const [first = ''] = cellsOf(row);
    found.set(first, [...(found.get(first) ?? []), row]);
  }
  return found;
}

/** The page with these rows. Rows with other first cells stay, unless the table is made anew as a whole. */
function withRows(page: string, table: Table, rows: readonly string[], isWhole = false): string {
  const { head, right } = table;
  const all = isWhole ? rows : [...new Map([...shownRows(page, table), ...byFirstCell(rows)]).values()].flat();
  const heading = [rowOf(head), `|${head.map((_, i) => (right.includes(i) ? '---:' : '---')).join('|')}|`];
  return page.replace(sectionOf(table), (_whole, before, _shown, after) => `${before}${[...heading, ...all].join('\n')}${after}`);
}

type Figure = { readonly trials: number; readonly failures: number; readonly note: string };

const figureRow = (goal: string, { trials, failures, note }: Figure, { commit, day }: Run): string =>
  rowOf([goal, trials.toLocaleString('en-US'), String(failures), boundOf({ trials, failures }), note, commit, day]);

/** What the page shows of the guarantee, if it is of the same commit. */
function shownFigure(page: string, goal: string, { commit }: Run): Figure | undefined {
  const [row = ''] = shownRows(page, FIGURES).get(cell(goal)) ?? [];
  const [, trials = '', failures = '', , note = '', named] = cellsOf(row);
  return named === commit ? { trials: Number(trials.replaceAll(',', '')), failures: Number(failures), note } : undefined;
}

/** What must have been reached is reached if one of the runs did; other trials and their failures are added. */
function added(before: Figure, run: Figure, isCoverage: boolean): Figure {
  if (isCoverage) return before.failures < run.failures ? before : run;
  const note = [before.note, run.note].filter((each) => each !== '').join('; ');
  return { trials: before.trials + run.trials, failures: before.failures + run.failures, note };
}

const judgedRow = ({ file, what, within, why }: Judged): string => rowOf([file, `\`${what}\``, `\`${within}\``, why]);

/** The page with these outcomes. What could not be tried here leaves its row. */
export function withFigures(page: string, outcomes: readonly Outcome[], run: Run): string {
  const { part, command, seconds, commit, day, adds = false } = run;
  const tried = outcomes.filter(({ trials }) => trials > 0);
  const figures = tried
    .filter(({ mutation }) => !mutation)
    .map(({ goal, trials, failures, note = '', isCoverage = false }) => {
      const figure = { trials, failures: failures.length, note };
      const before = adds ? shownFigure(page, goal, run) : undefined;
      return figureRow(goal, before ? added(before, figure, isCoverage) : figure, run);
    });
  const scores = tried.flatMap(({ trials, mutation }) => {
    if (!mutation) return [];
    const { file, survivors } = mutation;
    const noticed = `${((100 * (trials - survivors.length)) / trials).toFixed(1)} %`;
    return [rowOf([file, String(trials), noticed, survivors.map((text) => `\`${text}\``).join('<br>'), commit, day])];
  });
  const earlier = adds ? (shownRows(page, RUNS).get(part) ?? []).filter((row) => cellsOf(row)[3] === commit) : [];
  const ran = tried.length > 0 ? [...earlier, rowOf([part, `\`${command}\``, (seconds / 60).toFixed(1), commit, day])] : [];
  const renewed = withRows(withRows(page, RUNS, ran), FIGURES, figures);
  if (scores.length === 0) return renewed;
  return withRows(withRows(renewed, MUTATION, scores), JUDGED_TABLE, JUDGED.map(judgedRow), true);
}
