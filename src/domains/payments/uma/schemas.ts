// The payment that the sandbox plays, on the wire.
import Type, { type Static } from 'typebox';
import { Closed } from '../../../http/schemas.js';
import type { SandboxPayment } from './uma.js';

export const SandboxUmaReceiveRequest = Closed(
  {
    senderUmaAddress: Type.String({ maxLength: 255, description: 'An address of the sandbox, such as `$success.usd@sandbox.uma.money`.' }),
    receiverUmaAddress: Type.Optional(
      Type.String({ maxLength: 255, description: 'UMA address of the customer who is paid. Required without `customerId`.' }),
    ),
    customerId: Type.Optional(
      Type.String({ maxLength: 255, description: 'The customer who is paid. Required without `receiverUmaAddress`.' }),
    ),
    receivingCurrencyCode: Type.String({ maxLength: 255, description: 'The currency that the customer gets.' }),
    receivingCurrencyAmount: Type.Integer({
      format: 'int64',
      exclusiveMinimum: 0,
      description: 'What the customer gets, in the smallest unit of the currency.',
    }),
  },
  { title: 'SandboxUmaReceiveRequest' },
);

export const parseSandboxPayment = (body: Static<typeof SandboxUmaReceiveRequest>): SandboxPayment => ({
  sender: body.senderUmaAddress,
  receiver: body.receiverUmaAddress,
  customerId: body.customerId,
  currency: body.receivingCurrencyCode,
  amount: BigInt(body.receivingCurrencyAmount),
});
