// What the operations of the API document have in common, by reference: answers of refusals, headers and parameters.
import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../kernel/errors.js';
import type { Node } from './openapi-schemas.js';
import { errorCodesOf, type Operation } from './operation.js';
import { errorSchema, pageQuery, timeFilters } from './schemas.js';

// ---- headers of answers

const text = (description: string, more: Node = {}): Node => ({ description, schema: { type: 'string' }, ...more });

export const HEADERS = {
  RequestId: text('Names this exchange in the logs of the service.', { required: true }),
  RetryAfter: { description: 'Seconds to wait before the request is repeated.', schema: { type: 'integer', minimum: 0 } },
  ShouldRetry: text('`false` if the same request would be refused again.'),
  IdempotentReplayed: text('`true` if this is the answer to an earlier request with the same `Idempotency-Key`.'),
} as const satisfies Record<string, Node>;

const headerRef = (name: keyof typeof HEADERS): Node => ({ $ref: `#/components/headers/${name}` });

export const successHeaders = ({ idempotency }: Operation): Node => ({
  'X-Request-Id': headerRef('RequestId'),
  ...(idempotency && { 'Idempotent-Replayed': headerRef('IdempotentReplayed') }),
});

// ---- refusals

/** Statuses with a `Retry-After` header: the cause passes. */
const PASSING: ReadonlySet<number> = new Set([429, 503]);

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The credentials, or the signature of the end user, were not accepted.',
  403: 'The caller is known and may not do this.',
  404: 'There is no such record on this platform.',
  405: 'The path does not take this method.',
  408: 'The request took too long to arrive.',
  409: 'The record is not in a state that allows this.',
  410: 'The record is gone.',
  412: 'The counterparty speaks another version.',
  413: 'The request is too large.',
  415: 'The media type of the request is not accepted.',
  422: 'A file cannot be used.',
  423: 'The record is locked for a while.',
  424: 'Another party did not do its part.',
  429: 'Too many requests.',
  500: 'A defect of the service. Nothing was changed.',
  501: 'Not available on this installation.',
  502: 'Another party answered with something unreadable.',
  503: 'The service cannot take the request now.',
  504: 'Another party did not answer in time.',
};

const withExample = (content: Node, example: unknown): Node =>
  Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...(media as Node), example }]));

/** The first code of the status, as it is answered. */
function refusalExample(status: number, compatible: boolean): unknown {
  const [code, { reason }] = Object.entries(ERRORS).find(([, error]) => error.status === status) as [ErrorCode, { reason: string }];
  return {
    code,
    reason,
    ...(compatible && { message: reason, status }),
    ...(code === 'INVALID_INPUT' && { details: { errors: [{ field: 'customerId', message: 'is required' }] } }),
  };
}

const nameOf = (status: number) => `Error${status}`;

/** The answers of the statuses that are refusals. */
export function refusals(statuses: Iterable<number>, json: (schema: TSchema) => Node, compatible: boolean): Record<string, Node> {
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [
        nameOf(status),
        {
          description: REFUSALS[status] ?? 'The request was refused.',
          headers: {
            'X-Request-Id': headerRef('RequestId'),
            'X-Should-Retry': headerRef('ShouldRetry'),
            ...(PASSING.has(status) && { 'Retry-After': headerRef('RetryAfter') }),
          },
          content: withExample(json(errorSchema(status, { compatible })), refusalExample(status, compatible)),
        },
      ]),
  );
}

/** The codes that an operation can answer, by status. */
export function codesByStatus(op: Operation): Map<number, ErrorCode[]> {
  const codes = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(op)) {
    const { status } = ERRORS[code];
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  return new Map([...codes].sort(([a], [b]) => a - b));
}

/** A reference to the answer of a status, with the codes of this operation in words. */
export const refusalRef = (status: number, codes: readonly ErrorCode[]): Node => ({
  $ref: `#/components/responses/${nameOf(status)}`,
  description: codes.map((code) => `\`${code}\``).join(', '),
});

// ---- parameters

/** Query parameters that many operations have, by their schema. */
const SHARED: ReadonlyMap<TSchema, string> = new Map(
  Object.entries({ ...pageQuery, ...timeFilters }).map(([name, schema]) => [schema, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
);

/** The name under which a query parameter is shared, if it is. */
export const sharedName = (schema: TSchema | undefined): string | undefined => schema && SHARED.get(schema);

/** Parameters whose name does not say what they are. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  token: 'The token at the end of the link. It is used up by a submission with which nothing is missing, and expires.',
  code: 'The device code.',
  invitationCode: 'The code of the invitation.',
  name: 'The name of the snapshot.',
  receiverUmaAddress: 'The UMA address of the receiver, such as `$ada@example.com`.',
  credentialId: 'The id of the passkey, as the authenticator made it.',
};

/** What a path parameter names: by default the id of the noun before it. */
export function describePathParameter(path: string, name: string): string {
  const known = PATH_PARAMETERS[name];
  if (known !== undefined) return known;
  const noun =
    path
      .slice(0, path.indexOf(`/{${name}}`))
      .split('/')
      .at(-1) ?? '';
  return `The id of the ${singular(noun.replaceAll('-', ' '))}.`;
}

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
