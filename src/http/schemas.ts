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

/** Says what this member is, where the schema is shared with others and has a text of its own. */
export const Described = <Schema extends TSchema>(schema: Schema, about: string): Schema => {
  const copy: Schema = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, 'title' in schema ? { about } : { description: about });
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
    code: Type.Optional(Type.String({ description: 'ISO 4217 code, or the code of a cryptocurrency or stablecoin.' })),
    name: Type.Optional(Type.String({ description: 'Full name.' })),
    symbol: Type.Optional(Type.String({ description: 'Sign of the currency.' })),
    decimals: Type.Optional(Type.Integer({ minimum: 0, description: 'Digits after the point: 2 means that 100 is 1.00.' })),
  },
  { title: 'Currency', description: 'A currency.' },
);

export const CurrencyAmount = Type.Object(
  { amount: Type.Integer({ format: 'int64', description: 'In the smallest unit of the currency.' }), currency: Currency },
  { title: 'CurrencyAmount', description: 'An amount of money.' },
);

/** The component that holds every event. Its variants come from the domains, so it is made with the document and named here. */
export const EventRef = Type.Unsafe<unknown>({ $ref: '#/components/schemas/Event' });
export const EventUnion = (payloads: readonly TSchema[]) =>
  OneOf('type', payloads, { title: 'Event', description: 'An event: what webhooks carry, the log lists and the stream sends.' });

/** A postal address, the same in requests and answers. */
export const Address = Closed(
  {
    line1: Type.String({ maxLength: 255, description: 'Street and number.' }),
    line2: Type.Optional(Type.String({ maxLength: 255, description: 'Apartment, floor or similar.' })),
    city: Type.Optional(Type.String({ maxLength: 255, description: 'City or town.' })),
    state: Type.Optional(Type.String({ maxLength: 255, description: 'State, province or region.' })),
    postalCode: Type.String({ maxLength: 255, description: 'Postal code.' }),
    country: Type.String({ maxLength: 255, description: 'Country, ISO 3166-1 alpha-2.' }),
  },
  { title: 'Address', description: 'A postal address.' },
);

/** 202 of an operation that the end user signs: what to sign and how to come back with it. */
export const SignedRequestChallenge = Type.Object(
  {
    payloadToSign: Type.String({ description: "The text that the end user's key signs, byte for byte." }),
    requestId: Type.String({ description: 'Goes into `Request-Id` of the signed retry.' }),
    expiresAt: Timestamp({ description: 'Until when the retry is accepted.' }),
  },
  { title: 'SignedRequestChallenge', description: 'What to sign, and how to come back with the signature.' },
);

export const timeFilters = {
  createdAfter: Type.Optional(Timestamp({ description: 'Only what was created at or after this time.' })),
  createdBefore: Type.Optional(Timestamp({ description: 'Only what was created at or before this time.' })),
  updatedAfter: Type.Optional(Timestamp({ description: 'Only what was last changed at or after this time.' })),
  updatedBefore: Type.Optional(Timestamp({ description: 'Only what was last changed at or before this time.' })),
};

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many rows at most.' })),
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: '`nextCursor` of the page before, with the same filters.' })),
};

export const pageOfSchema = (item: TSchema, title: string): TObject =>
  Type.Object(
    {
      data: Type.Array(item, { description: 'The rows of this page.' }),
      hasMore: Type.Boolean({ description: 'Whether there is a next page.' }),
      nextCursor: Type.Optional(Type.String({ description: '`cursor` of the next page. Absent on the last one.' })),
      totalCount: Type.Optional(Type.Integer({ description: 'Number of matches, on every page. Absent if there are more than 10,000.' })),
    },
    { title, description: 'One page of a list.' },
  );

const FieldConstraint = Type.Object(
  {
    format: Type.Optional(Type.String({ description: 'The format the value must have.' })),
    pattern: Type.Optional(Type.String({ description: 'The regular expression the value must match.' })),
    enum: Type.Optional(Type.Array(Type.Unknown(), { description: 'The values that are allowed.' })),
    minLength: Type.Optional(Type.Integer({ description: 'The least number of characters.' })),
    maxLength: Type.Optional(Type.Integer({ description: 'The greatest number of characters.' })),
  },
  { title: 'FieldConstraint', description: 'The rule that the field breaks, in the words of JSON Schema.', additionalProperties: true },
);

const FieldError = Type.Object(
  {
    field: Type.String({ description: 'The field in dot notation, or the name of the header or parameter.' }),
    constraint: Type.Optional(FieldConstraint),
    message: Type.Optional(Type.String({ description: 'What is wrong with it, for people.' })),
  },
  { title: 'FieldError', description: 'One field of a request that is wrong.' },
);

const codesOf = (status: number): string[] => Object.entries(ERRORS).flatMap(([code, error]) => (error.status === status ? [code] : []));

/** One code, several causes: only those of the Authorization header are about the platform's credentials. */
const CAUSE = Type.Optional(
  Type.String({
    description:
      "Why, where the code does not say it. `UNAUTHORIZED` is about the platform's API credentials with the causes " +
      '`AUTHORIZATION_MISSING`, `AUTHORIZATION_MALFORMED`, `AUTHORIZATION_SCHEME_UNSUPPORTED` and `INVALID_CREDENTIALS` (unknown, wrong, ' +
      'expired or deleted). With `INVALID_ONE_TIME_CODE`, and with the causes of an OpenID Connect token, the credentials were accepted ' +
      "and the end user's proof was not: do not rotate them.",
  }),
);

const PRECHECK_ERRORS = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Why the file of a document cannot be used. New reasons may be added.',
    examples: [['screenshot']],
  }),
);

const ErrorDetails = Type.Object(
  {
    errors: Type.Optional(Type.Array(FieldError, { description: 'Every field that is wrong, once each.' })),
    missingRequirements: Type.Optional(Type.Array(Type.String(), { description: 'What the customer or the request lacks.' })),
    cause: CAUSE,
  },
  { title: 'ErrorDetails', description: 'More about a refusal. Some codes add members of their own.', additionalProperties: true },
);

/** The error body of one status, with every code of that status. `compatible`: with the members that published clients read in addition. */
export const errorSchema = (status: number, { compatible = false } = {}): TSchema =>
  Type.Object(
    {
      code: Enum(codesOf(status), { description: 'For programs. Each operation lists those it can answer. New codes may be added.' }),
      reason: Type.String({ description: 'For people.' }),
      ...(compatible && {
        message: Type.String({ description: 'The same text as `reason`, for clients that read it here.' }),
        status: Type.Integer({ enum: [status], description: 'The status of the answer, for clients that read it here.' }),
      }),
      ...(status === 422 && { precheckErrors: PRECHECK_ERRORS }),
      details: Type.Optional(ErrorDetails),
    },
    { title: `Error${status}`, description: `The body of an answer with status ${status}.`, additionalProperties: false },
  );
