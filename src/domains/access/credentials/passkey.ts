// WebAuthn: checks of a passkey at registration and sign-in. No I/O; trust does not depend on the attestation's certificates.
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Assertion, Attestation, Passkey } from './credential.js';

/** Imported with the first passkey, because the import takes a quarter of a second. */
const webauthn = () => import('@simplewebauthn/server');
const webauthnHelpers = () => import('@simplewebauthn/server/helpers');

/** The passkey of an attestation, or undefined when the attestation is not valid for this challenge. */
export async function verifyAttestation(challenge: string, attestation: Attestation): Promise<Passkey | undefined> {
  const origin = webOrigin(attestation.clientDataJson);
  if (!origin || !(await hasNoCertificates(attestation.attestationObject))) return undefined;
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { credentialId, clientDataJson, attestationObject } = attestation;
    const { registrationInfo: found } = await verifyRegistrationResponse({
      response: {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: clientDataJson, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin.origin,
      expectedRPID: possibleRpIds(origin.hostname),
      // Wallets request "preferred": presence is always required, user verification is the platform's choice.
      requireUserVerification: false,
    });
    if (found?.credential.id !== credentialId || found.rpID === undefined) return undefined;
    return { credentialId, publicKey: Buffer.from(found.credential.publicKey), counter: found.credential.counter, rpId: found.rpID };
  } catch {
    return undefined;
  }
}

/** The authenticator's new counter, or undefined when the assertion is not valid for this passkey and challenge. */
export async function verifyAssertion(passkey: Passkey, challenge: string, assertion: Assertion): Promise<number | undefined> {
  const origin = webOrigin(assertion.clientDataJson);
  if (!origin || !possibleRpIds(origin.hostname).includes(passkey.rpId) || assertion.credentialId !== passkey.credentialId)
    return undefined;
  const { credentialId, clientDataJson, authenticatorData, signature, userHandle } = assertion;
  const response: AuthenticationResponseJSON = {
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: clientDataJson, authenticatorData, signature, ...(userHandle === undefined ? {} : { userHandle }) },
  };
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      // The browser was given the UTF-8 bytes of the challenge.
      expectedChallenge: Buffer.from(challenge, 'utf8').toString('base64url'),
      expectedOrigin: origin.origin,
      expectedRPID: passkey.rpId,
      credential: { id: passkey.credentialId, publicKey: Uint8Array.from(passkey.publicKey), counter: passkey.counter },
      requireUserVerification: false,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

/** What the domain name system allows. A longer name has thousands of parents, each of which would be tried as an RP ID. */
const LONGEST_HOSTNAME = 253;

/** Browsers create passkeys on https pages, and on localhost for development. */
function webOrigin(clientDataJson: string): URL | undefined {
  try {
    const { origin }: { readonly origin?: unknown } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'));
    if (typeof origin !== 'string' || !URL.canParse(origin)) return undefined;
    const url = new URL(origin);
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost');
    return secure && url.origin === origin && url.hostname.length <= LONGEST_HOSTNAME ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A page may use its own host or a parent domain as RP ID. The hash that the authenticator signed shows which one it used. */
function possibleRpIds(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/**
 * Accepts only attestations without certificates: nothing here relies on certificates, and checking an unknown chain would fetch
 * revocation lists from addresses that the caller chose.
 */
export async function hasNoCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await webauthnHelpers();
  try {
    const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
    const format = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}
