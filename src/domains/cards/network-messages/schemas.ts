// Wire schemas of network messages, simulated or sent by an issuer.
import Type from 'typebox';
import { Closed, Enum } from '../../../http/schemas.js';
import { cardTransactionId, cents, issuerToken, MerchantRequest } from '../authorizations/simulator-schemas.js';
import { FOLLOW_UP_KINDS } from './network-message.js';

export const SandboxCardBalanceInquiryRequest = Closed({ merchant: MerchantRequest }, { title: 'SandboxCardBalanceInquiryRequest' });
export const SandboxCardClearingRequest = Closed({ cardTransactionId, amount: cents(0) }, { title: 'SandboxCardClearingRequest' });
export const SandboxCardReturnRequest = Closed({ cardTransactionId, amount: cents(1) }, { title: 'SandboxCardReturnRequest' });
export const SandboxCardAuthorizationAdviceRequest = Closed(
  { cardTransactionId, amount: cents(1) },
  { title: 'SandboxCardAuthorizationAdviceRequest' },
);
export const SandboxCardTransactionRefRequest = Closed({ cardTransactionId }, { title: 'SandboxCardTransactionRefRequest' });
export const SandboxCardReversalRequest = Closed(
  { cardTransactionId, amount: Type.Optional(cents(1)) },
  { title: 'SandboxCardReversalRequest' },
);

export const IssuerMessageRequest = Closed(
  {
    kind: Enum(FOLLOW_UP_KINDS),
    messageToken: issuerToken,
    issuerTransactionToken: issuerToken,
    amount: Type.Optional(cents(0)),
    // Needed when the transaction is unknown: a clearing or an advice then opens it.
    cardId: Type.Optional(Type.String({ maxLength: 255 })),
    merchant: Type.Optional(MerchantRequest),
  },
  { title: 'IssuerMessageRequest' },
);

export const IssuerMessageResponse = Type.Object(
  {
    issuerTransactionToken: Type.String(),
    transactionId: Type.String(),
    duplicate: Type.Boolean({ description: 'The message was taken before; nothing happened again.' }),
  },
  { title: 'IssuerMessageResponse' },
);
