// Payload of the event that a wallet operation has ended.
import Type from 'typebox';
import { Enum, OneOf } from '../../../http/schemas.js';

const text = Type.String();

const walletOperation = {
  operationId: text,
  requestId: text,
  operationType: Enum(['auth_credential.create', 'auth_credential.delete', 'session.revoke', 'wallet.export', 'customer.contact_update']),
  resourceType: Enum(['AUTH_METHOD', 'SESSION', 'INTERNAL_ACCOUNT', 'CUSTOMER'], { title: 'WalletOperationResourceType' }),
  resourceId: text,
};

export const WalletOperation = OneOf(
  'status',
  [
    Type.Object({ status: Enum(['completed']), ...walletOperation }, { title: 'WalletOperationCompletedData' }),
    Type.Object(
      { status: Enum(['failed']), ...walletOperation, error: Type.Object({ code: text }, { title: 'OperationError' }) },
      { title: 'WalletOperationFailedData' },
    ),
  ],
  { title: 'WalletOperationWebhookData' },
);
