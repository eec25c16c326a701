// Identity verification of customers. `screen` returns what is known at once; a longer check reports later.

export type KycSubject =
  | { readonly customerType: 'INDIVIDUAL'; readonly fullName?: string | undefined }
  | { readonly customerType: 'BUSINESS'; readonly registrationNumber?: string | undefined };

export type KycOutcome = 'UNVERIFIED' | 'PENDING' | 'APPROVED' | 'REJECTED';

export type KycProvider = { screen(subject: KycSubject): KycOutcome };

/** A live installation without a provider of its own approves nobody. */
export const noKyc: KycProvider = { screen: () => 'UNVERIFIED' };

const BY_SUFFIX: Readonly<Record<string, KycOutcome>> = { '001': 'PENDING', '002': 'REJECTED', '003': 'UNVERIFIED' };

/** The last three characters of a person's name choose the outcome. A business is verified on request, never at creation. */
export const sandboxKyc: KycProvider = {
  screen: (subject) => (subject.customerType === 'BUSINESS' ? 'UNVERIFIED' : (BY_SUFFIX[subject.fullName?.slice(-3) ?? ''] ?? 'APPROVED')),
};
