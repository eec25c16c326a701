// The modules of the service in dependency order: a domain imports only domains above it.
// A later domain that an earlier one must call listens to one of its hooks.
import { credentials } from './domains/access/credentials/module.js';
import { delegatedKeys } from './domains/access/delegated-keys/module.js';
import { sca } from './domains/access/sca/module.js';
import { sessions } from './domains/access/sessions/module.js';
import { signedRequests } from './domains/access/signed-requests/module.js';
import { wallets } from './domains/access/wallets/module.js';
import { externalAccounts } from './domains/accounts/external-accounts/module.js';
import { internalAccounts } from './domains/accounts/internal-accounts/module.js';
import { statements } from './domains/accounts/statements/module.js';
import { agentActions } from './domains/agents/agent-actions/module.js';
import { agents } from './domains/agents/agents/module.js';
import { authorizations } from './domains/cards/authorizations/module.js';
import { cards } from './domains/cards/cards/module.js';
import { disputes } from './domains/cards/disputes/module.js';
import { issuerCredentials } from './domains/cards/issuer-credentials/module.js';
import { networkMessages } from './domains/cards/network-messages/module.js';
import { consoleSessions } from './domains/core/console/module.js';
import { messages } from './domains/core/messages/module.js';
import { platform } from './domains/core/platform/module.js';
import { requests } from './domains/core/requests/module.js';
import { search } from './domains/core/search/module.js';
import { webhooks } from './domains/core/webhooks/module.js';
import { agreements } from './domains/identity/agreements/module.js';
import { contacts } from './domains/identity/contacts/module.js';
import { customers } from './domains/identity/customers/module.js';
import { documents } from './domains/identity/documents/module.js';
import { imports } from './domains/identity/imports/module.js';
import { invitations } from './domains/identity/invitations/module.js';
import { verifications } from './domains/identity/verifications/module.js';
import { ledger } from './domains/ledger/module.js';
import { discoveries } from './domains/payments/discoveries/module.js';
import { paymentDocuments } from './domains/payments/payment-documents/module.js';
import { payments } from './domains/payments/payments/module.js';
import { quoteAuthorizations } from './domains/payments/quote-authorizations/module.js';
import { quotes } from './domains/payments/quotes/module.js';
import { rates } from './domains/payments/rates/module.js';
import { receivers } from './domains/payments/receivers/module.js';
import { stablecoins } from './domains/payments/stablecoins/module.js';
import { transactions } from './domains/payments/transactions/module.js';
import { transfers } from './domains/payments/transfers/module.js';
import { uma } from './domains/payments/uma/module.js';
import { sandbox } from './domains/sandbox/module.js';
import type { Module } from './module.js';

export const MODULES: readonly Module[] = [
  ledger,
  webhooks,
  platform,
  requests,
  consoleSessions,
  search,
  messages,
  customers,
  contacts,
  verifications,
  documents,
  agreements,
  imports,
  invitations,
  internalAccounts,
  externalAccounts,
  statements,
  signedRequests,
  sessions,
  credentials,
  wallets,
  delegatedKeys,
  sca,
  cards,
  issuerCredentials,
  authorizations,
  disputes,
  networkMessages,
  rates,
  discoveries,
  payments,
  paymentDocuments,
  uma,
  receivers,
  quotes,
  quoteAuthorizations,
  transactions,
  stablecoins,
  transfers,
  agents,
  agentActions,
  sandbox,
];
