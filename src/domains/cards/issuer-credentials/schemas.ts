// Wire schemas of issuer credentials.
import Type, { type Static } from 'typebox';
import { Closed, Timestamp } from '../../../http/schemas.js';
import { invalidField } from '../../../kernel/errors.js';
import type { IssuerCredential } from './issuer-credential.js';
import { keyIdOf, parseFingerprint } from './rules.js';

export const IssuerCredentialCreateRequest = Closed(
  {
    program: Type.String({ maxLength: 64, description: 'A program of GET /sandbox/card-programs.' }),
    certificateSha256: Type.Optional(
      Type.String({
        maxLength: 95,
        description: 'SHA-256 fingerprint of a client certificate in hex. It is then the proof, and no secret is made.',
      }),
    ),
  },
  { title: 'IssuerCredentialCreateRequest' },
);

export const IssuerCredentialSchema = Type.Object(
  {
    id: Type.String(),
    program: Type.String(),
    keyId: Type.String({ description: 'Sent as `Issuer-Key-Id`.' }),
    secret: Type.Optional(Type.String({ description: 'Shown once, when the credential is created. Keys the `Issuer-Signature`.' })),
    certificateSha256: Type.Optional(Type.String()),
    createdAt: Timestamp(),
  },
  { title: 'IssuerCredential' },
);

export const IssuerCredentialList = Type.Object({ data: Type.Array(IssuerCredentialSchema) }, { title: 'IssuerCredentialList' });

export function parseCertificate({ certificateSha256: text }: Static<typeof IssuerCredentialCreateRequest>): Buffer | undefined {
  if (text === undefined) return undefined;
  const fingerprint = parseFingerprint(text);
  if (!fingerprint) throw invalidField('certificateSha256', 'must be a SHA-256 fingerprint in hex', { pattern: '^[0-9A-Fa-f]{64}$' });
  return fingerprint;
}

export const renderIssuerCredential = (credential: IssuerCredential, secret?: string) => ({
  id: credential.id,
  program: credential.program,
  keyId: keyIdOf(credential),
  ...(secret === undefined ? {} : { secret }),
  ...(credential.certificateSha256 ? { certificateSha256: credential.certificateSha256.toString('hex') } : {}),
  createdAt: credential.createdAt.toISOString(),
});
