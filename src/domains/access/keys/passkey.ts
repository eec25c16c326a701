// WebAuthn: what a browser's passkey must show at registration and at sign-in. Pure; the attestation is not a source of trust here.
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';

/** Read when the first passkey comes: a service without any starts a quarter of a second sooner. */
const webauthn = () => import('@simplewebauthn/server');
const webauthnHelpers = () => import('@simplewebauthn/server/helpers');

export type Passkey = { readonly credentialId: string; readonly publicKey: Buffer; readonly counter: number; readonly rpId: string };
export type Attestation = { readonly credentialId: string; readonly clientDataJson: string; readonly attestationObject: string };
export type Assertion = {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
};

/** The passkey an attestation brings, or undefined when it does not hold for this challenge. */
export async function verifyAttestation(challenge: string, attestation: Attestation): Promise<Passkey | undefined> {
  const origin = webOrigin(attestation.clientDataJson);
  if (!origin || !(await isTrustFree(attestation.attestationObject))) return undefined;
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
      // "preferred" is what wallets ask of authenticators: presence is always required, verification is the platform's choice.
      requireUserVerification: false,
    });
    if (found?.credential.id !== credentialId || found.rpID === undefined) return undefined;
    return { credentialId, publicKey: Buffer.from(found.credential.publicKey), counter: found.credential.counter, rpId: found.rpID };
  } catch {
    return undefined;
  }
}

/** The authenticator's new counter, or undefined when the assertion does not hold for this passkey and challenge. */
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
      // The challenge is a text; its UTF-8 bytes are what the browser was given.
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

/** Browsers make passkeys on https pages, and on localhost for development. */
function webOrigin(clientDataJson: string): URL | undefined {
  try {
    const { origin } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as { origin?: unknown };
    if (typeof origin !== 'string' || !URL.canParse(origin)) return undefined;
    const url = new URL(origin);
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost');
    return secure && url.origin === origin ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A page may use its own host or a parent of it as RP ID; which one it was shows in the hash the authenticator signed. */
function possibleRpIds(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/**
 * Only attestations that carry no certificates: nobody here relies on them, and checking a stranger's chain would fetch
 * revocation lists from addresses the stranger chose.
 */
async function isTrustFree(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await webauthnHelpers();
  try {
    const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
    const format = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}
