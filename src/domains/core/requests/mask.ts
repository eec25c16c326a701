// Bodies without their secrets. What is shown follows from the schema: a value is shown where the schema describes one and does not mark it
// as secret. What the schema does not describe is masked, because a caller may have put a secret in the wrong place.
import { isJsonObject, type JsonObject } from '../../../kernel/json.js';

export const MASK = '•••';

/** A member with such a name is masked also when its schema is not marked: a schema that forgets the mark must not show a secret. */
const SECRET_NAME =
  /secret|password|passphrase|mnemonic|private.?key|signing.?key|recovery|one.?time|otp|^pin$|pin.?block|(?:access|session|oidc|id|device|claim|liveness).?token|^token$|bundle|stamp|embed.?url|^identifier$|tax.?id|documentNumber|walletCredentials/i;

/** A link that opens a page for whoever has it. */
const SECRET_LINK = /[?&#/](?:\w*token|secret|code|key)=/i;

type Node = JsonObject;

const isSecret = (node: Node): boolean => node['x-secret'] === true || node['writeOnly'] === true || node['format'] === 'password';

/** The alternatives of a schema: itself and the parts of its unions and intersections. */
function alternativesOf(node: Node): Node[] {
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (Array.isArray(node[name]) ? node[name].filter(isJsonObject) : []));
  return [node, ...parts.flatMap(alternativesOf)];
}

/** The schemas that may describe a value; none where nothing describes it. */
type Schemas = readonly Node[];

/** The value with every secret replaced. `schemas` are those of the operation for this body. */
export function masked(value: unknown, schemas: Schemas): unknown {
  const nodes = schemas.flatMap(alternativesOf);
  if (value === null) return null;
  if (nodes.length === 0 || nodes.some(isSecret)) return MASK;
  if (Array.isArray(value)) return maskedItems(value, nodes);
  if (isJsonObject(value)) return maskedMembers(value, nodes);
  return nodes.some(describesScalar) && !(typeof value === 'string' && SECRET_LINK.test(value)) ? value : MASK;
}

function maskedItems(value: readonly unknown[], nodes: Schemas): unknown {
  const items = nodes.flatMap(({ items }) => (isJsonObject(items) ? [items] : []));
  return items.length === 0 && !nodes.some(isOpen) ? MASK : value.map((item) => masked(item, items.length === 0 ? [{}] : items));
}

function maskedMembers(value: JsonObject, nodes: Schemas): unknown {
  const isAny = nodes.some(isOpen);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (SECRET_NAME.test(name)) return [name, member === null ? null : MASK];
      const described = nodes.flatMap((node) => membersOf(node, name));
      return [name, masked(member, described.length === 0 && isAny ? [{}] : described)];
    }),
  );
}

function membersOf({ properties, additionalProperties, patternProperties }: Node, name: string): Node[] {
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (isJsonObject(own)) return [own];
  const others = [additionalProperties, ...(isJsonObject(patternProperties) ? Object.values(patternProperties) : [])];
  return others.filter(isJsonObject);
}

const STRUCTURED = new Set(['object', 'array']);

/** A schema without a type takes anything, scalars included. */
function describesScalar(node: Node): boolean {
  const { type } = node;
  if (type === undefined) return isOpen(node) || 'enum' in node || 'const' in node;
  return [type].flat().some((one) => !STRUCTURED.has(String(one)));
}

/** Takes members of any name: an empty schema, and an object that says so. */
const isOpen = (node: Node): boolean =>
  node['additionalProperties'] === true ||
  !['type', 'properties', 'items', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((name) => name in node);
