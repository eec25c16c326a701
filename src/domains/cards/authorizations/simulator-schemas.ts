// What the sandbox's simulators of the card network have in common, and the parts that issuer requests share with them.
import Type, { type Static } from 'typebox';
import { Closed } from '../../../http/schemas.js';
import type { Merchant } from './card-transaction.js';

/** Method, path and permission of a simulator. */
export const simulator = (name: string) =>
  ({
    method: 'POST',
    path: `/sandbox/cards/{id}/simulate/${name}`,
    tag: 'Sandbox',
    permission: 'TRANSACT',
    sandbox: true,
    idempotency: 'optional',
  }) as const;

export const cents = (minimum: number) => Type.Integer({ format: 'int64', minimum, maximum: Number.MAX_SAFE_INTEGER });

/** The amount of a request. */
export const parseCents = (amount: number | undefined): bigint | undefined => (amount === undefined ? undefined : BigInt(amount));

export const optionalText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

export const cardTransactionId = Type.String({ maxLength: 255 });

export const issuerToken = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' });

export const MerchantRequest = Closed(
  {
    descriptor: Type.String({
      minLength: 1,
      maxLength: 25,
      description: 'As it appears on a statement. In the sandbox its last three characters choose the outcome.',
    }),
    mcc: optionalText(4, 'Merchant category code, ISO 18245.'),
    city: optionalText(100, 'Where the merchant is.'),
    state: optionalText(100, 'Part of the country.'),
    country: optionalText(100, 'Country of the merchant.'),
  },
  { title: 'CardMerchantRequest', description: 'Where the card is used.' },
);

export const parseMerchant = (merchant: Static<typeof MerchantRequest>): Merchant => merchant;

export const SandboxCardSimulationResponse = Type.Object(
  { issuerTransactionToken: Type.String() },
  { title: 'SandboxCardSimulationResponse' },
);
