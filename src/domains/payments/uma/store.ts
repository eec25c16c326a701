// All SQL of UMA: keys, nonces of messages, payments that are expected and payments that are owed.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Settlement } from '../../../providers/uma/notices.js';
import type { Agreement, DueNotice, FieldDefinition, Invoice, PersonData, UmaPrivateKeys } from './uma.js';

type Reader = Pick<Tx, 'one' | 'many'>;

// ---- keys

/** Bind the sealed keys to their platform: in another row they do not open. */
export const signingKeyContext = (platformId: PlatformId): string => `uma signing key ${platformId}`;
export const encryptionKeyContext = (platformId: PlatformId): string => `uma encryption key ${platformId}`;

type KeyRow = { signing_key_sealed: Buffer; encryption_key_sealed: Buffer };

const toKeys = (custody: KeyCustody, platformId: PlatformId, row: KeyRow): UmaPrivateKeys => ({
  signing: custody.open(row.signing_key_sealed, signingKeyContext(platformId)),
  encryption: custody.open(row.encryption_key_sealed, encryptionKeyContext(platformId)),
});

export async function findKeys(tx: Reader, custody: KeyCustody, platformId: PlatformId): Promise<UmaPrivateKeys | undefined> {
  const row = await tx.one<KeyRow>(sql`
    select signing_key_sealed, encryption_key_sealed from uma_keys where platform_id = ${uuidOf(platformId)}`);
  return row && toKeys(custody, platformId, row);
}

/** Keys of another process that was first stay. */
export async function insertKeys(
  tx: Pick<Tx, 'run'>,
  custody: KeyCustody,
  platformId: PlatformId,
  keys: UmaPrivateKeys,
  now: Date,
): Promise<void> {
  await tx.run(sql`
    insert into uma_keys (platform_id, signing_key_sealed, encryption_key_sealed, created_at)
    values (${uuidOf(platformId)}, ${custody.seal(keys.signing, signingKeyContext(platformId))},
      ${custody.seal(keys.encryption, encryptionKeyContext(platformId))}, ${now})
    on conflict (platform_id) do nothing`);
}

// ---- nonces

/** Whether the nonce of a domain is new. Kept by the real time, as messages carry it. */
export async function insertNonce(tx: Tx, platformId: PlatformId, domain: string, nonce: string, signedAt: Date): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into uma_nonces (platform_id, domain, nonce, signed_at)
    values (${uuidOf(platformId)}, ${domain}, ${nonce}, ${signedAt}) on conflict do nothing`);
  return inserted === 1;
}

/** Deletes some nonces of messages that are too old to be taken; returns how many. */
export const deleteOldNonces = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from uma_nonces where platform_id = ${uuidOf(platformId)} and (domain, nonce) in (
      select domain, nonce from uma_nonces where platform_id = ${uuidOf(platformId)} and signed_at < ${before}
      order by signed_at limit ${limit})`);

// ---- expected payments

type InvoiceRow = {
  id: string;
  customer_id: string;
  sender: string;
  receiver: string;
  amount: bigint;
  currency: string;
  sender_data: PersonData;
  requested_fields: FieldDefinition[];
  callback: string | null;
  payment_id: string | null;
  created_at: Date;
  expires_at: Date;
};

const toInvoice = (row: InvoiceRow): Invoice => ({
  id: idOf('Invoice', row.id),
  customerId: idOf('Customer', row.customer_id),
  sender: row.sender,
  receiver: row.receiver,
  amount: row.amount,
  currency: row.currency,
  senderData: row.sender_data,
  requestedFields: row.requested_fields,
  callback: row.callback,
  paymentId: row.payment_id === null ? null : idOf('Transaction', row.payment_id),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export function insertInvoice(tx: Tx, platformId: PlatformId, invoice: Invoice): void {
  tx.send(sql`
    insert into uma_invoices (platform_id, id, customer_id, sender, receiver, amount, currency, sender_data, requested_fields, callback,
      created_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(invoice.id)}, ${uuidOf(invoice.customerId)}, ${invoice.sender}, ${invoice.receiver}, ${invoice.amount},
      ${invoice.currency}, ${JSON.stringify(invoice.senderData)}, ${JSON.stringify(invoice.requestedFields)}, ${invoice.callback},
      ${invoice.createdAt}, ${invoice.expiresAt})`);
}

export async function lockInvoice(tx: Tx, platformId: PlatformId, id: Invoice['id']): Promise<Invoice | undefined> {
  const row = await tx.one<InvoiceRow>(sql`
    select * from uma_invoices where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for update`);
  return row && toInvoice(row);
}

/** The invoice that an incoming payment has paid. */
export async function findInvoiceOf(tx: Reader, platformId: PlatformId, paymentId: TransactionId): Promise<Invoice | undefined> {
  const row = await tx.one<InvoiceRow>(sql`
    select * from uma_invoices where platform_id = ${uuidOf(platformId)} and payment_id = ${uuidOf(paymentId)}`);
  return row && toInvoice(row);
}

/** The invoice stays, so that it is paid once. What it said of the sender is in the payment, as far as the platform asks for it. */
export function saveInvoicePaid(tx: Tx, platformId: PlatformId, id: Invoice['id'], paymentId: TransactionId): void {
  tx.send(sql`
    update uma_invoices set payment_id = ${uuidOf(paymentId)}, sender_data = '{}', requested_fields = '[]'
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

export const firstUnpaid = (condition: PlatformCondition): Sql => sql`
  select i.platform_id, i.expires_at as at from uma_invoices i
  where ${condition(sql`i.platform_id`)} and i.payment_id is null order by i.platform_id, i.expires_at limit 1`;

/** Deletes some invoices that expired unpaid; returns how many. One that is being paid is left to its payment. */
export const deleteUnpaid = (tx: Pick<Tx, 'run'>, platformId: PlatformId, now: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from uma_invoices where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from uma_invoices where platform_id = ${uuidOf(platformId)} and payment_id is null and expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked))`);

// ---- payments to other providers

type PayoutRow = { sender: string; receiver: string; amount: bigint; currency: string; invoice: string; callback: string };

export function insertPayout(tx: Tx, platformId: PlatformId, paymentId: TransactionId, agreement: Agreement, now: Date): void {
  tx.send(sql`
    insert into uma_payouts (platform_id, payment_id, sender, receiver, amount, currency, invoice, callback, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(paymentId)}, ${agreement.sender}, ${agreement.receiver}, ${agreement.amount}, ${agreement.currency},
      ${agreement.invoice}, ${agreement.callback}, ${now})`);
}

export async function findPayout(tx: Reader, platformId: PlatformId, paymentId: TransactionId): Promise<Agreement | undefined> {
  const row = await tx.one<PayoutRow>(sql`
    select sender, receiver, amount, currency, invoice, callback from uma_payouts
    where platform_id = ${uuidOf(platformId)} and payment_id = ${uuidOf(paymentId)}`);
  return row;
}

// ---- notices

export type NewNotice = {
  readonly url: string;
  readonly settlement: Settlement;
  readonly paymentId: TransactionId;
  readonly now: Date;
};

/** One notice per payment: what became of it is said once. */
export function insertNotice(tx: Tx, platformId: PlatformId, { url, settlement, paymentId, now }: NewNotice): void {
  tx.send(sql`
    insert into uma_notices (platform_id, id, url, settlement, attempts, due_at)
    values (${uuidOf(platformId)}, ${uuidOf(paymentId)}, ${url}, ${JSON.stringify(settlement)}, 0, ${now})
    on conflict do nothing`);
}

export const firstNotice = (condition: PlatformCondition): Sql => sql`
  select n.platform_id, n.due_at as at from uma_notices n
  where ${condition(sql`n.platform_id`)} order by n.platform_id, n.due_at limit 1`;

export async function findDueNotices(tx: Reader, platformId: PlatformId, now: Date, limit: number): Promise<DueNotice[]> {
  const rows = await tx.many<{ id: string; url: string; settlement: Settlement; attempts: number; due_at: Date }>(sql`
    select id, url, settlement, attempts, due_at from uma_notices
    where platform_id = ${uuidOf(platformId)} and due_at <= ${now} order by due_at limit ${limit}`);
  return rows.map(({ due_at, ...row }) => ({ ...row, dueAt: due_at, paymentId: idOf('Transaction', row.id) }));
}

/** Puts the notice off until `next`; false when another process was first. */
export async function takeNotice(tx: Pick<Tx, 'run'>, platformId: PlatformId, { id, attempts }: DueNotice, next: Date): Promise<boolean> {
  const taken = await tx.run(sql`
    update uma_notices set attempts = ${attempts + 1}, due_at = ${next}
    where platform_id = ${uuidOf(platformId)} and id = ${id} and attempts = ${attempts}`);
  return taken === 1;
}

export function deleteNotice(tx: Tx, platformId: PlatformId, id: string): void {
  tx.send(sql`delete from uma_notices where platform_id = ${uuidOf(platformId)} and id = ${id}`);
}
