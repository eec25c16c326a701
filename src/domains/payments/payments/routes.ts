// Positions of the service-side accounts of a platform, for its operator.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { Enum } from '../../../http/schemas.js';
import { readServiceBalances } from '../../ledger/actions.js';
import { SERVICE_PURPOSES } from '../../ledger/ledger.js';

const ServicePosition = Type.Object(
  {
    purpose: Enum(SERVICE_PURPOSES, {
      description:
        'FUNDING is the outside world, CLEARING holds money that was taken and is not delivered yet, FX is the currency position, FEES are the fees of the service, SUSPENSE holds refunds that could not be paid, RESERVE bears losses, RECEIVABLE is what holders owe, CARD_SETTLEMENT is what card networks are paid.',
    }),
    currency: Type.String({ description: 'Code of the currency.' }),
    balance: Type.Integer({
      format: 'int64',
      description: 'In the smallest unit of the currency, exact up to 2^53. Negative where more went out than came in.',
    }),
  },
  { title: 'ServicePosition' },
);

const ServicePositionList = Type.Object(
  { data: Type.Array(ServicePosition, { description: 'Every position that is not zero, by purpose and currency.' }) },
  { title: 'ServicePositionList' },
);

export const positionRoutes = ({ db }: { readonly db: Db }): Operation[] => [
  operation({
    id: 'listServicePositions',
    method: 'GET',
    path: '/platform/positions',
    tag: 'Platform Configuration',
    summary: 'List the positions of the service-side accounts',
    description:
      'Shows where money of the platform is that is on no account of a customer or of the platform itself: on its way, converted, in suspense or lost. The positions of a currency and all balances in it add up to zero. An extension of this service.',
    permission: 'MANAGE',
    success: { 200: ServicePositionList },
    handle: async ({ platformId }) => {
      const positions = (await readServiceBalances(db, platformId)).filter(({ balance }) => balance !== 0n);
      // A position sums up many accounts, so it may pass what one amount of the API can be.
      return ok({ data: positions.map(({ purpose, currency, balance }) => ({ purpose, currency, balance: Number(balance) })) });
    },
  }),
];
