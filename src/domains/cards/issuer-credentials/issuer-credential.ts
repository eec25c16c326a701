// Credentials with which the processor of a card issuer proves who it is. Each is for the cards of one program of a platform.
import type { Id, PlatformId } from '../../../kernel/ids.js';

export type IssuerCredentialId = Id<'IssuerCredential'>;

export type IssuerCredential = {
  readonly id: IssuerCredentialId;
  readonly platformId: PlatformId;
  readonly program: string;
  /** SHA-256 of the client certificate that is the proof; null where a shared secret is. */
  readonly certificateSha256: Buffer | null;
  readonly createdAt: Date;
};

/** A credential with what its proof is checked against. */
export type Expected = {
  /** Null where a certificate is the proof. */
  readonly secret: Buffer | null;
  readonly certificateSha256: Buffer | null;
};

/** What a request offers as proof. */
export type Offered = {
  readonly timestamp: string;
  readonly signature: string;
  readonly certificate: string;
  readonly body: Buffer;
};
