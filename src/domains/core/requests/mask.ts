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

/** What is done with a value that some schemas may describe. Made once for each place of a schema, since every request is masked. */
type Place = {
  /** Nothing describes the value, or it is a secret. */
  readonly isHidden: boolean;
  readonly showsScalar: boolean;
  readonly items: () => Place | undefined;
  readonly member: (name: string) => Place;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

function placeOf(schemas: readonly Node[]): Place {
  const nodes = schemas.flatMap(alternativesOf);
  const isAny = nodes.some(isOpen);
  const declared = new Map<string, Place>();
  const placeFor = (described: readonly Node[]): Place => (described.length === 0 && isAny ? ANY() : placeOf(described));
  const others = once(() => placeFor(nodes.flatMap(undeclaredOf)));
  return {
    isHidden: nodes.length === 0 || nodes.some(isSecret),
    showsScalar: nodes.some(describesScalar),
    items: once(() => {
      const items = nodes.flatMap(({ items: one }) => (isJsonObject(one) ? [one] : []));
      return items.length > 0 ? placeOf(items) : isAny ? ANY() : undefined;
    }),
    member(name) {
      const known = declared.get(name);
      if (known) return known;
      if (SECRET_NAME.test(name)) return HIDDEN;
      // Names that no schema declares are the caller's choice: they share a place and are not kept.
      if (!nodes.some((node) => declares(node, name))) return others();
      const found = placeFor(nodes.flatMap((node) => membersOf(node, name)));
      declared.set(name, found);
      return found;
    },
  };
}

const HIDDEN: Place = { isHidden: true, showsScalar: false, items: () => undefined, member: () => HIDDEN };
const ANY = once(() => placeOf([{}]));

const places = new WeakMap<Node, Place>();

/** The value with every secret replaced; the value itself where it holds none. `schema` is that of the operation for this body. */
export function masked(value: unknown, schema: Node): unknown {
  const place = places.get(schema) ?? placeOf([schema]);
  places.set(schema, place);
  return maskedAt(value, place, 0);
}

/** Below this nothing is shown. No body that the service accepts or writes is nested so deeply; one that it has refused may be. */
const MAX_DEPTH = 64;

function maskedAt(value: unknown, place: Place, depth: number): unknown {
  if (value === null) return null;
  if (place.isHidden || depth > MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return maskedItems(value, place.items(), depth);
  if (isJsonObject(value)) return maskedMembers(value, place, depth);
  return place.showsScalar && !(typeof value === 'string' && value.includes('=') && SECRET_LINK.test(value)) ? value : MASK;
}

function maskedItems(value: readonly unknown[], items: Place | undefined, depth: number): unknown {
  if (!items) return MASK;
  const shown = value.map((item) => maskedAt(item, items, depth + 1));
  return shown.every((item, at) => item === value[at]) ? value : shown;
}

function maskedMembers(value: JsonObject, place: Place, depth: number): unknown {
  let changed: [string, unknown][] | undefined;
  for (const name of Object.keys(value)) {
    const shown = maskedAt(value[name], place.member(name), depth + 1);
    if (shown === value[name]) continue;
    changed ??= [];
    changed.push([name, shown]);
  }
  // Entries, since a name may be `__proto__`.
  return changed ? Object.fromEntries([...Object.entries(value), ...changed]) : value;
}

const declares = ({ properties }: Node, name: string): boolean => isJsonObject(properties) && Object.hasOwn(properties, name);

/** The schemas of members that are not declared by name. */
const undeclaredOf = ({ additionalProperties, patternProperties }: Node): Node[] =>
  [additionalProperties, ...(isJsonObject(patternProperties) ? Object.values(patternProperties) : [])].filter(isJsonObject);

function membersOf(node: Node, name: string): Node[] {
  const own = isJsonObject(node['properties']) && declares(node, name) ? node['properties'][name] : undefined;
  return isJsonObject(own) ? [own] : undeclaredOf(node);
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
