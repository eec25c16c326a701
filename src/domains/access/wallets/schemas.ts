// Wire schemas of the owner-signed changes of a wallet account.
import Type from 'typebox';
import { Closed } from '../../../http/schemas.js';
import { ClientPublicKey } from '../sessions/schemas.js';
import { WalletOperationProcessing } from '../signed-requests/schemas.js';

export const InternalAccountUpdateRequest = Closed(
  { privateEnabled: Type.Optional(Type.Boolean()) },
  { title: 'InternalAccountUpdateRequest' },
);
export const InternalAccountExportRequest = Closed({ clientPublicKey: ClientPublicKey }, { title: 'InternalAccountExportRequest' });
export const InternalAccountExportResult = Type.Unsafe<unknown>({
  title: 'InternalAccountExportResult',
  anyOf: [
    Type.Object({ id: Type.String(), encryptedWalletCredentials: Type.String() }, { title: 'InternalAccountExportResponse' }),
    WalletOperationProcessing,
  ],
});
