// Transfers within one currency on the wire.
import Type from 'typebox';
import { Closed } from '../../../http/schemas.js';
import { PurposeOfPayment } from '../../accounts/internal-accounts/schemas.js';
import { PaymentRail } from '../../core/platform/schemas.js';

const accountId = (description: string) => Type.String({ maxLength: 255, description });
const amount = Type.Optional(
  Type.Integer({ format: 'int64', description: 'In the smallest unit of the currency of both accounts. At least 1, and required.' }),
);

const ExternalAccountReference = Closed(
  { accountId: accountId('An external account of the holder that money can be pulled from.') },
  { title: 'ExternalAccountReference' },
);
const InternalAccountReference = Closed(
  { accountId: accountId('An internal account of a customer or of the platform.') },
  { title: 'InternalAccountReference' },
);
const ExternalAccountDestinationReference = Closed(
  {
    accountId: accountId('An external account that the holder may pay.'),
    paymentRail: Type.Optional(PaymentRail),
  },
  { title: 'ExternalAccountDestinationReference' },
);

export const TransferInRequest = Closed(
  { source: ExternalAccountReference, destination: InternalAccountReference, amount },
  { title: 'TransferInRequest' },
);

export const TransferOutRequest = Closed(
  {
    source: InternalAccountReference,
    destination: ExternalAccountDestinationReference,
    amount,
    remittanceInformation: Type.Optional(
      Type.String({ maxLength: 80, pattern: '^[ -~]*$', description: 'Travels with the payment to the receiver: printable ASCII.' }),
    ),
    purposeOfPayment: Type.Optional(PurposeOfPayment),
  },
  { title: 'TransferOutRequest' },
);
