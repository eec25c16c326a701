// The interface of delegated keys.
export { createDelegatedKey, SIGNATURES_OF_DELEGATION } from './create.js';
export { revokeDelegatedKey, revokeKeysOf } from './revoke.js';
export { authorizePulls, privateKeyContext } from './sign.js';
export { hasActiveKey } from './store.js';
