// Runs recipes: the calls that make something happen, one after the other, each with what the ones before it gave.
import recipes from 'switchyard:recipes';
import { fill, type Recipe, type Step, type Values } from '../cli/recipe.ts';
import { newKey } from '../client/keys.ts';
import { type Item, type Json, list, send } from './api.ts';
import type { Forms } from './document.ts';
import { entryOf, fillPath } from './operation.ts';

export { recipes };

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (value as Values | undefined)?.[part], body);

const POLL_MS = 200;
const WAIT_MS = 15_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

async function runStep(step: Step, values: Values, forms: Forms): Promise<void> {
  const operation = [...forms.operations.values()].find(({ command }) => command === step.call);
  const entry = entryOf(operation?.id ?? '');
  if (!entry) throw new Error(`The recipe calls ${step.call}, which this service does not have.`);
  const path = fillPath(
    entry.path,
    (step.ids ?? []).map((one) => String(fill(one, values))),
  );
  const query = step.query ? `?${new URLSearchParams(fill(step.query, values) as Record<string, string>)}` : '';
  const body = step.body === undefined ? undefined : fill(step.body, values);
  for (const end = performance.now() + WAIT_MS; ; await pause()) {
    const headers: Record<string, string> = entry.key ? { 'idempotency-key': newKey() } : {};
    const answer = await send(entry.method, path + query, body, headers);
    const isThere = !step.until || valueAt(answer.body, step.until.path) === step.until.is;
    if (!isThere && performance.now() < end) continue;
    if (!isThere) throw new Error(`${step.until?.path} did not become ${step.until?.is}.`);
    for (const [name, from] of Object.entries(step.save ?? {})) values[name] = valueAt(answer.body, from);
    return;
  }
}

async function eventAfter(type: string, object: string | undefined, known: ReadonlySet<Json | undefined>): Promise<Item> {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await pause()) {
    const { data } = await list('/webhooks/events', new URLSearchParams({ type, limit: '20' }));
    const found = data.find((one) => !known.has(one['id']) && (object === undefined || JSON.stringify(one).includes(object)));
    if (found) return found;
  }
  throw new Error(`No ${type} came.`);
}

export type Run = { readonly values: Values; readonly event: Item | undefined };

/** `say` is called after each call. Inputs that are not given come from the recipe that makes them. */
export async function run(recipe: Recipe, given: Values, forms: Forms, say: (text: string) => void): Promise<Run> {
  const values: Values = {};
  for (const [name, input] of Object.entries(recipe.inputs)) {
    const source = input.from === undefined ? undefined : recipes.find((one) => one.name === input.from);
    if (given[name] !== undefined) values[name] = given[name];
    else if (values[name] === undefined && source) Object.assign(values, (await run(source, {}, forms, say)).values, { ...values });
    else values[name] ??= input.default;
  }
  const { event } = recipe;
  const before = event ? (await list('/webhooks/events', new URLSearchParams({ type: event.type, limit: '20' }))).data : [];
  for (const step of recipe.steps) {
    await runStep(step, values, forms);
    say(String(fill(step.say, values)));
  }
  const object = event?.about === undefined ? undefined : String(fill(event.about, values));
  const followed = event && (await eventAfter(event.type, object, new Set(before.map(({ id }) => id))));
  return {
    values: Object.fromEntries(Object.entries(recipe.gives ?? {}).map(([name, one]) => [name, fill(one, values)])),
    event: followed,
  };
}
