// How the tour speaks: to a person in colour, to a machine in lines of JSON.
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
  /** One request, its answer, and why it matters. */
  step(why: string, exchange: Exchange): void;
  /** Something seen beside the requests: a webhook, a sum. */
  note(what: string, details?: Readonly<Record<string, unknown>>): void;
};

export const jsonNarrator = (write: (line: string) => void): Narrator => {
  const line = (kind: string, content: object) => write(JSON.stringify({ kind, ...content }));
  return {
    chapter: (title) => line('chapter', { title }),
    step: (why, exchange) => line('step', { why, ...exchange }),
    note: (what, details = {}) => line('note', { what, ...details }),
  };
};

const SHOWN = 130;
/** Ids by their last digits: enough to tell them apart, and room for what matters. */
const withShortIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{8}([0-9a-f]{4})/g, '…$1');
const short = (value: unknown): string => {
  const text = withShortIds(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
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
