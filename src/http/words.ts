// The words of the API document that the code does not give: docs/reference says what operations do and what fields mean.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../root.js';

/** An exchange that a service really had, made presentable. */
export type Example = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
  /** The answer to the last signed retry, of an operation that the end user signs. */
  readonly signed?: { readonly status: number; readonly answer?: unknown };
};

export type Words = {
  readonly introduction: string;
  operation(id: string): string | undefined;
  /** A member of a schema: its own text, or the one of every member of that name. */
  field(schema: string, name: string): string | undefined;
  parameter(operation: string, name: string): string | undefined;
  example(operation: string): Example | undefined;
  /** Headings and names that nothing has asked for. */
  unused(): string[];
};

const read = (name: string): string => readFileSync(join(projectRoot, 'docs/reference', name), 'utf8');

/** The entries of a page by their name. Two of one name are a mistake. */
function entriesOf(page: string, pattern: RegExp): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [, name = '', text = ''] of page.matchAll(pattern)) {
    if (entries.has(name)) throw new Error(`docs/reference describes ${name} twice`);
    entries.set(name, text.trim());
  }
  return entries;
}

/** The recorded examples by operation. */
export function readExamples(): Map<string, Example> {
  const folder = join(projectRoot, 'docs/reference/examples');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return new Map(files.flatMap((name) => Object.entries(JSON.parse(read(`examples/${name}`)) as Record<string, Example>)));
}

export function readWords(): Words {
  const examples = readExamples();
  const operations = entriesOf(read('operations.md'), /^## (\w+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm);
  const fields = entriesOf(read('fields.md'), /^- `([\w.?]+)`: (.+)$/gm);
  const used = new Set<string>();
  const find = (entries: Map<string, string>, ...names: string[]): string | undefined => {
    const name = names.find((one) => entries.has(one));
    if (name !== undefined) used.add(name);
    return name === undefined ? undefined : entries.get(name);
  };
  return {
    introduction: read('introduction.md').trimEnd(),
    operation: (id) => find(operations, id),
    field: (schema, name) => find(fields, `${schema}.${name}`, name),
    parameter: (operation, name) => find(fields, `${operation}?${name}`, `?${name}`),
    example: (operation) => examples.get(operation),
    unused: () => [...operations.keys(), ...fields.keys()].filter((name) => !used.has(name)),
  };
}
