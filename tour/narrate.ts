// Output of the tour: laid out text for people, JSON lines for programs.
import { styleText } from 'node:util';
import { columnsOf, entriesOf } from '../cli/show.js';

export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
};

export type Narrator = {
  chapter(title: string): void;
  /** One request, its response, and an explanation. */
  step(why: string, exchange: Exchange): void;
  /** A fact beside the requests, such as a received webhook or a sum. */
  note(what: string, details?: Readonly<Record<string, unknown>>): void;
};

export const jsonNarrator = (write: (line: string) => void): Narrator => {
  const writeRecord = (kind: string, content: object) => write(JSON.stringify({ kind, ...content }));
  return {
    chapter: (title) => writeRecord('chapter', { title }),
    step: (why, exchange) => writeRecord('step', { why, ...exchange }),
    note: (what, details = {}) => writeRecord('note', { what, ...details }),
  };
};

const WIDTH = 110;
const INDENT = ' '.repeat(8);
/** Longer values, such as keys and encrypted codes, say nothing to a reader. */
const LONGEST = 60;

/** Shortens ids to their last digits. */
const withShortIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{8}([0-9a-f]{4})/g, '…$1');

const pair = ([name, value]: readonly [string, string]): string => {
  const text = withShortIds(value);
  return `${name} ${text.length <= LONGEST ? text : `(${text.length} characters)`}`;
};

/** Pairs of name and value, as many on a line as fit. */
export function laidOut(pairs: readonly (readonly [string, string])[]): string[] {
  const lines: string[] = [];
  for (const text of pairs.map(pair)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length + 3 <= WIDTH) lines[lines.length - 1] = `${last}   ${text}`;
    else lines.push(text);
  }
  return lines;
}

/** What an answer says, in short: the members that people look for, or how many rows. */
function summary(answer: unknown): string[] {
  if (answer === undefined) return ['(empty)'];
  if (answer === null || typeof answer !== 'object') return [String(answer)];
  const { data } = answer as { data?: unknown[] };
  if (Array.isArray(data))
    return [`${data.length} ${data.length === 1 ? 'row' : 'rows'}`, ...(data.length > 0 ? laidOut(chosen(data[0] as object)) : [])];
  return laidOut(chosen(answer));
}

const chosen = (value: object): [string, string][] => {
  const names = columnsOf([value]);
  const entries = entriesOf(Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name) || /reason/i.test(name))));
  return entries.length > 0 ? entries : entriesOf(value).slice(0, 6);
};

type Style = Parameters<typeof styleText>[0];

export const textNarrator = (write: (line: string) => void, colour: boolean): Narrator => {
  const paint = (style: Style, text: string) => (colour ? styleText(style, text) : text);
  let chapter = 0;
  return {
    chapter(title) {
      chapter += 1;
      write(`\n${paint('bold', `${chapter}. ${title}`)}`);
    },
    step(why, { method, path, body, status, answer }) {
      write(`\n  ${why}`);
      write(`  ${paint('cyan', method.padEnd(5))} ${withShortIds(path)}`);
      if (body !== undefined) for (const line of laidOut(entriesOf(body))) write(`${INDENT}${paint('dim', line)}`);
      const [first = '', ...rest] = summary(answer);
      write(`  ${paint(status < 300 ? 'green' : 'yellow', String(status))}   ${first}`);
      for (const line of rest) write(`${INDENT}${line}`);
    },
    note(what) {
      write(`  ${paint('magenta', '•')}     ${what}`);
    },
  };
};
