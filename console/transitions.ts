// The state machines that the API document serves with its statuses, as the rules of the service have them.
export type Transition = { readonly from: string; readonly to: string; readonly by: string };

type Served = Readonly<Record<string, readonly { readonly to: string; readonly by: string; readonly of?: string }[]>>;
type Document = { readonly components: { readonly schemas: Readonly<Record<string, { readonly 'x-transitions'?: Served }>> } };

let document: Promise<Document> | undefined;

async function read(): Promise<Document> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`The API document was answered with ${response.status}.`);
  return (await response.json()) as Document;
}

/** The moves of a status; of those that several types share, the ones of `type`. None where the status has no table. */
export async function loadTransitions(name: string, type: string): Promise<readonly Transition[]> {
  document ??= read();
  const served = await document.catch((error: unknown) => {
    document = undefined;
    throw error;
  });
  const moves = served.components.schemas[name]?.['x-transitions'] ?? {};
  return Object.entries(moves).flatMap(([from, targets]) =>
    targets.filter(({ of }) => of === undefined || of === type).map(({ to, by }) => ({ from, to, by })),
  );
}
