// Verification of the e-mail address and the phone number of a customer.
import Type from 'typebox';
import { commitThenRefuse, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import type { ContactChannel } from '../customers/actions.js';
import { CustomerOneOf, renderCustomer } from '../customers/schemas.js';
import { type ContactDeps, confirmContactCode, sendContactCode } from './actions.js';

const ContactVerificationConfirmRequest = Closed(
  {
    code: Type.String({
      'x-secret': true,
      minLength: 1,
      maxLength: 64,
      description: 'The code that the end user received. In the sandbox it is 123456.',
    }),
  },
  { title: 'ContactVerificationConfirmRequest' },
);

/** The two operations of one channel. */
const channelRoutes = (
  deps: ContactDeps,
  { channel, noun, path }: { channel: ContactChannel; noun: string; path: 'email' | 'phone' },
): Operation[] => {
  const id = channel === 'EMAIL' ? 'Email' : 'Phone';
  return [
    operation({
      id: `sendCustomer${id}Verification`,
      method: 'POST',
      path: `/customers/{customerId}/verify-${path}`,
      tag: 'Contact Verification',
      summary: `Send a code to the customer's ${noun}; an older code is void`,
      command: `customers send-${path}-code`,
      permission: 'MANAGE',
      success: { 204: null },
      errors: ['CUSTOMER_NOT_FOUND', 'CONFLICT'],
      write: async (tx, { platformId, now, params }) => {
        await sendContactCode(tx, deps, { platformId, id: parseId('Customer', params.customerId), channel, now });
        return noContent();
      },
    }),
    operation({
      id: `confirmCustomer${id}Verification`,
      method: 'POST',
      path: `/customers/{customerId}/verify-${path}/confirm`,
      tag: 'Contact Verification',
      summary: `Confirm the customer's ${noun} with the code that was sent to it`,
      command: `customers confirm-${path}`,
      permission: 'MANAGE',
      body: ContactVerificationConfirmRequest,
      success: { 200: CustomerOneOf },
      errors: ['CUSTOMER_NOT_FOUND', 'CONFLICT'],
      write: async (tx, { platformId, now, params, body: { code } }) => {
        const request = { platformId, id: parseId('Customer', params.customerId), channel, now, code };
        const outcome = await confirmContactCode(tx, deps, request);
        return 'refusal' in outcome ? commitThenRefuse(outcome.refusal) : ok(renderCustomer(outcome.customer));
      },
    }),
  ];
};

export const contactRoutes = (deps: ContactDeps): Operation[] => [
  ...channelRoutes(deps, { channel: 'EMAIL', noun: 'e-mail address', path: 'email' }),
  ...channelRoutes(deps, { channel: 'PHONE', noun: 'phone number', path: 'phone' }),
];
