// The interface of UMA for the domains that look receivers up and pay them.
export { domainOf } from '../../../providers/uma/messages.js';
export { askReceiver, type PaymentRequest, requestPayment, type UmaDeps } from './ask.js';
export { knownOf, parseUmaAddress, payerDataFor, senderAddress, umaDomainOf } from './rules.js';
export { encryptionKeyContext, insertPayout, signingKeyContext } from './store.js';
