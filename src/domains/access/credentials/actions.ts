// The interface of credentials.
export { challengeCredential } from './challenge.js';
export { guardContactChange, insertFirstCredentialsOf } from './contact.js';
export { createCredential } from './create.js';
export { otpTargetContext } from './otp.js';
export { hasNoCertificates } from './passkey.js';
export { endCredentialsOf, revokeCredential } from './revoke.js';
export { verifyCredential } from './verify.js';
