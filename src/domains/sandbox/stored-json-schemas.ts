// What the JSON of each column is. Whoever imports a snapshot did not write its file, and requests read these values without a second look.
import Type, { type TSchema } from 'typebox';
import { Enum, OneOf, Timestamp } from '../../http/schemas.js';
import { type Check, lateCheck } from '../../http/validate.js';
import { ApiError, assert, type FieldError, invalidField } from '../../kernel/errors.js';
import { NOTICE_OUTCOMES } from '../../providers/uma/notices.js';
import { ExternalAccountCreateInfo } from '../accounts/external-accounts/schemas.js';
import { PaymentInstructions, PlatformFeeOverride, PurposeOfPayment } from '../accounts/internal-accounts/schemas.js';
import { AgentPolicy } from '../agents/agents/schemas.js';
import { CardMerchant } from '../cards/authorizations/schemas.js';
import { CounterpartyFieldDefinition } from '../core/platform/schemas.js';
import { StoredPersonalInfo } from '../identity/customers/owner-schemas.js';
import { AgreementConsentRequest, StoredProfiles } from '../identity/customers/schemas.js';
import { ImportErrorSchema } from '../identity/imports/schemas.js';
import { VerificationErrorSchema } from '../identity/verifications/schemas.js';
import { RAIL_STATUSES } from '../payments/payments/payment.js';
import { CounterpartyInformation, OutgoingRateDetails } from '../payments/payments/payment-schemas.js';
import { QuoteDestinationOneOf, QuoteSourceOneOf } from '../payments/quotes/schemas.js';
import { OperationDestinationSchema, OperationSourceSchema } from '../payments/stablecoins/operation-schemas.js';
import { SandboxFault } from './fault-schemas.js';

const text = Type.String();
const maybeText = Type.Optional(text);
const maybeTime = Type.Optional(Timestamp());
const digits = Type.String({ pattern: '^\\d{1,18}$' });
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const idOf = (...kinds: string[]) => Type.String({ pattern: `^(?:${kinds.join('|')}):${uuid}$` });
const texts = Type.Record(Type.String(), text);
const anyObject = Type.Object({});
const fields = Type.Array(CounterpartyFieldDefinition);

const rail = OneOf('paymentRail', [
  Type.Object({ paymentRail: Enum(['ONCHAIN']), transactionHash: text, network: maybeText }),
  Type.Object({
    paymentRail: Enum(['ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW']),
    status: Enum(RAIL_STATUSES),
    reference: text,
    bankAccount: Type.Optional(
      Type.Object({ accountHolderName: maybeText, routingNumber: maybeText, accountNumber: maybeText, bankName: maybeText }),
    ),
    settledAt: maybeTime,
    returnedAt: maybeTime,
    dishonoredAt: maybeTime,
    contestedAt: maybeTime,
    reversedAt: maybeTime,
  }),
]);

const problems = Type.Array(VerificationErrorSchema);
const decision = OneOf('outcome', [
  Type.Object({ outcome: Enum(['IN_PROGRESS', 'PENDING_MANUAL_REVIEW', 'APPROVED']) }),
  Type.Object({ outcome: Enum(['RESOLVE_ERRORS', 'REJECTED']), errors: problems }),
]);

const proof = OneOf('type', [
  Type.Object({ type: Enum(['EMAIL_OTP', 'SMS_OTP']), contact: text }),
  Type.Object({ type: Enum(['OAUTH']), identity: Type.Object({ issuer: text, audience: text, subject: text }) }),
  Type.Object({
    type: Enum(['PASSKEY']),
    passkey: Type.Object({ credentialId: text, publicKey: text, counter: Type.Integer(), rpId: text }),
  }),
]);

/** A schema for each value of another column. */
type Choice = { readonly by: string; readonly shapes: ReadonlyMap<string, TSchema>; readonly otherwise: TSchema };
type Shape = TSchema | Choice;
const isChoice = (shape: Shape): shape is Choice => 'shapes' in shape;

export const STORED_JSON: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  customers: {
    profile: { by: 'customer_type', shapes: new Map(Object.entries(StoredProfiles)), otherwise: anyObject },
    consents: Type.Array(AgreementConsentRequest),
  },
  beneficial_owners: { personal_info: StoredPersonalInfo },
  verifications: { errors: problems, planned_decision: decision },
  import_errors: { error: ImportErrorSchema },
  internal_accounts: {
    sweep_rule: Type.Object({
      destination: Type.Object({ accountId: idOf('InternalAccount', 'ExternalAccount'), paymentRail: maybeText }),
      minimumAmount: digits,
      maximumAmount: digits,
      purposeOfPayment: Type.Optional(PurposeOfPayment),
      description: maybeText,
      remittanceInformation: maybeText,
      platformFeeOverride: Type.Optional(PlatformFeeOverride),
    }),
    funding_instructions: Type.Array(PaymentInstructions),
  },
  external_accounts: { account_info: ExternalAccountCreateInfo },
  signed_requests: {
    facts: {
      by: 'operation',
      shapes: new Map<string, TSchema>([
        ['createDelegatedKey', Type.Object({ id: idOf('DelegatedKey'), publicKey: text })],
        ['createAuthCredential', Type.Object({ nickname: text, named: Type.Boolean(), proof })],
        ['updateCustomerById', Type.Object({ type: Enum(['EMAIL_OTP', 'SMS_OTP']), set: Type.Array(text) })],
        // A login by one-time code, or by any other proof.
        ['verifyAuthCredential', Type.Union([Type.Object({ contact: text }), Type.Object({ clientPublicKey: text })])],
      ]),
      otherwise: anyObject,
    },
  },
  card_transactions: { merchant: CardMerchant },
  payments: {
    rate_details: OutgoingRateDetails,
    source_rail: rail,
    destination_rail: rail,
    counterparty_information: CounterpartyInformation,
    requested_fields: Type.Array(Type.Object({ name: text, mandatory: Type.Boolean() })),
  },
  quotes: { source: QuoteSourceOneOf, destination: QuoteDestinationOneOf, payment_instructions: Type.Array(PaymentInstructions) },
  uma_invoices: { sender_data: anyObject, requested_fields: fields },
  uma_notices: { settlement: Type.Object({ invoice: text, amount: digits, currency: text, outcome: Enum(NOTICE_OUTCOMES) }) },
  lookups: {
    found: Type.Object({
      address: text,
      callback: text,
      version: text,
      currencies: Type.Array(Type.Object({ code: text, min: digits, max: digits })),
      payerFields: fields,
    }),
  },
  agents: { policy: AgentPolicy },
  stablecoin_operations: { source: OperationSourceSchema, destination: OperationDestinationSchema, funding_instructions: texts },
  // Shown and sent as it is.
  webhook_events: { data: anyObject },
  webhook_attempts: { request_headers: texts },
  sandbox_faults: { fault: SandboxFault },
};

const checks = new Map<TSchema, Check>();
function checkOf(schema: TSchema): Check {
  const check = checks.get(schema) ?? lateCheck(schema);
  checks.set(schema, check);
  return check;
}

/** Refuses a value that the service would not have stored. `cellOf` gives the other columns of the row. */
export function checkStoredJson(table: string, column: string, value: unknown, cellOf: (column: string) => string | null): void {
  const shape = STORED_JSON[table]?.[column];
  assert(shape, `the JSON of ${table}.${column} is described`);
  try {
    checkOf(isChoice(shape) ? (shape.shapes.get(cellOf(shape.by) ?? '') ?? shape.otherwise) : shape)(value);
  } catch (error) {
    const first = error instanceof ApiError ? (error.details?.['errors'] as readonly FieldError[] | undefined)?.[0] : undefined;
    if (!first) throw error;
    throw invalidField('file', `has a value of ${table}.${column} that does not fit: ${`${first.field} ${first.message}`.trim()}`);
  }
}
