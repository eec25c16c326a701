// The name of an operation for people: of its command, of its method in the client, of its button.
import { isJsonObject } from '../kernel/json.js';
import type { Operation } from './operation.js';

const VERBS = { PATCH: 'update', PUT: 'set', DELETE: 'delete', POST: 'create' } as const;

/**
 * The segments of the path that are no parameter, then a verb. What is posted below an id is its own verb: `POST /quotes/{quoteId}/execute`
 * is `quotes execute`. Where this reads badly an operation has a `command` of its own.
 */
export function commandOf(op: Pick<Operation, 'command' | 'method' | 'path' | 'success'>): string {
  if (op.command !== undefined) return op.command;
  const segments = op.path.split('/').slice(1);
  const nouns = segments.filter((segment) => !segment.startsWith('{')).map((segment) => segment.replaceAll('_', '-'));
  if (op.method === 'GET') return [...nouns, isList(op) ? 'list' : 'get'].join(' ');
  const isOwnVerb = op.method === 'POST' && nouns.length < segments.length && !segments.at(-1)?.startsWith('{');
  return [...nouns, ...(isOwnVerb ? [] : [VERBS[op.method]])].join(' ');
}

/** Whether the answer is a list: it has `data`. */
function isList({ success }: Pick<Operation, 'success'>): boolean {
  const answer = success[200];
  const properties = isJsonObject(answer) ? answer['properties'] : undefined;
  return isJsonObject(properties) && isJsonObject(properties['data']) && properties['data']['type'] === 'array';
}
