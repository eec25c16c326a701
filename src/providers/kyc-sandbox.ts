// The KYC provider of the sandbox. The last three characters of a name or registration number choose the outcome.
import { type KycDecision, type KycOutcome, type KycProvider, type KycSubject, type KycSubmission, poorQuality, rejection } from './kyc.js';

const AT_CREATION: Readonly<Record<string, KycOutcome>> = { '001': 'PENDING', '002': 'REJECTED', '003': 'UNVERIFIED' };
const OWNERS: Readonly<Record<string, 'PENDING' | 'REJECTED'>> = { '001': 'PENDING', '002': 'REJECTED' };

/** How long a person's check takes, on the platform's clock. */
const CHECK_MS = 5_000;

const suffixOf = (text: string | undefined): string => text?.slice(-3) ?? '';
const suffixOfSubject = (subject: KycSubject): string =>
  suffixOf(subject.customerType === 'INDIVIDUAL' ? subject.fullName : subject.registrationNumber);

const underReview = (decision: KycDecision): KycSubmission => ({
  decision: { outcome: 'IN_PROGRESS' },
  later: { afterMs: CHECK_MS, decision },
});

export const sandboxKyc: KycProvider = {
  /** A business is verified on request, never at creation. */
  screen: (subject) => (subject.customerType === 'BUSINESS' ? 'UNVERIFIED' : (AT_CREATION[suffixOfSubject(subject)] ?? 'APPROVED')),

  /** A business whose registration number asks for a verdict gets it without any document. */
  decideUnchecked(application) {
    if (application.customerType === 'INDIVIDUAL' || !application.registrationNumber) return undefined;
    const suffix = suffixOfSubject(application);
    if (suffix === '001' || suffix === '003') return undefined;
    return suffix === '002' ? { outcome: 'REJECTED', errors: [rejection(application.customerId)] } : { outcome: 'APPROVED' };
  },

  submit(application) {
    // Stays under review until the sandbox's caller decides.
    if (application.customerType === 'BUSINESS') return { decision: { outcome: 'IN_PROGRESS' } };
    const { customerId, identityDocumentId = customerId } = application;
    switch (suffixOfSubject(application)) {
      case '001':
        return { decision: { outcome: 'PENDING_MANUAL_REVIEW' } };
      case '002':
        return underReview({ outcome: 'REJECTED', errors: [rejection(customerId)] });
      case '003':
        return { decision: { outcome: 'RESOLVE_ERRORS', errors: [poorQuality(identityDocumentId)] } };
      default:
        return underReview({ outcome: 'APPROVED' });
    }
  },

  decideOwner: ({ lastName }) => OWNERS[suffixOf(lastName)] ?? 'APPROVED',
};
