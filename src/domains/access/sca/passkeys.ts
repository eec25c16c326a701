// WebAuthn: the options for the browser, and checks of what the browser returned. User verification is always required. No I/O.
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { type CustomerId, uuidOf } from '../../../kernel/ids.js';
import { hasNoCertificates } from '../credentials/actions.js';
import type { Passkey, RelyingParty } from './sca.js';

/** Imported with the first passkey, because the import takes a quarter of a second. */
const webauthn = () => import('@simplewebauthn/server');

const ES256 = -7;
const RS256 = -257;

export type PasskeyOwner = { readonly id: CustomerId; readonly name: string };

export async function creationOptions(
  party: RelyingParty,
  owner: PasskeyOwner,
  challenge: Buffer,
  lifeMs: number,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: Uint8Array.from(Buffer.from(uuidOf(owner.id).replaceAll('-', ''), 'hex')),
    userName: owner.name,
    userDisplayName: owner.name,
    challenge: Uint8Array.from(challenge),
    timeout: lifeMs,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: [ES256, RS256],
  });
}

export async function assertionOptions(
  passkey: Passkey,
  challenge: Buffer,
  lifeMs: number,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: passkey.rpId,
    challenge: Uint8Array.from(challenge),
    timeout: lifeMs,
    userVerification: 'required',
    allowCredentials: [{ id: passkey.credentialId }],
  });
}

type Presented = Readonly<Record<string, unknown>>;

const textIn = (holder: unknown, name: string): string | undefined => {
  const value = typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** The id of a browser's answer and the object with the signed texts; undefined when it is no answer of a passkey. Other fields are ignored. */
function readPresented(presented: Presented): { readonly id: string; readonly response: unknown } | undefined {
  const id = textIn(presented, 'id');
  if (id === undefined || textIn(presented, 'type') !== 'public-key' || (textIn(presented, 'rawId') ?? id) !== id) return undefined;
  return { id, response: presented['response'] };
}

/** The passkey that the browser created for this challenge on this page; undefined when it is not valid. */
export async function verifyCreation(
  party: RelyingParty,
  challenge: Buffer,
  presented: Presented,
  origin: string,
): Promise<Passkey | undefined> {
  const read = readPresented(presented);
  const clientDataJSON = textIn(read?.response, 'clientDataJSON');
  const attestationObject = textIn(read?.response, 'attestationObject');
  if (!read || clientDataJSON === undefined || attestationObject === undefined) return undefined;
  if (!party.origins.includes(origin) || !(await hasNoCertificates(attestationObject))) return undefined;
  const { id } = read;
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo: found } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [ES256, RS256],
    });
    if (!verified || found?.credential.id !== id) return undefined;
    const { publicKey, counter } = found.credential;
    return { credentialId: id, publicKey: Buffer.from(publicKey), counter, rpId: party.id };
  } catch {
    return undefined;
  }
}

/** The authenticator's new counter; undefined when the assertion is not valid for this passkey, challenge and page. */
export async function verifyAssertion(
  party: RelyingParty,
  passkey: Passkey,
  challenge: Buffer,
  presented: Presented,
  origin: string,
): Promise<number | undefined> {
  const read = readPresented(presented);
  const clientDataJSON = textIn(read?.response, 'clientDataJSON');
  const authenticatorData = textIn(read?.response, 'authenticatorData');
  const signature = textIn(read?.response, 'signature');
  if (!read || clientDataJSON === undefined || authenticatorData === undefined || signature === undefined) return undefined;
  if (!party.origins.includes(origin) || read.id !== passkey.credentialId) return undefined;
  const { id } = read;
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: passkey.rpId,
      // A counter that does not grow is refused, unless the authenticator always sends zero.
      credential: { id, publicKey: Uint8Array.from(passkey.publicKey), counter: passkey.counter },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
