// Schemas of the API document: named parts move to the components, and unions name the variant of each value of their tag.
import { isJsonObject, type JsonObject } from '../kernel/json.js';
import { tagsOf } from './validate.js';

export type Node = Record<string, unknown>;
export type Hoist = (source: unknown) => unknown;
/** What a member of a schema is, where its own schema does not say it. */
export type Describe = (schema: string, name: string) => string | undefined;

const refTo = (title: string) => `#/components/schemas/${title}`;

/** Copies schemas into a document. Each part with a `title` becomes a component of that name, and a reference is left in its place. */
export function hoistInto(components: Record<string, Node>, describe: Describe = () => undefined): Hoist {
  const hoist: Hoist = (source) => {
    if (Array.isArray(source)) return source.map(hoist);
    if (!isJsonObject(source)) return source;
    const { title, ...described } = source;
    if (typeof title !== 'string') return walk(source);
    // What depends on the member that holds the schema is said beside the reference.
    const { readOnly, about, ...rest } = described;
    const walked = withWords(title, walk(rest));
    const known = components[title];
    if (known && JSON.stringify(known) !== JSON.stringify(walked)) throw new Error(`two different schemas are both called ${title}`);
    components[title] = walked;
    return { $ref: refTo(title), ...(readOnly === true && { readOnly }), ...(about !== undefined && { description: about }) };
  };
  const withWords = (title: string, schema: Node): Node => {
    const { properties } = schema;
    if (!isJsonObject(properties)) return schema;
    const members = Object.entries(properties).map(([name, member]) => {
      const description = isJsonObject(member) && member['description'] === undefined ? describe(title, name) : undefined;
      return [name, description === undefined ? member : { ...(member as Node), description }];
    });
    return { ...schema, properties: Object.fromEntries(members) };
  };
  const walk = (node: JsonObject): Node => {
    const copy = Object.fromEntries(Object.entries(node).map(([key, part]) => [key, hoist(part)]));
    const { discriminator, oneOf } = node;
    if (!isJsonObject(discriminator) || !Array.isArray(oneOf)) return copy;
    return { ...copy, discriminator: { ...discriminator, mapping: mappingOf(String(discriminator['propertyName']), oneOf) } };
  };
  return hoist;
}

/** Without it a generator takes the names of the components for the values of the tag. */
function mappingOf(tag: string, variants: readonly unknown[]): Record<string, string> {
  return Object.fromEntries(
    variants.flatMap((variant) => {
      if (!isJsonObject(variant) || typeof variant['title'] !== 'string') throw new Error(`a variant of a union by ${tag} has no title`);
      const ref = refTo(variant['title']);
      const values = tagsOf(variant, tag);
      if (values.length === 0) throw new Error(`${variant['title']} has no value of ${tag}`);
      return values.map((value) => [String(value), ref]);
    }),
  );
}
