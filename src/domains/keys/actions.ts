// What other domains may ask of keys.
export { endCredentials, endDelegations, guardContactChange, startCredentials } from './contact.js';
export { authorizePulls, hasUsableKey, privateKeyContext, type WalletPull } from './delegated-keys.js';
export { otpTargetContext } from './otp.js';
