// Verification of customers: verifications, documents, beneficial owners, factors.
import { CREATED, CUSTOMER, encoded, ID, OF_CUSTOMER, text, to } from './shared.ts';
import type { Resource } from './types.ts';

const verifications: Resource = {
  name: 'verifications',
  title: 'Verifications',
  one: 'verification',
  group: 'Identity',
  kind: 'Verification',
  list: '/verifications',
  columns: [{ name: 'verificationStatus', label: 'Status', as: 'badge' }, CUSTOMER, CREATED, ID],
  filters: [
    OF_CUSTOMER,
    {
      name: 'verificationStatus',
      label: 'Status',
      choices: ['RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED', 'READY_FOR_VERIFICATION'],
    },
  ],
  get: 'getVerification',
  machine: () => 'VerificationStatus',
  hasTimeline: true,
  create: { operation: 'createVerification', label: 'Submit a customer', next: to('verifications') },
  actions: [{ operation: 'sandboxDecideVerification', label: 'Decide', leads: ['APPROVED', 'REJECTED', 'RESOLVE_ERRORS'] }],
  empty: 'No verifications yet.',
};

const documents: Resource = {
  name: 'documents',
  title: 'Documents',
  one: 'document',
  group: 'Identity',
  kind: 'Document',
  list: '/documents',
  columns: [
    { name: 'documentType', label: 'Type' },
    { name: 'fileName', label: 'File', as: 'mono' },
    { name: 'country', label: 'Country' },
    { name: 'documentHolder', label: 'About', as: 'id' },
    CREATED,
    ID,
  ],
  filters: [{ name: 'documentHolder', label: 'About' }],
  get: 'getDocument',
  hasTimeline: true,
  create: { operation: 'uploadDocument', label: 'Upload', next: to('documents') },
  actions: [
    { operation: 'replaceDocument', label: 'Replace' },
    {
      operation: 'deleteDocument',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'fileName'),
      next: () => '/documents',
    },
  ],
  empty: 'No documents yet.',
};

const owners: Resource = {
  name: 'beneficial-owners',
  title: 'Beneficial owners',
  one: 'beneficial owner',
  group: 'Identity',
  kind: 'BeneficialOwner',
  list: '/beneficial-owners',
  needs: 'customerId',
  columns: [
    { name: 'personalInfo.fullName|personalInfo.firstName', label: 'Name' },
    { name: 'roles', label: 'Roles' },
    { name: 'ownershipPercentage', label: 'Share in %' },
    { name: 'kycStatus', label: 'Verification', as: 'badge' },
    CUSTOMER,
    ID,
  ],
  filters: [OF_CUSTOMER],
  get: 'getBeneficialOwner',
  machine: () => 'KycStatus',
  hasTimeline: true,
  related: [{ resource: 'documents', query: (object) => `documentHolder=${encoded(object)}` }],
  create: { operation: 'createBeneficialOwner', label: 'Add owner', next: to('beneficial-owners') },
  actions: [
    { operation: 'updateBeneficialOwner', label: 'Edit' },
    {
      operation: 'deleteBeneficialOwner',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'id').slice(-6),
      next: (answer) => `/beneficial-owners?customerId=${encoded(answer, 'customerId')}`,
    },
  ],
  empty: 'This customer has no beneficial owners.',
};

const factors: Resource = {
  name: 'factors',
  title: 'Factors',
  one: 'factor',
  group: 'Identity',
  list: '/sca/factors',
  rows: 'factors',
  needs: 'customerId',
  key: 'credentialId',
  columns: [
    { name: 'factor|type', label: 'Factor' },
    { name: 'status', label: 'Status', as: 'badge' },
    { name: 'credentialId', label: 'Id', as: 'mono' },
  ],
  filters: [OF_CUSTOMER],
  empty: 'This customer has no second factor.',
};

export const IDENTITY: readonly Resource[] = [verifications, documents, owners, factors];
