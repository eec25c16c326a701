// What other domains may ask of keys.
export { endCredentials, guardContactChange, startCredentials } from './contact.js';
export { authorizePulls, hasUsableKey, type WalletPull } from './delegated-keys.js';
