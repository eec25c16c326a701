// The interface that the specification gives, against the document: groups, members, types, values, paths, statuses and error codes.
// The test client checks every answer against the same document.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { BASE_PATH } from '../../src/http/server.js';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors.js';
import { projectRoot } from '../../src/root.js';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
};
type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
  readonly 'x-error-codes': Readonly<Record<string, readonly string[]>>;
};

const document = describeApi(readConfig({})) as unknown as {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Record<string, unknown>[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const named = (name: string): Schema => schemas[name] ?? assert.fail(`no schema ${name}`);
const resolved = (schema: Schema): Schema => (schema.$ref ? named(schema.$ref.split('/').at(-1) as string) : schema);
const memberOf = (name: string, member: string): Schema =>
  resolved(named(name).properties?.[member] ?? assert.fail(`${name} has no ${member}`));
const operationAt = (method: string, path: string): Operation => document.paths[path]?.[method] ?? assert.fail(`no ${method} ${path}`);

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const sorted = (values: Iterable<string>): string[] => [...values].sort();

/** Members as `name: type`, a required one with `!`. */
function members(name: string): string[] {
  const { properties = {}, required = [] } = named(name);
  return Object.keys(properties).map((member) => {
    const { type = 'object' } = memberOf(name, member);
    return `${member}${required.includes(member) ? '!' : ''}: ${[type].flat().join(' or ')}`;
  });
}

const GROUPS = [
  'Platform Configuration',
  'Customers',
  'Contact Verification',
  'Strong Customer Authentication',
  'KYC/KYB Verifications',
  'Documents',
  'Internal Accounts',
  'Periodic Statements',
  'External Accounts',
  'Same-Currency Transfers',
  'Cross-Currency Transfers',
  'Transactions',
  'Webhooks',
  'Invitations',
  'Sandbox',
  'API Tokens',
  'Exchange Rates',
  'Discoveries',
  'Embedded Wallet Auth',
  'Agent Management',
  'Agent Operations',
  'Cards',
  'Stablecoins',
];

describe('groups and version', () => {
  test('the document has every group of operations, and each of them has operations', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const group of GROUPS) {
      assert.ok(tags.has(group), group);
      assert.ok(
        operations.some((op) => op.tags.includes(group)),
        group,
      );
    }
  });

  test('the operations of Same-Currency Transfers are deprecated', () => {
    const group = operations.filter(({ tags }) => tags.includes('Same-Currency Transfers'));
    assert.ok(group.length > 0);
    for (const { operationId, deprecated } of group) assert.equal(deprecated, true, operationId);
    for (const { operationId, deprecated } of operations.filter(({ tags }) => tags.includes('Cross-Currency Transfers')))
      assert.equal(deprecated, undefined, operationId);
  });

  test('the version is the last segment of the base address', () => {
    assert.equal(BASE_PATH, '/2025-10-13');
    assert.deepEqual(document.servers, [{ url: '/2025-10-13' }]);
  });

  test('the description of the agents says that they are experimental', () => {
    const agents = document.tags.find(({ name }) => name === 'Agent Management') as { description?: string } | undefined;
    assert.match(agents?.description ?? '', /experimental/i);
  });

  test('every id in the recorded answers is a resource type and a uuid', () => {
    const folder = join(projectRoot, 'docs/reference/examples');
    let seen = 0;
    const check = (value: unknown, place: string): void => {
      if (Array.isArray(value)) for (const part of value) check(part, place);
      else if (typeof value === 'object' && value !== null)
        for (const [name, part] of Object.entries(value)) {
          if (/^id$|Id$/.test(name) && typeof part === 'string' && /^[A-Z]\w+:/.test(part)) {
            seen += 1;
            assert.match(part, /^[A-Z][A-Za-z]+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, place);
          }
          check(part, place);
        }
    };
    for (const name of readdirSync(folder)) check(JSON.parse(readFileSync(join(folder, name), 'utf8')), name);
    assert.ok(seen > 100, `${seen} ids`);
  });
});

describe('members of the resources, with type and `!` for required', () => {
  const RESOURCES: readonly (readonly [name: string, members: readonly string[]])[] = [
    [
      'ExternalAccount',
      [
        'id!: string',
        'customerId: string or null',
        'status!: string',
        'platformAccountId: string',
        'ownershipType: string',
        'currency!: string',
        'defaultUmaDepositAccount: boolean',
        'beneficiaryVerificationStatus: string',
        'beneficiaryVerifiedData: object',
        'accountInfo!: object',
      ],
    ],
    ['BeneficiaryVerifiedData', ['fullName: string']],
    ['OwnershipVerifyRequest', ['signature!: string', 'signatureScheme: string']],
    ['FieldError', ['field!: string', 'constraint: object', 'message: string']],
    ['SignedRequestChallenge', ['payloadToSign!: string', 'requestId!: string', 'expiresAt!: string']],
    ['DelegatedKeyCreateRequest', ['cardId!: string', 'internalAccountId!: string', 'nickname!: string']],
    [
      'DelegatedKey',
      [
        'id!: string',
        'cardId!: string',
        'fundingSourceId!: string',
        'accountId!: string',
        'publicKey!: string',
        'nickname!: string',
        'status!: string',
        'createdAt!: string',
        'updatedAt!: string',
      ],
    ],
    [
      'CardUpdateRequest',
      [
        'status: string',
        'substatus: string',
        'reason: string',
        'fundingSource: string',
        'maxSpendPerTransaction: integer or null',
        'maxSpendPerDay: integer or null',
        'maxTransactionsPerDay: integer or null',
        'threeDSecurePassword: string',
      ],
    ],
  ];
  for (const [name, expected] of RESOURCES) {
    test(name, () => assert.deepEqual(sorted(members(name)), sorted(expected)));
  }

  test('Card', () => {
    const expected = words(`id!:string customerId!:string status!:string form!:string fundingSource!:string createdAt!:string
      updatedAt!:string platformCardId:string statusReason:string brand:string pinStatus:string last4:string expMonth:integer
      expYear:integer cardCapabilities:object currency:string processorRef:string issuerRef:string`);
    const limits = ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'].map((name) => `${name}!: integer or null`);
    assert.deepEqual(sorted(members('Card')), sorted([...expected.map((member) => member.replace(':', ': ')), ...limits]));
    for (const limit of ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'])
      for (const schema of ['Card', 'CardUpdateRequest', 'CardConfig'])
        assert.equal(memberOf(schema, limit).minimum, 1, `${schema} ${limit}`);
    const { minimum, maximum } = memberOf('Card', 'expMonth') as { minimum?: number; maximum?: number };
    assert.deepEqual([minimum, maximum], [1, 12]);
    const capabilities = members('CardCapabilities');
    for (const name of ['supportsSpendLimits', 'supportsTransactionCountLimit', 'supports3dSecurePassword'])
      assert.ok(capabilities.includes(`${name}!: boolean`), name);
  });

  test('defaults and lengths: bip137, 1 to 256 characters of a label, at least 1 of a reason', () => {
    assert.equal(memberOf('OwnershipVerifyRequest', 'signatureScheme').default, 'bip137');
    assert.equal(memberOf('ExternalAccountCreateRequest', 'defaultUmaDepositAccount').default, false);
    const { minLength, maxLength } = memberOf('DelegatedKeyCreateRequest', 'nickname');
    assert.deepEqual([minLength, maxLength], [1, 256]);
    assert.equal(memberOf('CardUpdateRequest', 'reason').minLength, 1);
  });

  test('error bodies: code and reason are required, details is an optional object', () => {
    for (const status of ['400', '401', '404', '409', '500'])
      assert.deepEqual(members(`Error${status}`), ['code!: string', 'reason!: string', 'details: object'], status);
  });
});

describe('values of the enumerations', () => {
  const VALUES: readonly (readonly [name: string, values: string])[] = [
    ['ExternalAccountStatus', 'PENDING ACTIVE PENDING_OWNERSHIP_VERIFICATION UNVERIFIED UNDER_REVIEW INACTIVE'],
    ['OwnershipType', 'FIRST_PARTY THIRD_PARTY'],
    ['BeneficiaryVerificationStatus', 'MATCHED PARTIAL_MATCH NOT_MATCHED UNSUPPORTED CHECKED_BY_RECEIVING_FI PENDING'],
    ['OwnershipVerificationMethod', 'WALLET_SIGNATURE LIVENESS'],
    ['DelegatedKeyStatus', 'PENDING ACTIVE REVOKED'],
    ['CardStatus', 'PENDING_KYC PROCESSING PENDING ACTIVE FROZEN CLOSED'],
    ['CardStatusReason', 'DELEGATION_REQUIRED ISSUER_REJECTED CLOSED_BY_PLATFORM CLOSED_BY_GRID'],
    ['CardForm', 'VIRTUAL'],
    ['CardBrand', 'VISA MASTERCARD'],
    ['CardPinStatus', 'NOT_SET OK BLOCKED'],
    ['CardUpdateStatus', 'ACTIVE FROZEN CLOSED'],
    [
      'CardUpdateSubstatus',
      'LOST COMPROMISED DAMAGED END_USER_REQUEST ISSUER_REQUEST NOT_ACTIVE SUSPICIOUS_ACTIVITY INTERNAL_REVIEW EXPIRED UNDELIVERABLE OTHER',
    ],
  ];
  for (const [name, values] of VALUES) {
    test(name, () => assert.deepEqual(sorted(named(name).enum ?? []), sorted(words(values))));
  }

  test('signatureScheme', () => assert.deepEqual(memberOf('OwnershipVerifyRequest', 'signatureScheme').enum, ['bip137', 'electrum']));

  test('LIGHTNING_ACCOUNT is the same variant as LIGHTNING', () => {
    const { propertyName, mapping = {} } = named('ExternalAccountInfoOneOf').discriminator ?? {};
    assert.equal(propertyName, 'accountType');
    assert.equal(mapping['LIGHTNING_ACCOUNT'], mapping['LIGHTNING']);
  });
});

/** Method and path, the statuses that the specification lists, and the schema of the success. */
const SPECIFIED: readonly (readonly [name: string, statuses: string, success: string])[] = [
  ['post /platform/external-accounts/{externalAccountId}/verify', '200 400 401 404 409 500', 'ExternalAccount'],
  ['post /auth/delegated-keys', '201 202 400 401 404 409 500', 'DelegatedKey'],
  ['get /auth/delegated-keys', '200 401 500', 'DelegatedKeyListResponse'],
  ['get /auth/delegated-keys/{id}', '200 401 404 500', 'DelegatedKey'],
  ['delete /auth/delegated-keys/{id}', '204 401 404 500', ''],
  ['patch /cards/{id}', '200 400 401 404 409 500', 'Card'],
  ['get /cards/{id}', '200 401 404 500', 'Card'],
  ['get /internal-accounts/{id}/balance-changes', '200 400 401 404 409 500', 'BalanceChangeListResponse'],
  ['post /internal-accounts/{id}/confirm-statement', '200 400 401 404 409 500', ''],
];

describe('the specified operations: statuses, bodies and credentials', () => {
  for (const [name, statuses, success] of SPECIFIED) {
    test(name, () => {
      const [method = '', path = ''] = name.split(' ');
      const { responses, security, 'x-error-codes': codes } = operationAt(method, path);
      for (const status of words(statuses)) {
        assert.ok(status in responses, `${name} ${status}`);
        if (Number(status) >= 400) {
          assert.equal(responses[status]?.$ref, `#/components/responses/Error${status}`);
          assert.ok((codes[status] ?? []).length > 0, `${name} lists the codes of ${status}`);
        }
      }
      if (success !== '') {
        const body = responses[words(statuses)[0] as string]?.content?.['application/json']?.schema;
        assert.equal(body?.$ref, `#/components/schemas/${success}`);
      }
      assert.deepEqual(security, [{ BasicAuth: [] }]);
    });
  }

  test('the signature headers belong to the creation of a delegated key and not to the change of a card', () => {
    const namesOf = (method: string, path: string) =>
      operationAt(method, path).parameters.map(({ $ref, name }) => name ?? $ref?.split('/').at(-1));
    assert.deepEqual(namesOf('post', '/auth/delegated-keys'), ['WalletSignature', 'SignedRequestId']);
    assert.deepEqual(namesOf('patch', '/cards/{id}'), ['id']);
    assert.ok(!('202' in operationAt('patch', '/cards/{id}').responses));
  });

  test('the default security is either BasicAuth or AgentAuth', () =>
    assert.deepEqual(document.security, [{ BasicAuth: [] }, { AgentAuth: [] }]));
});

const CODES: Readonly<Record<string, string>> = {
  400: `INVALID_INPUT END_USER_TERMS_VERSION_NOT_FOUND MISSING_MANDATORY_USER_INFO INVITATION_ALREADY_CLAIMED INVITATIONS_NOT_CONFIGURED
    INVALID_UMA_ADDRESS INVITATION_CANCELLED INVALID_RECEIVER PARSE_PAYREQ_RESPONSE_ERROR CERT_CHAIN_INVALID CERT_CHAIN_EXPIRED
    INVALID_PUBKEY_FORMAT MISSING_REQUIRED_UMA_PARAMETERS SENDER_NOT_ACCEPTED AMOUNT_OUT_OF_RANGE INVALID_CURRENCY INVALID_TIMESTAMP
    INVALID_NONCE INVALID_REQUEST_FORMAT INVALID_BANK_ACCOUNT SELF_PAYMENT PARSE_LNURLP_RESPONSE_ERROR INVALID_AMOUNT
    WEBHOOK_ENDPOINT_NOT_SET WEBHOOK_DELIVERY_ERROR LOW_QUALITY DATA_MISMATCH EXPIRED SUSPECTED_FRAUD UNSUITABLE_DOCUMENT INCOMPLETE
    EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS SMS_OTP_CREDENTIAL_ALREADY_EXISTS PASSKEY_CREDENTIAL_ALREADY_EXISTS
    AUTH_CREDENTIAL_VERIFICATION_REQUIRED AUTH_CREDENTIAL_VERIFICATION_EXPIRED CARDHOLDER_KYC_NOT_APPROVED
    TRANSACTION_SIZE_LIMIT_EXCEEDED EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED INSUFFICIENT_FUNDS QUOTE_EXPIRED QUOTE_RATE_UNAVAILABLE
    DOCUMENTS_REQUIRED STABLECOIN_PROVIDER_ACCOUNT_INVALID STABLECOIN_PROVIDER_ACCOUNT_REVOKED
    STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED STABLECOIN_AMOUNT_NOT_REPRESENTABLE STABLECOIN_BURN_SOURCE_NOT_SUPPORTED
    STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED
    STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED
    STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED STABLECOIN_GRID_OPERATIONS_NOT_ENABLED STABLECOIN_NOT_PROVISIONED
    STABLECOIN_OPERATION_NOT_SUPPORTED STABLECOIN_PROVIDER_ERROR STABLECOIN_PROVIDER_SOURCE_NOT_LINKED STABLECOIN_VERIFICATION_FAILED`,
  401: `UNAUTHORIZED INVALID_SIGNATURE WALLET_SIGNATURE_MISSING WALLET_SIGNATURE_MALFORMED WALLET_SIGNATURE_BODY_MISMATCH
    WALLET_SIGNATURE_INVALID REQUEST_ID_MISSING`,
  404: `TRANSACTION_NOT_FOUND INVITATION_NOT_FOUND USER_NOT_FOUND QUOTE_NOT_FOUND LOOKUP_REQUEST_NOT_FOUND TOKEN_NOT_FOUND
    BULK_UPLOAD_JOB_NOT_FOUND REFERENCE_NOT_FOUND UMA_NOT_FOUND STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND ACCOUNT_NOT_FOUND
    AUTH_METHOD_NOT_FOUND CUSTOMER_NOT_FOUND DOCUMENT_HOLDER_NOT_FOUND NOT_FOUND PAYMENT_URL_NOT_FOUND PLATFORM_NOT_FOUND
    REQUEST_NOT_FOUND SESSION_NOT_FOUND STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND STABLECOIN_NOT_FOUND STABLECOIN_OPERATION_NOT_FOUND
    VERIFICATION_NOT_FOUND PAYMENT_DOCUMENT_NOT_FOUND`,
  409: `TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL TRANSACTION_NOT_CANCELLABLE UMA_ADDRESS_EXISTS EMAIL_OTP_EMAIL_ALREADY_EXISTS
    EMAIL_OTP_CREDENTIAL_SET_CHANGED PASSKEY_ALREADY_ENROLLED SCA_SESSION_REQUIRED BENEFICIARY_TRUSTED BANK_ACCOUNT_VALIDATION_PENDING
    INVALID_STATE_TRANSITION CARD_ALREADY_CLOSED CARD_NOT_MUTABLE CARD_LIMIT_REACHED STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE
    NOT_YET_AVAILABLE CONFLICT DOCUMENT_ALREADY_EXISTS DUPLICATE_EXTERNAL_ACCOUNT DUPLICATE_PAY_REQUEST OPERATION_IN_PROGRESS
    SMS_OTP_CREDENTIAL_SET_CHANGED SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS STABLECOIN_SYMBOL_ALREADY_EXISTS
    STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS WALLET_NOT_PROVISIONED PAYMENT_DOCUMENT_ALREADY_USED`,
  500: 'SERVICE_SWITCH_ERROR INTERNAL_ERROR',
};

/** Codes that no operation answers. The service says some of them in messages of the UMA protocol. */
const NOT_ANSWERED = `STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED
  STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED STABLECOIN_PROVIDER_SOURCE_NOT_LINKED USER_NOT_FOUND REFERENCE_NOT_FOUND
  PAYMENT_URL_NOT_FOUND PLATFORM_NOT_FOUND REQUEST_NOT_FOUND DUPLICATE_PAY_REQUEST OPERATION_IN_PROGRESS SERVICE_SWITCH_ERROR
  INVALID_NONCE INVALID_SIGNATURE MISSING_REQUIRED_UMA_PARAMETERS`;

describe('error codes', () => {
  for (const [status, codes] of Object.entries(CODES)) {
    test(`${status}: every code of the specification has this status, and no other code of this status exists`, () => {
      for (const code of words(codes)) assert.equal(ERRORS[code as ErrorCode]?.status, Number(status), code);
      const ours = Object.entries(ERRORS).filter((entry) => entry[1].status === Number(status));
      assert.deepEqual(
        sorted(ours.map(([code]) => code)),
        sorted(words(codes)),
        'a code that the specification does not list has a status of its own',
      );
      assert.deepEqual(sorted(memberOf(`Error${status}`, 'code').enum ?? []), sorted(words(codes)));
    });
  }

  test('every code is answered by an operation, except those listed here', () => {
    const answered = new Set(operations.flatMap((op) => Object.values(op['x-error-codes']).flat()));
    const unanswered = Object.values(CODES)
      .flatMap(words)
      .filter((code) => !answered.has(code));
    assert.deepEqual(sorted(unanswered), sorted(words(NOT_ANSWERED)));
  });
});
