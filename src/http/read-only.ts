// Members that only answers hold (`readOnly` in a schema) are dropped from requests before they are checked, so that a caller can send
// back what it has read. A member is read-only by the schema of the request, or by the schema of the answer at the same place.
import type { TSchema } from 'typebox';
import { isJsonObject, type JsonObject } from '../kernel/json.js';
import { tagsOf } from './validate.js';

export type Drop = (value: unknown) => void;

/** Undefined if the request holds nothing to drop, as most do. */
export const readOnlyDrop = (request: TSchema, answers: readonly (TSchema | null)[]): Drop | undefined =>
  dropOf({ ...request }, answers.filter(isJsonObject));

type Nodes = readonly JsonObject[];

function dropOf(request: JsonObject, answers: Nodes): Drop | undefined {
  if (isJsonObject(request['discriminator'])) return dropOfUnion(request, String(request['discriminator']['propertyName']), answers);
  if (isJsonObject(request['items'])) return dropOfItems(request['items'], membersOf(answers, 'items'));
  return isJsonObject(request['properties']) ? dropOfMembers(request['properties'], answers.flatMap(variantsOf)) : undefined;
}

function dropOfMembers(properties: JsonObject, answers: Nodes): Drop | undefined {
  // A request that has no member in common with the answer is about another object: funding an account, for example.
  const answered = membersOf(answers, 'properties').filter((members) =>
    Object.keys(properties).some((name) => Object.hasOwn(members, name)),
  );
  const ignored = new Set([
    ...namesOfReadOnly(properties),
    ...answered.flatMap(namesOfReadOnly).filter((name) => !Object.hasOwn(properties, name)),
  ]);
  const inner = Object.entries(properties).flatMap(([name, schema]): [string, Drop][] => {
    const drop = isJsonObject(schema) ? dropOf(schema, membersOf(answered, name)) : undefined;
    return drop ? [[name, drop]] : [];
  });
  if (ignored.size === 0 && inner.length === 0) return undefined;
  return (value) => {
    if (!isJsonObject(value)) return;
    for (const name of ignored) Reflect.deleteProperty(value, name);
    for (const [name, drop] of inner) drop(value[name]);
  };
}

function dropOfItems(items: JsonObject, answers: Nodes): Drop | undefined {
  const drop = dropOf(items, answers);
  return drop && ((value) => void (Array.isArray(value) && value.forEach(drop)));
}

/** Each variant of the request with the variants of the answer that have its tag. */
function dropOfUnion(request: JsonObject, tag: string, answers: Nodes): Drop | undefined {
  const byTag = new Map<unknown, Drop>();
  for (const variant of variantsOf(request)) {
    for (const value of tagsOf(variant, tag)) {
      const drop = dropOf(
        variant,
        answers.flatMap(variantsOf).filter((answer) => tagsOf(answer, tag).includes(value)),
      );
      if (drop) byTag.set(value, drop);
    }
  }
  if (byTag.size === 0) return undefined;
  return (value) => {
    if (isJsonObject(value)) byTag.get(value[tag])?.(value);
  };
}

const variantsOf = (node: JsonObject): Nodes => (Array.isArray(node['oneOf']) ? node['oneOf'].filter(isJsonObject) : [node]);
const membersOf = (nodes: Nodes, name: string): Nodes => nodes.map((node) => node[name]).filter(isJsonObject);
const namesOfReadOnly = (properties: JsonObject): string[] =>
  Object.entries(properties).flatMap(([name, schema]) => (isJsonObject(schema) && schema['readOnly'] === true ? [name] : []));
