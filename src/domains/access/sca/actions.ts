// The interface of strong customer authentication.
export { confirmPasskey, confirmTotp, listFactors, removePasskey, startPasskey, startTotp, totpSecretContext } from './enrollment.js';
export { completeLogin, recordSecurityEvent, requireSession, startLogin } from './login.js';
export { decideLiveness, finishReset, openPass, readReset, startReset } from './resets.js';
export { confirmTrustChange, startTrustChange } from './trust.js';
