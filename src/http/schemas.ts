// Building blocks of wire schemas. A schema with a `title` becomes a named component of the API document.
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { ERRORS } from '../kernel/errors.js';

/** A closed object: an unknown field in a request is refused by name. */
export const Closed = <Properties extends TProperties>(properties: Properties, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Enum = <const Values extends readonly string[]>(values: Values, options: Record<string, unknown> = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });

/** `null` clears, a value sets. One `type` array, so that a bad value gives one error and not three. */
export const NullableInteger = (options: Record<string, unknown>) => Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options });
export const NullableString = (options: Record<string, unknown>) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

/** A member that only answers hold. In a request it is ignored; see `read-only.ts`. */
export const ReadOnly = <Schema extends TSchema>(schema: Schema): Schema => {
  // The marks of a schema, such as the one of an optional member, are not enumerable.
  const copy: Schema = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { readOnly: true });
};

export const Timestamp = (options: Record<string, unknown> = {}) => Type.String({ format: 'date-time', ...options });

/** A discriminated union; errors name only fields of the chosen variant. */
export const OneOf = <Static>(discriminator: string, variants: readonly TSchema[], options: Record<string, unknown> = {}) =>
  Type.Unsafe<Static>({
    type: 'object',
    discriminator: { propertyName: discriminator },
    required: [discriminator],
    oneOf: [...variants],
    ...options,
  });

export const Currency = Type.Object(
  {
    code: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    symbol: Type.Optional(Type.String()),
    decimals: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: 'Currency' },
);

export const CurrencyAmount = Type.Object({ amount: Type.Integer({ format: 'int64' }), currency: Currency }, { title: 'CurrencyAmount' });

/** A postal address, the same in requests and answers. */
export const Address = Closed(
  {
    line1: Type.String({ maxLength: 255 }),
    line2: Type.Optional(Type.String({ maxLength: 255 })),
    city: Type.Optional(Type.String({ maxLength: 255 })),
    state: Type.Optional(Type.String({ maxLength: 255 })),
    postalCode: Type.String({ maxLength: 255 }),
    country: Type.String({ maxLength: 255 }),
  },
  { title: 'Address' },
);

/** 202 of an operation that the end user signs: what to sign and how to come back with it. */
export const SignedRequestChallenge = Type.Object(
  { payloadToSign: Type.String(), requestId: Type.String(), expiresAt: Timestamp() },
  { title: 'SignedRequestChallenge' },
);

export const timeFilters = {
  createdAfter: Type.Optional(Timestamp()),
  createdBefore: Type.Optional(Timestamp()),
  updatedAfter: Type.Optional(Timestamp()),
  updatedBefore: Type.Optional(Timestamp()),
};

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
};

export const pageOfSchema = (item: TSchema, title: string): TObject =>
  Type.Object(
    {
      data: Type.Array(item),
      hasMore: Type.Boolean(),
      nextCursor: Type.Optional(Type.String()),
      totalCount: Type.Optional(Type.Integer({ description: 'Number of matches, on every page. Absent if there are more than 10,000.' })),
    },
    { title },
  );

const FieldError = Type.Object(
  {
    field: Type.String(),
    constraint: Type.Optional(
      Type.Object(
        {
          format: Type.Optional(Type.String()),
          pattern: Type.Optional(Type.String()),
          enum: Type.Optional(Type.Array(Type.Unknown())),
          minLength: Type.Optional(Type.Integer()),
          maxLength: Type.Optional(Type.Integer()),
        },
        { title: 'FieldConstraint', additionalProperties: true },
      ),
    ),
    message: Type.Optional(Type.String()),
  },
  { title: 'FieldError' },
);

const codesOf = (status: number): string[] => Object.entries(ERRORS).flatMap(([code, error]) => (error.status === status ? [code] : []));

/** One code, several causes: only those of the Authorization header are about the platform's credentials. */
const UNAUTHORIZED_CAUSE = Type.Optional(
  Type.String({
    description:
      "Why, where the code does not say it. `UNAUTHORIZED` is about the platform's API credentials with the causes " +
      '`AUTHORIZATION_MISSING`, `AUTHORIZATION_MALFORMED`, `AUTHORIZATION_SCHEME_UNSUPPORTED` and `INVALID_CREDENTIALS` (unknown, wrong, ' +
      'expired or deleted). With `INVALID_ONE_TIME_CODE`, and with the causes of an OpenID Connect token, the credentials were accepted ' +
      "and the end user's proof was not: do not rotate them.",
  }),
);

/** The error body of one status, with every code of that status. `compatible`: with the members that published clients read in addition. */
export const errorSchema = (status: number, { compatible = false } = {}): TSchema =>
  Type.Object(
    {
      code: Enum(codesOf(status)),
      reason: Type.String(),
      ...(compatible && {
        message: Type.String({ description: 'The same text as `reason`, for clients that read it here.' }),
        status: Type.Integer({ enum: [status], description: 'The status of the answer, for clients that read it here.' }),
      }),
      details: Type.Optional(
        Type.Object(
          {
            errors: Type.Optional(Type.Array(FieldError)),
            missingRequirements: Type.Optional(Type.Array(Type.String())),
            ...(status === 401 && { cause: UNAUTHORIZED_CAUSE }),
          },
          { additionalProperties: true },
        ),
      ),
    },
    { title: `Error${status}`, additionalProperties: false },
  );
