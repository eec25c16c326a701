// What the service agrees on with other providers: payments that it expects from them, and payments that it owes to them.
import type { CustomerId, Id, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { Settlement } from '../../../providers/uma/notices.js';
import { CUSTOMER_INFO_FIELDS, type CustomerInfoField } from '../../core/platform/platform.js';

export type { UmaPeers, UmaPrivateKeys, UmaPublicKeys, UmaReply } from '../../../providers/uma/uma.js';

/** Fields of people that providers ask each other for. */
export const FIELD_NAMES = CUSTOMER_INFO_FIELDS;
export type FieldName = CustomerInfoField;

export type FieldDefinition = { readonly name: FieldName; readonly mandatory: boolean };
export type PersonData = Readonly<Partial<Record<FieldName, unknown>>>;

/** An address in lower case, taken apart. */
export type UmaAddress = { readonly address: string; readonly domain: string };

/** What another provider says about a receiver. */
export type FoundReceiver = {
  readonly address: string;
  /** Where the pay request goes. */
  readonly callback: string;
  readonly version: string;
  readonly currencies: readonly { readonly code: CurrencyCode; readonly min: bigint; readonly max: bigint }[];
  readonly payerFields: readonly FieldDefinition[];
};

/** A payment that a provider has asked to send: it may be paid once. */
export type Invoice = {
  readonly id: Id<'Invoice'>;
  readonly customerId: CustomerId;
  readonly sender: string;
  readonly receiver: string;
  readonly amount: bigint;
  readonly currency: CurrencyCode;
  readonly senderData: PersonData;
  /** What the sender asks for about the receiver. */
  readonly requestedFields: readonly FieldDefinition[];
  /** Where the sender takes the outcome. */
  readonly callback: string | null;
  /** The incoming payment, once the sender has paid. */
  readonly paymentId: TransactionId | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** What the provider of a receiver has agreed to for an outgoing payment. */
export type Agreement = {
  readonly sender: string;
  readonly receiver: string;
  readonly amount: bigint;
  readonly currency: CurrencyCode;
  readonly invoice: string;
  /** Where the notice that it is paid goes. */
  readonly callback: string;
};

/** A notice to another provider that waits to be sent. */
export type DueNotice = {
  readonly id: string;
  readonly url: string;
  readonly settlement: Settlement;
  /** Our payment that it is about. */
  readonly paymentId: TransactionId;
  readonly attempts: number;
  readonly dueAt: Date;
};

/** A payment that the sandbox plays. */
export type SandboxPayment = {
  readonly sender: string;
  readonly receiver: string | undefined;
  readonly customerId: string | undefined;
  readonly currency: CurrencyCode;
  readonly amount: bigint;
};
