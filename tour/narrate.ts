// Output of the tour: coloured text for people, JSON lines for programs.
import { styleText } from 'node:util';

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

const MAX_LENGTH = 130;
/** Shortens ids to their last digits. */
const withShortIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{8}([0-9a-f]{4})/g, '…$1');
const short = (value: unknown): string => {
  const text = withShortIds(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
};

type Style = Parameters<typeof styleText>[0];

export const colourNarrator = (write: (line: string) => void, colour: boolean): Narrator => {
  const paint = (style: Style, text: string) => (colour ? styleText(style, text) : text);
  let chapter = 0;
  return {
    chapter(title) {
      chapter += 1;
      write(`\n${paint('bold', `${chapter}. ${title}`)}`);
    },
    step(why, { method, path, body, status, answer }) {
      write(`  ${paint('cyan', method.padEnd(5))} ${withShortIds(path)}${body === undefined ? '' : ` ${paint('dim', short(body))}`}`);
      write(
        `  ${paint(status < 300 ? 'green' : 'yellow', String(status))}   ${paint('dim', answer === undefined ? '(empty)' : short(answer))}`,
      );
      write(`        ${why}`);
    },
    note(what) {
      write(`  ${paint('magenta', '•')}     ${what}`);
    },
  };
};
