// What a customer may be and become, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AGREEMENT_TYPES,
  type AgreementConsent,
  type Customer,
  type CustomerDraft,
  type CustomerPatch,
  VERIFICATION_STATUSES,
} from '../../../../src/domains/identity/customers/customer.js';
import {
  AGREEMENTS,
  changeCustomer,
  conflictOf,
  contactChange,
  currentAgreement,
  hasAcceptedTerms,
  isUmaAddress,
  newCustomer,
} from '../../../../src/domains/identity/customers/rules.js';
import { answerOf, fieldsOf, refusalOf } from '../../../support/refusal.js';

const ID = 'Customer:01950000-0000-7000-8000-0000000000ab';
const BEFORE = new Date('2026-05-01T00:00:00Z');
const NOW = new Date('2026-06-01T00:00:00Z');

const NOTHING = {
  currencies: undefined,
  email: undefined,
  phoneNumber: undefined,
  umaAddress: undefined,
  endUserTermsConsent: undefined,
  agreementConsents: undefined,
  claimedStatus: undefined,
};
const PERSON: CustomerDraft = {
  ...NOTHING,
  customerType: 'INDIVIDUAL',
  profile: { fullName: 'Ada' },
  identifier: undefined,
  platformCustomerId: undefined,
  region: undefined,
};
const BUSINESS: CustomerDraft = {
  ...NOTHING,
  customerType: 'BUSINESS',
  profile: { businessInfo: { legalName: 'Acme' } },
  platformCustomerId: undefined,
  region: undefined,
};
const consent = (fields: Partial<AgreementConsent> = {}): AgreementConsent => ({
  type: 'SERVICE_END_USER_TERMS',
  acceptedAt: '2026-05-31T00:00:00Z',
  ipAddress: '192.0.2.1',
  termsVersion: '2025-10-01',
  acceptanceMethod: 'CHECKBOX',
  ...fields,
});
const made = (draft: CustomerDraft, facts: { isRegulated?: boolean; screened?: Customer['verificationStatus'] } = {}) =>
  newCustomer({
    id: ID,
    draft,
    umaDomain: 'uma.example',
    supportedCurrencies: ['USD', 'EUR'],
    isRegulated: false,
    screened: 'UNVERIFIED',
    now: NOW,
    ...facts,
  });
const person = (fields: object = {}) => made({ ...PERSON, ...fields } as CustomerDraft);
const business = (fields: object = {}) => made({ ...BUSINESS, ...fields } as CustomerDraft);

describe('a new customer', () => {
  test('gets what it does not bring: an id, a UMA address, the currencies of the platform', () => {
    assert.deepEqual(person(), {
      id: ID,
      platformCustomerId: '01950000-0000-7000-8000-0000000000ab',
      umaAddress: '$c019500000000700080000000000000ab@uma.example',
      verificationStatus: 'UNVERIFIED',
      region: null,
      currencies: ['USD', 'EUR'],
      email: null,
      phoneNumber: null,
      emailVerifiedAt: null,
      phoneVerifiedAt: null,
      consents: [],
      createdAt: NOW,
      updatedAt: NOW,
      deletedAt: null,
      customerType: 'INDIVIDUAL',
      profile: { fullName: 'Ada' },
    });
  });

  test('keeps what it brings', () => {
    const given = {
      platformCustomerId: 'p-1',
      umaAddress: '$ada@bank.example',
      region: 'US',
      currencies: ['EUR'],
      email: 'ada@example.com',
      phoneNumber: '+15550100',
    };
    const customer = person(given);
    for (const [name, value] of Object.entries(given)) assert.deepEqual(customer[name as keyof Customer], value, name);
  });

  test('a business begins without beneficial owners; a person has none', () => {
    const { customerType, profile, beneficialOwners } = business() as Extract<Customer, { customerType: 'BUSINESS' }>;
    assert.deepEqual([customerType, profile, beneficialOwners], ['BUSINESS', { businessInfo: { legalName: 'Acme' } }, []]);
    assert.equal('beneficialOwners' in person(), false);
  });

  test('has the status that screening gave; on a regulated platform it is APPROVED', () => {
    assert.equal(made(PERSON, { screened: 'PENDING' }).verificationStatus, 'PENDING');
    assert.equal(made(PERSON, { screened: 'PENDING', isRegulated: true }).verificationStatus, 'APPROVED');
  });

  test('in the European Economic Area has an email and a phone number, a business also a contact person', () => {
    const email = 'ada@example.com';
    const phoneNumber = '+4930123456';
    assert.deepEqual(
      fieldsOf(() => person({ region: 'DE' })),
      ['email', 'phoneNumber'],
    );
    assert.deepEqual(
      fieldsOf(() => person({ region: 'DE', email })),
      ['phoneNumber'],
    );
    assert.equal(person({ region: 'DE', email, phoneNumber }).region, 'DE');
    assert.equal(person({ region: 'US' }).region, 'US');
    assert.deepEqual(
      fieldsOf(() => business({ region: 'FR', email, phoneNumber })),
      ['businessInfo.primaryContactFirstName', 'businessInfo.primaryContactLastName'],
    );
    const businessInfo = { legalName: 'Acme', primaryContactFirstName: 'Ada', primaryContactLastName: 'L' };
    assert.equal(business({ region: 'FR', email, phoneNumber, profile: { businessInfo } }).region, 'FR');
  });
});

describe('what a customer brings is checked, and every bad field is named', () => {
  test('currencies are those of the platform, once each', () => {
    const { details } = refusalOf(() => person({ currencies: ['EUR', 'MXN', 'EUR'] }));
    assert.deepEqual(details, {
      errors: [
        { field: 'currencies.1', constraint: { enum: ['USD', 'EUR'] }, message: 'is not a currency of the platform' },
        { field: 'currencies.2', message: 'is listed twice' },
      ],
    });
  });

  test('the status can be confirmed and not set: kycStatus of a person, kybStatus of a business', () => {
    for (const claimedStatus of VERIFICATION_STATUSES) {
      if (claimedStatus === 'UNVERIFIED') {
        assert.equal(person({ claimedStatus }).verificationStatus, 'UNVERIFIED');
        continue;
      }
      assert.deepEqual(
        fieldsOf(() => person({ claimedStatus })),
        ['kycStatus'],
      );
      assert.deepEqual(
        fieldsOf(() => business({ claimedStatus })),
        ['kybStatus'],
      );
    }
  });

  test('a bad UMA address alone has its own code; beside other bad fields it is one of them', () => {
    const umaAddress = 'ada@bank.example';
    const [code, details] = answerOf(() => person({ umaAddress }));
    assert.deepEqual(
      [code, details],
      ['INVALID_UMA_ADDRESS', { errors: [{ field: 'umaAddress', message: 'must have the form $name@domain' }] }],
    );
    assert.deepEqual(
      fieldsOf(() => person({ umaAddress, currencies: ['MXN'] })),
      ['currencies.0', 'umaAddress'],
    );
  });

  test('the form of a UMA address', () => {
    const good = ['$ada@bank.example', '$a@b', '$A.b_c+d-1@Bank.Example', '$a@4.b', '$a@xn--bcher-kva.example', `$${'a'.repeat(64)}@b`];
    const bad = [
      '',
      'ada@bank.example',
      '$@b',
      '$ada',
      '$ada@',
      '$a b@c',
      '$ada@-b',
      '$ada@b.',
      `$${'a'.repeat(65)}@b`,
      '$ada@b:8080',
      '$ada@b.4',
      '$ada@1.2',
      '$ada@xn--a',
    ];
    for (const text of good) assert.equal(isUmaAddress(text), true, text);
    for (const text of bad) assert.equal(isUmaAddress(text), false, text);
  });
});

describe('agreements', () => {
  test('every agreement is listed in its current version', () => {
    assert.deepEqual(
      AGREEMENTS.map(({ type, version }) => [type, version]),
      AGREEMENT_TYPES.map((type) => [type, '2025-10-01']),
    );
    assert.equal(currentAgreement('BANK_E_SIGN_CONSENT').url, 'https://agreements.switchyard.example/bank-e-sign-consent/2025-10-01');
  });

  test('the deprecated form is the consent to the end-user terms', () => {
    const { type, ...endUserTermsConsent } = consent();
    assert.deepEqual(person({ endUserTermsConsent }).consents, [{ type, ...endUserTermsConsent }]);
    assert.deepEqual(
      fieldsOf(() => person({ endUserTermsConsent: { ...endUserTermsConsent, ipAddress: 'x' } })),
      ['endUserTermsConsent.ipAddress'],
    );
  });

  test('both forms together are refused', () => {
    const { type: _type, ...endUserTermsConsent } = consent();
    assert.deepEqual(
      fieldsOf(() => person({ endUserTermsConsent, agreementConsents: [] })),
      ['endUserTermsConsent'],
    );
  });

  test('each consent names an IPv4 or IPv6 address, and each agreement is listed once', () => {
    const given = (...agreementConsents: AgreementConsent[]) => person({ agreementConsents });
    const other = consent({ type: 'BANK_PRIVACY_POLICY', ipAddress: '2001:db8::1' });
    assert.deepEqual(given(consent(), other).consents, [consent(), other]);
    assert.deepEqual(refusalOf(() => given(consent({ ipAddress: '192.0.2.256' }))).details, {
      errors: [{ field: 'agreementConsents.0.ipAddress', constraint: { format: 'ip' }, message: 'must be an IPv4 or IPv6 address' }],
    });
    assert.deepEqual(
      fieldsOf(() => given(consent(), other, consent())),
      ['agreementConsents.2.type'],
    );
  });

  test('a supported older version is accepted; any other is END_USER_TERMS_VERSION_NOT_FOUND with the supported ones', () => {
    assert.equal(person({ agreementConsents: [consent({ termsVersion: '2025-04-01' })] }).consents.length, 1);
    assert.deepEqual(
      answerOf(() => person({ agreementConsents: [consent(), consent({ type: 'BANK_PRIVACY_POLICY', termsVersion: '2024-01-01' })] })),
      ['END_USER_TERMS_VERSION_NOT_FOUND', { type: 'BANK_PRIVACY_POLICY', supportedVersions: ['2025-10-01', '2025-04-01'] }],
    );
  });

  test('bad fields are named before an unknown version', () => {
    assert.equal(
      answerOf(() => person({ umaAddress: 'x', agreementConsents: [consent({ termsVersion: 'x' })] }))[0],
      'INVALID_UMA_ADDRESS',
    );
  });

  test('the terms are accepted by a consent to them in a supported version', () => {
    const accepted = (...consents: AgreementConsent[]) => hasAcceptedTerms({ consents });
    assert.equal(accepted(), false);
    assert.equal(accepted(consent()), true);
    assert.equal(accepted(consent({ termsVersion: '2025-04-01' })), true);
    assert.equal(accepted(consent({ termsVersion: '2024-01-01' })), false);
    assert.equal(accepted(consent({ type: 'SERVICE_PRIVACY_POLICY' })), false);
    assert.equal(accepted(consent({ type: 'SERVICE_PRIVACY_POLICY' }), consent()), true);
  });
});

describe('a change of a customer', () => {
  const customer: Customer = {
    ...person({
      email: 'ada@example.com',
      phoneNumber: '+15550100',
      umaAddress: '$ada@bank.example',
      currencies: ['EUR'],
      agreementConsents: [consent()],
    }),
    emailVerifiedAt: BEFORE,
    phoneVerifiedAt: BEFORE,
    createdAt: BEFORE,
    updatedAt: BEFORE,
  };
  const changed = (patch: object, current = customer) =>
    changeCustomer({
      customer: current,
      patch: { ...NOTHING, customerType: current.customerType, profile: {}, ...patch } as CustomerPatch,
      supportedCurrencies: ['USD', 'EUR'],
      now: NOW,
    });

  test('without a field changes the time of the change alone', () => {
    assert.deepEqual(changed({}), { ...customer, updatedAt: NOW });
  });

  test('takes each given field', () => {
    assert.equal(changed({ umaAddress: '$b@bank.example' }).umaAddress, '$b@bank.example');
    assert.deepEqual(changed({ currencies: ['USD'] }).currencies, ['USD']);
    assert.deepEqual(changed({ profile: { nationality: 'GB' } }).profile, { fullName: 'Ada', nationality: 'GB' });
  });

  test('another contact is no longer verified; the same one is', () => {
    const verified = ({ email, phoneNumber, emailVerifiedAt, phoneVerifiedAt }: Customer) => [
      email,
      emailVerifiedAt !== null,
      phoneNumber,
      phoneVerifiedAt !== null,
    ];
    assert.deepEqual(verified(changed({ email: 'b@example.com' })), ['b@example.com', false, '+15550100', true]);
    assert.deepEqual(verified(changed({ phoneNumber: '+15550101' })), ['ada@example.com', true, '+15550101', false]);
    assert.deepEqual(verified(changed({ email: 'ada@example.com', phoneNumber: '+15550100' })), [
      'ada@example.com',
      true,
      '+15550100',
      true,
    ]);
  });

  test('consents are only added, and the first acceptance of a version is kept', () => {
    const again = consent({ acceptedAt: '2026-06-01T00:00:00Z' });
    const older = consent({ termsVersion: '2025-04-01' });
    assert.deepEqual(changed({ agreementConsents: [again] }).consents, [consent()]);
    assert.deepEqual(changed({ agreementConsents: [older] }).consents, [consent(), older]);
    const other = consent({ type: 'BANK_PRIVACY_POLICY' });
    assert.deepEqual(changed({ agreementConsents: [other] }).consents, [consent(), other]);
    const twoKinds = { ...customer, consents: [other, consent()] };
    assert.deepEqual(changed({ agreementConsents: [again] }, twoKinds).consents, [other, consent()]);
  });

  test('the fields of businessInfo merge one by one, an address is replaced as a whole', () => {
    const acme = business({
      profile: {
        address: { line1: '1 Road', city: 'Town', postalCode: '1', country: 'US' },
        businessInfo: { legalName: 'Acme', taxId: '1' },
      },
    });
    const address = { line1: '2 Road', postalCode: '2', country: 'US' };
    assert.deepEqual(changed({ profile: { address, businessInfo: { taxId: '2' } } }, acme).profile, {
      address,
      businessInfo: { legalName: 'Acme', taxId: '2' },
    });
    assert.deepEqual(changed({}, acme).profile, acme.profile);
  });

  test('a person stays a person, a business a business', () => {
    for (const [current, to] of [
      [customer, 'BUSINESS'],
      [business(), 'INDIVIDUAL'],
    ] as const)
      assert.deepEqual(refusalOf(() => changed({ customerType: to }, current)).details, {
        errors: [{ field: 'customerType', constraint: { enum: [current.customerType] }, message: 'cannot be changed' }],
      });
  });

  test('the fields are checked as at creation, and the present status may be sent back', () => {
    assert.deepEqual(
      fieldsOf(() => changed({ currencies: ['MXN'], claimedStatus: 'APPROVED' })),
      ['currencies.0', 'kycStatus'],
    );
    assert.equal(changed({ claimedStatus: 'HOLD' }, { ...customer, verificationStatus: 'HOLD' }).verificationStatus, 'HOLD');
  });

  test('the contacts that a change replaces', () => {
    const replaced = (patch: object) => contactChange(customer, changed(patch));
    assert.equal(replaced({}), undefined);
    assert.equal(replaced({ email: 'ada@example.com' }), undefined);
    assert.deepEqual(replaced({ email: 'b@example.com' }), { email: 'b@example.com' });
    assert.deepEqual(replaced({ phoneNumber: '+15550101' }), { phoneNumber: '+15550101' });
    assert.deepEqual(replaced({ email: 'b@example.com', phoneNumber: '+15550101' }), {
      email: 'b@example.com',
      phoneNumber: '+15550101',
    });
  });
});

describe('a creation that meets an existing customer', () => {
  const draft = person({ platformCustomerId: 'p-1' });
  const found = (existing: Customer | undefined) => {
    const { code, details } = conflictOf(draft, existing);
    return [code, details];
  };
  test('of the same platformCustomerId names that customer', () => {
    assert.deepEqual(found({ ...draft, id: 'Customer:2' }), ['CONFLICT', { field: 'platformCustomerId', customerId: 'Customer:2' }]);
  });
  test('of the same UMA address alone says so', () => {
    assert.deepEqual(found({ ...draft, platformCustomerId: 'p-2' }), ['UMA_ADDRESS_EXISTS', undefined]);
  });
  test('that was deleted in the meantime names nobody', () => {
    assert.deepEqual(found(undefined), ['CONFLICT', { field: 'platformCustomerId' }]);
  });
});
