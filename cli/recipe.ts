// Recipes as data, and the values that are written into their calls. For the command line and for browsers.

export type Recipe = {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  /** `from`: the recipe whose result is used when the input is not given. */
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: unknown; readonly from?: string }>>;
  readonly steps: readonly Step[];
  /** The event that follows; `about` is the object it is about. */
  readonly event?: { readonly type: string; readonly about?: string };
  /** What another recipe may take from this one. */
  readonly gives?: Readonly<Record<string, string>>;
};

export type Step = {
  /** What is done, in words; `${name}` is replaced. */
  readonly say: string;
  /** The command of the operation. */
  readonly call: string;
  readonly ids?: readonly string[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Members of the answer that later steps name. */
  readonly save?: Readonly<Record<string, string>>;
  /** Repeats until a member has a value. */
  readonly until?: { readonly path: string; readonly is: unknown };
};

export type Values = Record<string, unknown>;

/** A text that is one `${name}` becomes the value; within a text it is written into it. */
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    const [, whole] = /^\$\{(\w+)\}$/.exec(template) ?? [];
    if (whole !== undefined) return values[whole];
    return template.replaceAll(/\$\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ''));
  }
  if (Array.isArray(template)) return template.map((part) => fill(part, values));
  if (template && typeof template === 'object')
    return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, fill(part, values)]));
  return template;
}
