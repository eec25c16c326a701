// Customers in a regulated region, their factors and logins, through the API.
import { randomInt, randomUUID } from 'node:crypto';
import { type AuthenticatorOptions, type SoftwareAuthenticator, softwareAuthenticator } from './authenticator.js';
import { type Client, expectStatus } from './client.js';
import { confirmCode, sendCode } from './contacts.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

/** The code of every text message and authenticator app of the sandbox. */
export const CODE = '123456';
export const IP = '203.0.113.7';
export const ORIGIN = 'http://localhost:3000';

/** A phone number that hardly another customer has. */
export const newPhone = (): string => `+49151${randomInt(10 ** 8, 10 ** 9)}`;

/** A customer in Germany whose phone number is not verified. */
export const unverifiedCustomer = (platform: Client, fields: Record<string, unknown> = {}): Promise<Resource> =>
  given(platform).customer({ region: 'DE', email: `${randomUUID()}@example.com`, phoneNumber: newPhone(), ...fields });

export async function verifyPhone(platform: Client, customer: Resource): Promise<void> {
  await expectStatus(204, sendCode(platform, customer, 'verify-phone'));
  await expectStatus(200, confirmCode(platform, customer, 'verify-phone'));
}

/** A customer in Germany who can use text messages. */
export async function regulatedCustomer(platform: Client, fields: Record<string, unknown> = {}): Promise<Resource> {
  const customer = await unverifiedCustomer(platform, fields);
  await verifyPhone(platform, customer);
  return customer;
}

/** Calls of strong authentication about one customer. */
export function scaOf(platform: Client, customer: Resource) {
  const at = (path: string) => `/sca${path}?customerId=${customer.id}`;
  const sca = {
    customer,
    platform,
    factors: () => platform.get(at('/factors')),
    enroll: (type: string) => platform.post(at('/factors'), { type }),
    confirm: (body: Record<string, unknown>) => platform.post(at('/factors/confirm'), body),
    remove: (credentialId: string) => platform.delete(at(`/factors/${credentialId}`)),
    start: (factor: string) => platform.post(at('/login/start'), { factor }),
    complete: (body: Record<string, unknown>) => platform.post(at('/login/complete'), { endUserIpAddress: IP, ...body }),
    report: (eventType: string) => platform.post(at('/record-event'), { eventType, endUserIpAddress: IP }),
    startReset: (factor: string) => platform.post(at('/factors/reset'), { factor, endUserIpAddress: IP }),
    reset: (id: string) => platform.get(at(`/factors/reset/${id}`)),
    completeReset: (id: string, body?: unknown) => platform.post(at(`/factors/reset/${id}/complete`), body),
    liveness: (id: string, outcome: string) => platform.post(`/sandbox/sca/factors/reset/${id}/liveness`, { outcome }),

    /** Enrols an authenticator app; answers its secret and the recovery codes. */
    async withTotp(): Promise<{ secret: string; secretBase32Encoded: string; recoveryCodes: string[] }> {
      const { secret, secretBase32Encoded } = await expectStatus(200, sca.enroll('TOTP'));
      const { recoveryCodes } = await expectStatus(200, sca.confirm({ type: 'TOTP', secret, code: CODE }));
      return { secret, secretBase32Encoded, recoveryCodes };
    },

    /** Enrols a passkey of a software authenticator. */
    async withPasskey(options: AuthenticatorOptions = {}): Promise<SoftwareAuthenticator> {
      const authenticator = softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost', ...options });
      const { options: creation } = await expectStatus(200, sca.enroll('PASSKEY'));
      await expectStatus(200, sca.confirm({ type: 'PASSKEY', origin: ORIGIN, credential: creationOf(authenticator, creation.challenge) }));
      return authenticator;
    },

    /** A login by text message, which opens the session. */
    async login(): Promise<Resource> {
      const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
      return expectStatus(200, sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE }));
    },

    /** One failed login with an authenticator app, which must be enrolled. */
    async fail() {
      await expectStatus(200, sca.start('TOTP'));
      return sca.complete({ factor: 'TOTP', code: '000000' });
    },
  };
  return sca;
}

export type Sca = ReturnType<typeof scaOf>;

// ---- beneficiaries

/** A German IBAN with right check digits, whose ending means nothing to the sandbox. */
export function newIban(): string {
  const bban = `10010010${randomInt(10 ** 6, 10 ** 7)}999`;
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}

export const euroAccount = () => ({
  currency: 'EUR',
  accountInfo: {
    accountType: 'EUR_ACCOUNT',
    iban: newIban(),
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Emmy Noether', countryOfResidence: 'DE' },
  },
});

/** Calls about the trust in one external account. */
export function trustOf(platform: Client, account: Resource) {
  const path = `/customers/external-accounts/${account.id}`;
  return {
    account,
    trust: () => platform.post(`${path}/trust`),
    untrust: () => platform.post(`${path}/untrust`),
    confirmTrust: (body: unknown) => platform.post(`${path}/trust/confirm`, body),
    confirmUntrust: (body: unknown) => platform.post(`${path}/untrust/confirm`, body),
    remove: () => platform.delete(path),
  };
}

/** An external account of a customer in Germany. */
export async function givenBeneficiary(platform: Client, make: (platform: Client) => Promise<Resource> = regulatedCustomer) {
  const customer = await make(platform);
  const account = await expectStatus(201, platform.post('/customers/external-accounts', { customerId: customer.id, ...euroAccount() }));
  return { ...trustOf(platform, account), sca: scaOf(platform, customer), customer };
}

/** A trusted beneficiary. */
export async function givenTrusted(platform: Client) {
  const beneficiary = await givenBeneficiary(platform);
  const { scaChallenge } = await expectStatus(200, beneficiary.trust());
  await expectStatus(200, beneficiary.confirmTrust({ challengeId: scaChallenge.id, code: CODE }));
  return beneficiary;
}

/** What a browser returns of `navigator.credentials.create`, in JSON form. */
export function creationOf(authenticator: SoftwareAuthenticator, challenge: string) {
  const { credentialId, clientDataJson, attestationObject, transports } = authenticator.create(Buffer.from(challenge, 'base64url'));
  return {
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
    response: { clientDataJSON: clientDataJson, attestationObject, transports },
  };
}

/** What a browser returns of `navigator.credentials.get`, in JSON form. */
export function assertionOf(authenticator: SoftwareAuthenticator, challenge: string, isVerified = true) {
  const { credentialId, clientDataJson, authenticatorData, signature } = authenticator.get(Buffer.from(challenge, 'base64url'), isVerified);
  return {
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: clientDataJson, authenticatorData, signature },
  };
}
