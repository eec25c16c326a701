// What other domains may ask of keys.
export { endCredentials, endDelegations, guardContactChange, startCredentials } from './contact.js';
export { authorizePulls, privateKeyContext } from './delegated-keys.js';
export { otpTargetContext } from './otp.js';
export { hasActiveKey } from './store.js';
