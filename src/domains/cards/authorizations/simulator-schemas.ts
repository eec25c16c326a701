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

export const optionalText = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));

export const cardTransactionId = Type.String({ maxLength: 255 });

export const issuerToken = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' });

export const MerchantRequest = Closed({
  descriptor: Type.String({
    minLength: 1,
    maxLength: 25,
    description: 'As it appears on a statement; its last three characters choose the outcome.',
  }),
  mcc: optionalText(4),
  city: optionalText(100),
  state: optionalText(100),
  country: optionalText(100),
});

export const parseMerchant = (merchant: Static<typeof MerchantRequest>): Merchant => merchant;

export const SandboxCardSimulationResponse = Type.Object(
  { issuerTransactionToken: Type.String() },
  { title: 'SandboxCardSimulationResponse' },
);
