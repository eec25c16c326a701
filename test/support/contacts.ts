// Customers in a regulated region, whose contacts have to be verified.
import { randomUUID } from 'node:crypto';
import { type Answer, type Client, expectStatus } from './client.js';

export const CONTACT_CHANNELS = [
  { channel: 'email', path: 'verify-email', message: 'EMAIL', member: 'email', other: { email: 'new@example.com' } },
  { channel: 'phone', path: 'verify-phone', message: 'SMS', member: 'phoneNumber', other: { phoneNumber: '+4930999999' } },
] as const;

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
export const germanCustomer = (platform: Client, fields: Record<string, unknown> = {}): Promise<any> =>
  expectStatus(
    201,
    platform.post('/customers', {
      customerType: 'INDIVIDUAL',
      fullName: 'Emmy Noether',
      region: 'DE',
      email: `${randomUUID()}@example.com`,
      phoneNumber: `+49${String(Math.floor(Math.random() * 1e10)).padStart(10, '1')}`,
      ...fields,
    }),
  );

export type ContactPath = (typeof CONTACT_CHANNELS)[number]['path'];

export const sendCode = (platform: Client, customer: { id: string }, path: ContactPath): Promise<Answer> =>
  platform.post(`/customers/${customer.id}/${path}`);

export const confirmCode = (platform: Client, customer: { id: string }, path: ContactPath, code = '123456'): Promise<Answer> =>
  platform.post(`/customers/${customer.id}/${path}/confirm`, { code });
