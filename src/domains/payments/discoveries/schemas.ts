// Banks and mobile wallets on the wire.
import Type from 'typebox';
import { Closed } from '../../../http/schemas.js';

export const DiscoveryQuery = Closed({
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' })),
});

export const DiscoveryListResponse = Type.Object(
  {
    data: Type.Optional(
      Type.Array(
        Type.Object(
          {
            bankName: Type.String({ description: 'As `accountInfo.bankName` of an external account.' }),
            displayName: Type.String(),
            country: Type.String(),
            currency: Type.String(),
          },
          { title: 'Discovery' },
        ),
      ),
    ),
  },
  { title: 'DiscoveryListResponse' },
);
