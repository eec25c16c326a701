import type { Logger } from 'pino';
import type { Db } from '../../../db/pool.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Messenger } from '../../../providers/messages.js';
import type { OidcIssuers } from '../../../providers/oidc.js';
import type { P256KeyPair } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import type { Mode } from '../../core/platform/platform.js';

export type CredentialDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly signer: WalletSigner;
  readonly issuers: OidcIssuers;
  readonly messengers: Readonly<Record<Mode, Messenger>>;
  /** Signs the bundles that clients encrypt to. */
  readonly quorumKey: () => P256KeyPair;
  readonly log: Pick<Logger, 'warn'>;
};
