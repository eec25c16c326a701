// Operations on periodic statements: balance changes of a window, a month's statement as a document, and the receipt of its delivery.
import Type from 'typebox';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import { confirmStatement, listBalanceChanges, openStatement, type StatementDeps } from './actions.js';
import { DOCUMENT_TYPES, preferredType, renderDocument } from './document.js';
import {
  BalanceChangeListResponse,
  BalanceChangeQuery,
  ConfirmStatementDeliveryRequest,
  parseCursor,
  parseDelivery,
  parsePeriod,
  parseWindow,
  renderBalanceChanges,
  renderReceipt,
  StatementDelivery,
  StatementQuery,
} from './schemas.js';

const tag = 'Periodic Statements';

export const statementRoutes = (deps: StatementDeps): Operation[] => [
  operation({
    id: 'listInternalAccountBalanceChanges',
    method: 'GET',
    path: '/internal-accounts/{id}/balance-changes',
    tag,
    summary: 'List the balance changes of an account in a window of time',
    permission: 'VIEW',
    query: BalanceChangeQuery,
    success: { 200: BalanceChangeListResponse },
    errors: ['INVALID_TIMESTAMP', 'ACCOUNT_NOT_FOUND', 'NOT_YET_AVAILABLE'],
    handle: async ({ platformId, now, params, query }) => {
      const window = parseWindow(query);
      const after = parseCursor(query.cursor, params.id, window);
      const id = parseId('InternalAccount', params.id);
      return ok(
        renderBalanceChanges(window, await listBalanceChanges(deps, { platformId, id, window, now, limit: query.limit ?? 100, after })),
      );
    },
  }),
  operation({
    id: 'getInternalAccountStatement',
    method: 'GET',
    path: '/internal-accounts/{id}/statement',
    tag,
    summary: 'Get the statement of a month as HTML or CSV',
    permission: 'VIEW',
    query: StatementQuery,
    success: { 200: Type.String() },
    produces: DOCUMENT_TYPES,
    errors: ['ACCOUNT_NOT_FOUND', 'NOT_YET_AVAILABLE'],
    handle: async ({ platformId, now, params, query, headers }) => {
      const window = parsePeriod(query.periodStart);
      const statement = await openStatement(deps, { platformId, id: parseId('InternalAccount', params.id), window, now });
      return { status: 200, ...renderDocument(statement, preferredType(headers['accept'])) };
    },
  }),
  operation({
    id: 'confirmStatementDelivery',
    method: 'POST',
    path: '/internal-accounts/{id}/confirm-statement',
    tag,
    summary: 'Confirm that the statement of a month was delivered',
    permission: 'MANAGE',
    body: ConfirmStatementDeliveryRequest,
    success: { 200: StatementDelivery },
    errors: ['INVALID_TIMESTAMP', 'ACCOUNT_NOT_FOUND', 'NOT_YET_AVAILABLE'],
    write: async (tx, { platformId, now, params, body }) =>
      ok(
        renderReceipt(
          await confirmStatement(deps, tx, {
            platformId,
            id: parseId('InternalAccount', params.id),
            now,
            ...parseDelivery(body),
          }),
        ),
      ),
  }),
];
