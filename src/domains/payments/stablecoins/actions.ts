// The interface of stablecoins for the operator's tool and the list of sealed columns.
export { credentialsContext } from './links.js';
export { moveEnablement } from './register.js';
export { NEXT_ENABLEMENT } from './rules.js';
export type { GridStatus, StablecoinId } from './stablecoin.js';
export { findPlatformOfStablecoin, findWaitingStablecoins, lockStablecoin } from './store.js';
