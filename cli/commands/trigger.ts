// Recipes: data that says which calls make something happen, and which event follows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../call.js';
import { newKey, pathOf } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf, durationMs } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { fill, type Recipe, type Step, type Values } from '../recipe.js';
import { projectRoot } from '../root.js';
import { grid, shortId, valueAt } from '../show.js';
import { suggest } from '../table.js';

const folder = join(projectRoot, 'recipes');

export const readRecipes = (): Recipe[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recipe);

const WAIT_MS = 15_000;
const POLL_MS = 150;

export async function trigger(context: Context, [name]: readonly string[], flags: OwnFlags): Promise<void> {
  if (name === 'refusal') return (await import('./refusal.js')).triggerRefusal(context, flags);
  const recipes = readRecipes();
  const { output } = context;
  if (flags['list'] || name === undefined) {
    if (!flags['list']) throw usage('usage: switchyard trigger RECIPE [--input value…]; `switchyard trigger --list` shows the recipes');
    return output.write(
      output.isText
        ? grid([...recipes.map((recipe) => [recipe.name, `${recipe.summary}${inputsOf(recipe)}`]), ['refusal', REFUSAL]])
        : JSON.stringify(recipes.map(({ name: one, summary, event }) => ({ name: one, summary, event: event?.type }))),
    );
  }
  const { list: _list, timeout, ...inputs } = flags;
  const values = Object.fromEntries(
    Object.entries(inputs).map(([input, value]) => [input, /^-?\d+$/.test(String(value)) ? Number(value) : value]),
  );
  const run = createRun(context, callerOf(context), recipes, typeof timeout === 'string' ? durationMs(timeout) : WAIT_MS);
  const result = await run(find(recipes, name), values);
  if (!output.isText) output.write(JSON.stringify(result));
}

const REFUSAL = 'Any refusal that the document lists for an operation  [--operation] [--code]';

const inputsOf = ({ inputs }: Recipe): string =>
  Object.keys(inputs)
    .map((input) => `  [--${input}]`)
    .join('');

function find(recipes: readonly Recipe[], name: string): Recipe {
  const recipe = recipes.find((one) => one.name === name);
  const near = recipe
    ? undefined
    : suggest(
        name,
        recipes.map((one) => one.name),
      );
  if (!recipe) throw usage(`no recipe ${name}.${near ? ` Did you mean ${near}?` : ''} \`switchyard trigger --list\` shows them.`);
  return recipe;
}

type Result = { readonly recipe: string; readonly values: Values; readonly event?: { readonly id: string; readonly type: string } };

function createRun({ table, output }: Context, caller: Caller, recipes: readonly Recipe[], waitMs: number) {
  const say = (text: string) => output.isText && output.write(text);

  const step = async (one: Step, values: Values): Promise<void> => {
    const operation = table.operation(one.call);
    if (!operation) throw new Stop(EXIT.serviceFailed, `the recipe calls ${one.call}, which this service does not have`);
    const exchange = {
      method: operation.method,
      path: pathOf(
        operation,
        (one.ids ?? []).map((id) => String(fill(id, values))),
      ),
      ...(one.query ? { query: fill(one.query, values) as Record<string, unknown> } : {}),
      ...(one.body === undefined ? {} : { body: fill(one.body, values) }),
      ...(operation.key ? { headers: { 'idempotency-key': newKey() } } : {}),
    };
    const deadline = performance.now() + waitMs;
    for (;;) {
      const { body } = await caller.call(exchange);
      if (one.until && valueAt(body, one.until.path) !== one.until.is) {
        if (performance.now() > deadline)
          throw new Stop(EXIT.waitedInVain, `${one.until.path} is ${valueAt(body, one.until.path)}, not ${one.until.is}`);
        await pause(POLL_MS);
        continue;
      }
      for (const [name, path] of Object.entries(one.save ?? {})) values[name] = valueAt(body, path);
      return;
    }
  };

  const run = async (recipe: Recipe, given: Values): Promise<Result> => {
    const values: Values = {};
    for (const name of Object.keys(given)) if (!recipe.inputs[name]) throw usage(`${recipe.name} takes no --${name}.${inputsOf(recipe)}`);
    for (const [name, input] of Object.entries(recipe.inputs)) {
      if (given[name] !== undefined) values[name] = given[name];
      else if (values[name] === undefined && input.from)
        Object.assign(values, (await run(find(recipes, input.from), {})).values, { ...values });
      else values[name] ??= input.default;
    }
    const known = recipe.event ? new Set((await eventsOf(recipe.event.type)).map(({ id }) => id)) : new Set();
    for (const [i, one] of recipe.steps.entries()) {
      await step(one, values);
      say(`${i + 1} ${String(fill(one.say, values))}`);
    }
    const gives = Object.fromEntries(Object.entries(recipe.gives ?? {}).map(([name, template]) => [name, fill(template, values)]));
    const event = recipe.event ? await followed(recipe.event, known, values) : undefined;
    if (event) say(`${event.type}${detailOf(event.data)}  ${event.id}`);
    return { recipe: recipe.name, values: gives, ...(event ? { event: { id: event.id, type: event.type } } : {}) };
  };

  type Found = { id: string; type: string; objectId: string; data: Record<string, unknown> };
  const eventsOf = async (type: string): Promise<Found[]> =>
    (await caller.call({ method: 'GET', path: '/webhooks/events', query: { type, limit: 20 } })).body.data;

  const followed = async ({ type, about }: NonNullable<Recipe['event']>, known: ReadonlySet<unknown>, values: Values): Promise<Found> => {
    const object = about === undefined ? undefined : String(fill(about, values));
    for (const deadline = performance.now() + waitMs; performance.now() < deadline; await pause(POLL_MS)) {
      const found = (await eventsOf(type)).find(
        ({ id, objectId, data }) =>
          !known.has(id) && (object === undefined || objectId === object || JSON.stringify(data).includes(object)),
      );
      if (found) return found;
    }
    throw new Stop(EXIT.waitedInVain, `no ${type}${object ? ` of ${shortId(object)}` : ''} within ${waitMs / 1_000} s`);
  };

  return run;
}

const detailOf = (data: Record<string, unknown>): string => (data['cardDeclinedReason'] ? `: ${data['cardDeclinedReason']}` : '');
