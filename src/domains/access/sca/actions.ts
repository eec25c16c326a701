// The interface of strong customer authentication.
export type { ScaDeps } from './deps.js';
export { confirmPasskey, confirmTotp, listFactors, removePasskey, startPasskey, startTotp, totpSecretContext } from './enrollment.js';
export { concludeByLink, outcomesOf } from './liveness.js';
export { completeLogin, needsAuthorization, recordSecurityEvent, requireLockedSession, requireSession, startLogin } from './login.js';
export {
  nothingToAuthorize,
  openPaymentChallenge,
  type PaymentCall,
  type PaymentChallenge,
  readPaymentChallenge,
  resendPaymentCode,
  type Subject,
  satisfyPaymentChallenge,
} from './payments.js';
export { decideLiveness, finishReset, readReset, startReset } from './resets.js';
export { describeBeneficiary } from './rules.js';
export { confirmTrustChange, startTrustChange } from './trust.js';
