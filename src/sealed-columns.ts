// Every column that is sealed under the key-encryption key, in one list. A test holds it to the schema.
import type { SealedColumn } from './db/sealed.js';
import { otpTargetContext } from './domains/access/credentials/actions.js';
import { privateKeyContext } from './domains/access/delegated-keys/actions.js';
import { totpSecretContext } from './domains/access/sca/actions.js';
import { issuerSecretContext } from './domains/cards/issuer-credentials/actions.js';
import { messageContext } from './domains/core/messages/actions.js';
import { secretContext } from './domains/core/platform/actions.js';
import { contextOf as signingKeyContext } from './domains/core/webhooks/signing-keys.js';
import { identifierContext } from './domains/identity/customers/actions.js';
import { documentNumberContext } from './domains/identity/documents/actions.js';
import { ownerIdentifierContext } from './domains/identity/verifications/actions.js';
import { credentialsContext } from './domains/payments/stablecoins/actions.js';
import { encryptionKeyContext, signingKeyContext as umaSigningKeyContext } from './domains/payments/uma/actions.js';
import { stepAnswerContext } from './domains/sandbox/fixture-store.js';
import { answerContext } from './http/idempotency.js';
import { type Id, idOf } from './kernel/ids.js';
import { fileKeyContext } from './providers/files/files.js';
import { recoveryPhraseContext } from './providers/wallet-signer/signer.js';

const id = <Kind extends string>(kind: Kind, value: unknown): Id<Kind> => idOf(kind, String(value));

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'uma_keys',
    column: 'signing_key_sealed',
    keys: ['platform_id'],
    context: (row) => umaSigningKeyContext(id('Platform', row['platform_id'])),
  },
  {
    table: 'uma_keys',
    column: 'encryption_key_sealed',
    keys: ['platform_id'],
    context: (row) => encryptionKeyContext(id('Platform', row['platform_id'])),
  },
  { table: 'service_secrets', column: 'sealed', keys: ['name'], context: (row) => secretContext(String(row['name'])) },
  {
    table: 'customers',
    column: 'identifier_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => identifierContext(id('Platform', row['platform_id']), id('Customer', row['id'])),
  },
  {
    table: 'beneficial_owners',
    column: 'identifier_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => ownerIdentifierContext(id('Platform', row['platform_id']), id('BeneficialOwner', row['id'])),
  },
  {
    table: 'idempotency_keys',
    column: 'answer_sealed',
    keys: ['platform_id', 'key'],
    context: (row) => answerContext(id('Platform', row['platform_id']), String(row['key'])),
  },
  {
    table: 'sandbox_fixture_steps',
    column: 'answer_sealed',
    keys: ['platform_id', 'fixture', 'step'],
    context: (row) => stepAnswerContext(id('Platform', row['platform_id']), String(row['fixture']), String(row['step'])),
  },
  {
    table: 'webhook_signing_keys',
    column: 'sealed',
    keys: ['platform_id', 'id'],
    context: (row) => signingKeyContext(id('Platform', row['platform_id']), id('WebhookSigningKey', row['id'])),
  },
  {
    table: 'otp_challenges',
    column: 'target_sealed',
    keys: ['platform_id', 'credential_id'],
    context: (row) => otpTargetContext(id('Platform', row['platform_id']), id('AuthMethod', row['credential_id'])),
  },
  {
    table: 'signed_requests',
    column: 'secret_sealed',
    keys: ['platform_id', 'id'],
    reads: ['account_id', 'facts'],
    // The private key of a delegated key that is being created; its id is in the facts.
    context: (row) =>
      privateKeyContext(id('Platform', row['platform_id']), {
        id: (row['facts'] as { id: Id<'DelegatedKey'> }).id,
        accountId: id('InternalAccount', row['account_id']),
      }),
  },
  {
    table: 'delegated_keys',
    column: 'private_key_sealed',
    keys: ['platform_id', 'id'],
    reads: ['account_id'],
    context: (row) =>
      privateKeyContext(id('Platform', row['platform_id']), {
        id: id('DelegatedKey', row['id']),
        accountId: id('InternalAccount', row['account_id']),
      }),
  },
  ...['sca_factors', 'sca_enrollments'].map(
    (table): SealedColumn => ({
      table,
      column: 'totp_secret_sealed',
      keys: ['platform_id', 'customer_id', 'type'],
      context: (row) => totpSecretContext(id('Platform', row['platform_id']), id('Customer', row['customer_id'])),
    }),
  ),
  {
    table: 'issuer_credentials',
    column: 'secret_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => issuerSecretContext({ platformId: id('Platform', row['platform_id']), id: id('IssuerCredential', row['id']) }),
  },
  {
    table: 'stablecoin_provider_accounts',
    column: 'credentials_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => credentialsContext(id('Platform', row['platform_id']), id('StablecoinProviderAccount', row['id'])),
  },
  {
    table: 'wallets',
    column: 'recovery_phrase_sealed',
    keys: ['platform_id', 'account_id'],
    context: (row) =>
      recoveryPhraseContext({ platformId: id('Platform', row['platform_id']), accountId: id('InternalAccount', row['account_id']) }),
  },
  {
    table: 'messages',
    column: 'text_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => messageContext(id('Platform', row['platform_id']), id('Message', row['id'])),
  },
  {
    table: 'documents',
    column: 'document_number_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => documentNumberContext(id('Platform', row['platform_id']), id('Document', row['id'])),
  },
  {
    table: 'stored_files',
    column: 'key_sealed',
    keys: ['platform_id', 'id'],
    context: (row) => fileKeyContext(id('Platform', row['platform_id']), id('File', row['id'])),
  },
];
