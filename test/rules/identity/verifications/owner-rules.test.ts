// What a beneficial owner may be and become, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  BeneficialOwner,
  BusinessCustomer,
  Customer,
  OwnerDraft,
  OwnerPatch,
} from '../../../../src/domains/identity/customers/customer.js';
import {
  changeOwner,
  maskIdentifier,
  newOwner,
  refuseDeletion,
  requireBusiness,
} from '../../../../src/domains/identity/verifications/owner-rules.js';
import { RECORD_STATUSES, type RecordStatus, type Verification } from '../../../../src/domains/identity/verifications/verification.js';
import { answerOf, fieldsOf, refusalOf } from '../../../support/refusal.js';

const BEFORE = new Date('2026-05-01T00:00:00Z');
const NOW = new Date('2026-06-01T12:00:00Z');
const ADDRESS = { line1: '1 Road', postalCode: '1', country: 'US' };
const PERSON = { firstName: 'Ada', lastName: 'L', birthDate: '1980-01-01', nationality: 'GB', address: ADDRESS, idType: 'SSN' } as const;
const DRAFT: OwnerDraft = { roles: ['UBO'], ownershipPercentage: 40, personalInfo: { ...PERSON, identifier: '123-45-6789' } };

const owner = (id: `BeneficialOwner:${string}`, ownershipPercentage: number): BeneficialOwner => ({
  id,
  customerId: 'Customer:1',
  roles: ['UBO'],
  ownershipPercentage,
  personalInfo: PERSON,
  maskedIdentifier: '***-**-6789',
  kycStatus: 'UNVERIFIED',
  createdAt: BEFORE,
  updatedAt: BEFORE,
});
const businessOf = (...beneficialOwners: BeneficialOwner[]) =>
  ({ id: 'Customer:1', customerType: 'BUSINESS', beneficialOwners }) as unknown as BusinessCustomer;
const open = (status: RecordStatus) => ({ status }) as Verification;

const created = (
  fields: { roles?: OwnerDraft['roles']; ownershipPercentage?: number; personalInfo?: object } = {},
  facts: { business?: BusinessCustomer; isRegulated?: boolean; open?: Verification } = {},
) =>
  newOwner({
    id: 'BeneficialOwner:9',
    business: businessOf(),
    draft: { ...DRAFT, ...fields, personalInfo: { ...DRAFT.personalInfo, ...fields.personalInfo } },
    isRegulated: false,
    open: undefined,
    now: NOW,
    ...facts,
  });

test('only a business has beneficial owners', () => {
  const business = businessOf();
  assert.equal(requireBusiness(business), business);
  assert.deepEqual(
    fieldsOf(() => requireBusiness({ customerType: 'INDIVIDUAL' } as Customer)),
    ['customerId'],
  );
});

test('an identifier shows at most four letters and digits, and at most half of a short one', () => {
  const shown = { '': '', '1': '*', '12': '*2', '123456789': '*****6789', '1234567890': '******7890', 'AB-12': '**-12' };
  for (const [identifier, masked] of Object.entries(shown)) assert.equal(maskIdentifier(identifier), masked);
});

describe('a new owner', () => {
  test('keeps what was said, but the identifier only masked', () => {
    assert.deepEqual(created(), {
      id: 'BeneficialOwner:9',
      customerId: 'Customer:1',
      roles: ['UBO'],
      ownershipPercentage: 40,
      personalInfo: PERSON,
      maskedIdentifier: '***-**-6789',
      kycStatus: 'UNVERIFIED',
      createdAt: NOW,
      updatedAt: NOW,
    });
  });

  test('is reviewed with a business that is under review; on a regulated platform it is approved', () => {
    const expected: Record<RecordStatus, string> = {
      IN_PROGRESS: 'PENDING',
      PENDING_MANUAL_REVIEW: 'PENDING',
      RESOLVE_ERRORS: 'UNVERIFIED',
      APPROVED: 'UNVERIFIED',
      REJECTED: 'UNVERIFIED',
    };
    for (const status of RECORD_STATUSES) {
      assert.equal(created({}, { open: open(status) }).kycStatus, expected[status], status);
      assert.equal(created({}, { open: open(status), isRegulated: true }).kycStatus, 'APPROVED', status);
    }
  });

  test('the owners of a business own at most 100 % together; the answer says what is left', () => {
    const business = businessOf(owner('BeneficialOwner:1', 50), owner('BeneficialOwner:2', 25));
    assert.equal(created({ ownershipPercentage: 25 }, { business }).ownershipPercentage, 25);
    assert.deepEqual(refusalOf(() => created({ ownershipPercentage: 26 }, { business })).details, {
      errors: [
        {
          field: 'ownershipPercentage',
          constraint: { maximum: 25 },
          message: 'the owners of a business own at most 100 % together; the others own 75 %',
        },
      ],
    });
    const full = businessOf(owner('BeneficialOwner:1', 100));
    assert.equal(created({ ownershipPercentage: 0 }, { business: full }).ownershipPercentage, 0);
    assert.deepEqual(
      fieldsOf(() => created({ ownershipPercentage: 1 }, { business: full })),
      ['ownershipPercentage'],
    );
    assert.deepEqual(
      fieldsOf(() => created({ ownershipPercentage: 0.5 }, { business: full })),
      ['ownershipPercentage'],
    );
  });

  test('an owner without a share fits beside shares above 100 % that are already stored', () => {
    const over = businessOf(owner('BeneficialOwner:1', 80), owner('BeneficialOwner:2', 30));
    assert.equal(created({ ownershipPercentage: 0 }, { business: over }).ownershipPercentage, 0);
  });

  test('a business has at most 100 owners', () => {
    const owners = (count: number) => businessOf(...Array.from({ length: count }, (_, i) => owner(`BeneficialOwner:${i}`, 0)));
    assert.equal(created({}, { business: owners(99) }).id, 'BeneficialOwner:9');
    assert.deepEqual(
      fieldsOf(() => created({}, { business: owners(100) })),
      ['customerId'],
    );
  });

  test('was born today at the latest', () => {
    assert.equal(created({ personalInfo: { birthDate: '2026-06-01' } }).personalInfo.birthDate, '2026-06-01');
    assert.deepEqual(
      fieldsOf(() => created({ personalInfo: { birthDate: '2026-06-02' } })),
      ['personalInfo.birthDate'],
    );
  });

  test('every bad field is named in one answer', () => {
    const bad = {
      roles: ['UBO', 'DIRECTOR', 'UBO'] as const,
      ownershipPercentage: 101,
      personalInfo: { birthDate: '2027-01-01', nationality: 'ZZ', address: { ...ADDRESS, country: 'ZZ' }, countryOfIssuance: 'ZZ' },
    };
    assert.deepEqual(
      fieldsOf(() => created(bad)),
      [
        'roles.2',
        'ownershipPercentage',
        'personalInfo.birthDate',
        'personalInfo.nationality',
        'personalInfo.address.country',
        'personalInfo.countryOfIssuance',
      ],
    );
    assert.deepEqual(refusalOf(() => created({ personalInfo: { nationality: 'ZZ' } })).details, {
      errors: [
        {
          field: 'personalInfo.nationality',
          constraint: { format: 'iso-3166-1-alpha-2' },
          message: 'must be an ISO 3166-1 alpha-2 code',
        },
      ],
    });
  });
});

describe('a change of an owner', () => {
  const current = owner('BeneficialOwner:1', 60);
  const business = businessOf(current, owner('BeneficialOwner:2', 30));
  const changed = (patch: OwnerPatch) => changeOwner(current, business, patch, NOW);

  test('without a field changes the time of the change alone', () => {
    assert.deepEqual(changed({}), { owner: { ...current, updatedAt: NOW }, identifier: undefined });
  });
  test('takes what is given; an address is replaced as a whole', () => {
    const address = { line1: '2 Road', postalCode: '2', country: 'GB' };
    assert.deepEqual(changed({ roles: ['DIRECTOR'], ownershipPercentage: 0, personalInfo: { address } }).owner, {
      ...current,
      roles: ['DIRECTOR'],
      ownershipPercentage: 0,
      personalInfo: { ...PERSON, address },
      updatedAt: NOW,
    });
  });
  test('the share of the owner itself is not counted twice', () => {
    assert.equal(changed({ ownershipPercentage: 70 }).owner.ownershipPercentage, 70);
    assert.deepEqual(
      fieldsOf(() => changed({ ownershipPercentage: 71 })),
      ['ownershipPercentage'],
    );
  });
  test('an owner without a share is changed beside others who own everything', () => {
    const without = owner('BeneficialOwner:1', 0);
    const full = businessOf(without, owner('BeneficialOwner:2', 100));
    assert.deepEqual(changeOwner(without, full, { roles: ['TRUSTEE'] }, NOW).owner.roles, ['TRUSTEE']);
  });
  test('a new identifier is masked; the masked text sent back changes nothing', () => {
    const { owner: made, identifier } = changed({ personalInfo: { identifier: '987-65-4321' } });
    assert.deepEqual([made.maskedIdentifier, identifier], ['***-**-4321', '987-65-4321']);
    assert.equal('identifier' in made.personalInfo, false);
    const same = changed({ personalInfo: { identifier: '***-**-6789' } });
    assert.deepEqual([same.owner.maskedIdentifier, same.identifier], ['***-**-6789', undefined]);
  });
});

test('an owner of a business under review cannot be deleted', () => {
  refuseDeletion(undefined);
  for (const status of ['RESOLVE_ERRORS', 'APPROVED', 'REJECTED'] as const) refuseDeletion(open(status));
  for (const status of ['IN_PROGRESS', 'PENDING_MANUAL_REVIEW'] as const)
    assert.deepEqual(
      answerOf(() => refuseDeletion(open(status))),
      ['CONFLICT', { cause: 'UNDER_REVIEW' }],
    );
});
