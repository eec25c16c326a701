// Uploads of documents that support a payment, and a destination that asks for them.
import { randomInt, randomUUID } from 'node:crypto';
import { type Answer, type Client, expectStatus, type Sent } from './client.js';
import { documentForm, filePart } from './documents.js';
import type { Part } from './multipart.js';
import { quoting } from './quotes.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const uploadPaymentDocument = (
  platform: Client,
  fields: Readonly<Record<string, string | undefined>>,
  file: Part = filePart(),
): Promise<Answer> => platform.upload('POST', '/payment-documents', documentForm(fields, file));

export const givenPaymentDocument = (platform: Client, documentType: string, customerId?: string, file?: Part): Promise<Resource> =>
  expectStatus(201, uploadPaymentDocument(platform, { documentType, customerId }, file));

/** A bank account of a business in China: payments to it name a purpose and are documented. */
export const chineseBusiness = (platform: Client, owner: Resource | undefined): Promise<Resource> =>
  quoting(platform).external(owner, 'CNY', {
    accountType: 'CNY_ACCOUNT',
    accountNumber: `62${randomInt(10 ** 12, 10 ** 13)}999`,
    bankName: 'ICBC',
    beneficiary: {
      beneficiaryType: 'BUSINESS',
      legalName: 'Shenzhen Parts Ltd',
      address: { line1: '1 Shennan Road', city: 'Shenzhen', postalCode: '518000', country: 'CN' },
    },
  });

export const withKey = (key: string = randomUUID()): Sent => ({ headers: { 'Idempotency-Key': key } });
