// The API document that the service serves, and what the console reads in it: forms, state machines, error codes, reasons in words.
import { signal } from '@preact/signals';
import { type CommandOperation, operationTable } from '../cli/operations.ts';
import { NoAnswer } from './api.ts';
import type { Schemas } from './form-model.ts';

export type Transition = { readonly from: string; readonly to: string; readonly by: string };
/** Values in words: the rules that decide one, in the order in which they are asked, or what each allows. */
export type Rules = readonly { readonly value: string; readonly rule: string }[];

type Served = Readonly<Record<string, readonly { readonly to: string; readonly by: string; readonly of?: string }[]>>;

export type Document = {
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly 'x-transitions'?: Served; readonly 'x-rules'?: Rules; readonly 'x-policies'?: Rules }>
    >;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
  readonly 'x-errors': Readonly<Record<string, { readonly status: number; readonly reason: string }>>;
};

export type Forms = {
  readonly operations: ReadonlyMap<string, CommandOperation>;
  readonly schemas: Schemas;
};

/** Asked for once. What failed is asked for again. */
function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** Undefined until a page has asked for it. */
export const apiDocument = signal<Document | undefined>(undefined);

export const loadDocument = once(async (): Promise<Document> => {
  const response = await fetch('/openapi.json').catch(() => undefined);
  if (!response) throw new NoAnswer('The service does not answer.');
  if (!response.ok) throw new Error(`The API document was answered with ${response.status}.`);
  const found = (await response.json()) as Document;
  apiDocument.value = found;
  return found;
});

export const loadForms = once(async (): Promise<Forms> => {
  const { operations, schemas } = operationTable(await loadDocument());
  return { operations: new Map(operations.map((operation) => [operation.id, operation])), schemas };
});

/** The moves of a status; of those that several types share, the ones of `type`. None where the status has no table. */
export async function loadTransitions(name: string, type: string): Promise<readonly Transition[]> {
  const { components } = await loadDocument();
  const moves = components.schemas[name]?.['x-transitions'] ?? {};
  return Object.entries(moves).flatMap(([from, targets]) =>
    targets.filter(({ of }) => of === undefined || of === type).map(({ to, by }) => ({ from, to, by })),
  );
}
