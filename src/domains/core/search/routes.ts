// The search of the console's palette and of the command line.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, Enum } from '../../../http/schemas.js';
import { idOf, type PlatformId } from '../../../kernel/ids.js';
import { readTerm, type Term } from './rules.js';
import { findCustomers, findObjects, isLoggedRequest, OBJECT_TYPES } from './store.js';

const LOGGED_REQUEST = 'LoggedRequest';

const SearchResult = Type.Object(
  {
    type: Enum([...OBJECT_TYPES, LOGGED_REQUEST], { description: 'What was found.' }),
    id: Type.String({ description: 'Its id.' }),
    name: Type.Optional(Type.String({ description: "A customer's name." })),
    email: Type.Optional(Type.String({ description: "A customer's email address." })),
    platformCustomerId: Type.Optional(Type.String({ description: "The platform's own id of a customer." })),
  },
  { title: 'SearchResult', description: 'An object that a search found.' },
);
const SearchResponse = Type.Object(
  { data: Type.Array(SearchResult, { description: 'The best matches.' }) },
  { title: 'SearchResponse', description: 'What a search found.' },
);

async function search(db: Db, platformId: PlatformId, term: Term | undefined, limit: number): Promise<unknown[]> {
  if (!term) return [];
  if (term.kind === 'TEXT')
    return (await findCustomers(db, platformId, term.text, limit)).map(({ id, name, email, platform_customer_id }) => ({
      type: 'Customer',
      id: idOf('Customer', id),
      ...(name !== null && { name }),
      ...(email !== null && { email }),
      platformCustomerId: platform_customer_id,
    }));
  const { type, uuid } = term;
  const [types, isLogged] = await Promise.all([
    findObjects(db, platformId, type, uuid),
    type === undefined && isLoggedRequest(db, platformId, uuid),
  ]);
  const objects: unknown[] = types.map((found) => ({ type: found, id: `${found}:${uuid}` }));
  return isLogged ? [...objects, { type: LOGGED_REQUEST, id: uuid }] : objects;
}

export const searchRoutes = ({ db }: { readonly db: Db }): Operation[] => [
  operation({
    id: 'search',
    method: 'GET',
    path: '/search',
    tag: 'Requests',
    summary: 'Find customers by name, email address or platform id, and any object by its id',
    description:
      'A text finds the customers whose name, last word of the name, email address or platform id begins with it, in any case. ' +
      'An id, with its type or the uuid alone, finds the object that has it; the `X-Request-Id` of an answer finds the request in the log.',
    permission: 'VIEW',
    query: Closed({
      q: Type.String({ minLength: 1, maxLength: 200, description: 'The text or id to look for.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'At most this many results.' })),
    }),
    success: { 200: SearchResponse },
    handle: async ({ platformId, query: { q, limit = 10 } }) => ok({ data: await search(db, platformId, readTerm(q), limit) }),
  }),
];
