// Reads the form of the hosted page. Only what the page may ask for is taken: fields that are missing or wrong, documents and owners.
import { partProblems } from '../../../http/multipart.js';
import { lateCheck } from '../../../http/validate.js';
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { isJsonObject } from '../../../kernel/json.js';
import type { ReceivedFile } from '../../../providers/files/file.js';
import type { KycError } from '../../../providers/kyc.js';
import type { Customer, CustomerPatch, OwnerDraft, OwnerPatch } from '../customers/customer.js';
import {
  BeneficialOwnerCreateRequest,
  BeneficialOwnerUpdateRequest,
  parseOwnerDraft,
  parseOwnerPatch,
} from '../customers/owner-schemas.js';
import { CustomerUpdateRequestOneOf, parseCustomerPatch } from '../customers/schemas.js';
import type { BeneficialOwnerId, Packet } from './verification.js';

/** What the page may ask of a customer, by the path in a PATCH. */
const ADDRESS = ['address.line1', 'address.line2', 'address.city', 'address.state', 'address.postalCode', 'address.country'];
const FIELDS: Readonly<Record<Customer['customerType'], readonly string[]>> = {
  INDIVIDUAL: [
    'fullName',
    'birthDate',
    'nationality',
    ...ADDRESS,
    'idType',
    'identifier',
    'countryOfIssuance',
    'sourceOfFundsOtherDescription',
    'sourceOfWealthOtherDescription',
    'purposeOfAccountOtherDescription',
  ],
  BUSINESS: [
    ...['legalName', 'country', 'registrationNumber', 'taxId', 'incorporatedOn', 'countriesOfOperation'].map(
      (name) => `businessInfo.${name}`,
    ),
    'businessInfo.primaryContactFirstName',
    'businessInfo.primaryContactLastName',
    ...ADDRESS,
  ],
};
const LISTS: ReadonlySet<string> = new Set(['businessInfo.countriesOfOperation', 'roles']);
const NUMBERS: ReadonlySet<string> = new Set(['ownershipPercentage']);

/** Whether the page has inputs for the problem. */
export const canAsk = ({ customer, owners }: Packet, { resourceId, field }: KycError): boolean =>
  field === undefined ||
  (resourceId === customer.id
    ? FIELDS[customer.customerType].includes(field)
    : owners.some(({ id }) => id === resourceId) && OWNER_FIELDS.has(field));

export type PageDocument = {
  /** The number of the document in the form. */
  readonly key: string;
  /** The customer, an owner's id, or `owners.<n>` for an owner of this form; undefined for the customer. */
  readonly holder: string | undefined;
  readonly texts: Readonly<Record<string, string>>;
  readonly file: ReceivedFile;
};

export type PageOwner =
  | { readonly key: string; readonly id: undefined; readonly draft: OwnerDraft }
  | { readonly key: string; readonly id: BeneficialOwnerId; readonly patch: OwnerPatch };

export type PageForm = {
  /** With the body that it was read from. */
  readonly change: { readonly patch: CustomerPatch; readonly body: unknown } | undefined;
  readonly owners: readonly PageOwner[];
  readonly documents: readonly PageDocument[];
};

const checkCustomer = lateCheck(CustomerUpdateRequestOneOf);
const checkNewOwner = lateCheck(BeneficialOwnerCreateRequest);
const checkOwner = lateCheck(BeneficialOwnerUpdateRequest);

type Parts = Readonly<Record<string, unknown>>;

/** Blank means not given. */
const textsOf = (parts: Parts): Map<string, string> =>
  new Map(
    Object.entries(parts).flatMap(([name, part]) => (typeof part === 'string' && part.trim() !== '' ? [[name, part.trim()] as const] : [])),
  );

/** A browser sends an empty file where none was chosen. */
const isGiven = (part: unknown): part is ReceivedFile => isJsonObject(part) && part['sha256'] instanceof Buffer && Number(part['size']) > 0;

/** Collects the problems of all parts of the form, each under the name of its input. */
export function parsePageForm(parts: Parts, packet: Packet, problems: readonly KycError[]): PageForm {
  const found: FieldError[] = [...partProblems(parts)];
  const attempt = <Result>(prefix: string, read: () => Result): Result | undefined => {
    try {
      return read();
    } catch (error) {
      found.push(...problemsUnder(prefix, error));
      return undefined;
    }
  };
  const texts = textsOf(parts);
  const change = attempt('', () => parseCustomer(texts, packet, problems));
  // On the page of a person the inputs of people are unknown names.
  const people = packet.customer.customerType === 'BUSINESS' ? groupsOf(texts, 'owners') : [];
  const owners = people.flatMap(([key, members]) => attempt(`owners.${key}.`, () => parseOwner(key, members, packet, problems)) ?? []);
  if (found.length > 0) throw invalid(...found);
  return { change, owners, documents: parseDocuments(parts, texts) };
}

/** The field errors of a refusal, each under the name of its input. Anything else is passed on. */
export function problemsUnder(prefix: string, error: unknown): FieldError[] {
  const errors: unknown = error instanceof ApiError && error.status < 500 ? error.details?.['errors'] : undefined;
  if (error instanceof ApiError && error.status < 500 && !Array.isArray(errors))
    return [{ field: prefix.replace(/\.$/, ''), message: error.message }];
  if (!Array.isArray(errors)) throw error;
  return errors.map((each: FieldError) => ({ ...each, field: `${prefix}${each.field}` }));
}

function parseCustomer(
  texts: ReadonlyMap<string, string>,
  { customer, identifier }: Packet,
  problems: readonly KycError[],
): PageForm['change'] {
  const isFlagged = (name: string) => problems.some(({ resourceId, field }) => resourceId === customer.id && field === name);
  // The identifier is kept apart from the profile.
  const known = { ...customer.profile, identifier };
  const given = FIELDS[customer.customerType].filter((name) => texts.has(name) && (isFlagged(name) || isBlankAt(known, name)));
  if (given.length === 0) return undefined;
  const body: Record<string, unknown> = { customerType: customer.customerType };
  // An address is replaced as a whole, so the parts that are known already go with the new ones.
  if (given.some((name) => name.startsWith('address.'))) body['address'] = { ...customer.profile.address };
  for (const name of given) setAt(body, name.split('.'), parsedValue(name, texts.get(name) ?? ''));
  checkCustomer(body);
  // The check has shown that the body is one.
  return { patch: parseCustomerPatch(body as Parameters<typeof parseCustomerPatch>[0]), body };
}

/** Of an owner that is known only what is wrong or missing can be changed. */
function parseOwner(
  key: string,
  members: ReadonlyMap<string, string>,
  { owners, customer }: Packet,
  problems: readonly KycError[],
): PageOwner {
  const existing = owners.find(({ id }) => id === key);
  const isAsked = (name: string) =>
    OWNER_FIELDS.has(name) && (!existing || problems.some(({ resourceId, field }) => resourceId === existing.id && field === name));
  const given = [...members].filter(([name]) => isAsked(name));
  const body: Record<string, unknown> = existing ? {} : { customerId: customer.id };
  if (existing && given.some(([name]) => name.startsWith('personalInfo.address.')))
    setAt(body, ['personalInfo', 'address'], { ...existing.personalInfo.address });
  for (const [name, text] of given) setAt(body, name.split('.'), parsedValue(name, text));
  if (existing) {
    checkOwner(body);
    return { key, id: existing.id, patch: parseOwnerPatch(body) };
  }
  checkNewOwner(body);
  // The check has shown that the body is one.
  return { key, id: undefined, draft: parseOwnerDraft(body as Parameters<typeof parseOwnerDraft>[0]) };
}

const PERSON = [
  'firstName',
  'middleName',
  'lastName',
  'birthDate',
  'nationality',
  'email',
  'phoneNumber',
  'idType',
  'identifier',
  'countryOfIssuance',
];
const OWNER_FIELDS: ReadonlySet<string> = new Set([
  'roles',
  'ownershipPercentage',
  ...[...PERSON, ...ADDRESS].map((name) => `personalInfo.${name}`),
]);

const DOCUMENT_TEXTS = ['documentType', 'country', 'side', 'documentNumber', 'issuingAuthority'];

/** A document without a file is not given, whatever else its inputs hold. */
function parseDocuments(parts: Parts, texts: ReadonlyMap<string, string>): PageDocument[] {
  return Object.entries(parts).flatMap(([name, file]) => {
    const key = /^documents\.([\w-]{1,64})\.file$/.exec(name)?.[1];
    if (key === undefined || !isGiven(file)) return [];
    const text = (member: string) => texts.get(`documents.${key}.${member}`);
    return [
      {
        key,
        holder: text('documentHolder'),
        texts: Object.fromEntries(DOCUMENT_TEXTS.flatMap((member) => (text(member) === undefined ? [] : [[member, text(member) ?? '']]))),
        file,
      },
    ];
  });
}

/** The inputs `owners.<key>.<member>` by key. */
function groupsOf(texts: ReadonlyMap<string, string>, prefix: string): [key: string, members: Map<string, string>][] {
  const groups = new Map<string, Map<string, string>>();
  for (const [name, text] of texts) {
    const [, key = '', member = ''] = new RegExp(`^${prefix}\\.([\\w:-]{1,64})\\.(.+)$`).exec(name) ?? [];
    if (key !== '') groups.set(key, (groups.get(key) ?? new Map()).set(member, text));
  }
  return [...groups];
}

function parsedValue(name: string, text: string): unknown {
  if (LISTS.has(name)) return text.split(',').flatMap((item) => item.trim() || []);
  return NUMBERS.has(name) && /^\d{1,3}$/.test(text) ? Number(text) : text;
}

/** The names are of our own lists, so no path leads into a prototype. */
function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const next: Record<string, unknown> = isJsonObject(inner) ? { ...inner } : {};
  target[name] = next;
  setAt(next, rest, value);
}

export function valueAt(target: unknown, name: string): unknown {
  return name.split('.').reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), target);
}

const isBlankAt = (target: unknown, name: string): boolean => {
  const value = valueAt(target, name);
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
};
