// Quotes of agents: as the platform's, between accounts of the agent's customer that the policy allows.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { type AgentId, type CustomerId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { findExternalAccount } from '../../accounts/external-accounts/actions.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { agreeBefore, createQuote, type QuoteDeps, readQuote } from '../../payments/quotes/actions.js';
import type { Quote, QuoteDestination, QuoteId, QuoteSource, ReadQuote } from '../../payments/quotes/quote.js';
import { getCaller, readPolicy } from '../agents/actions.js';
import { refuseAccounts, refuseOutsidePolicy } from './rules.js';

type Creation = Parameters<typeof createQuote>[2] & { readonly agentId: AgentId; readonly customerId: CustomerId };

export async function createQuoteForAgent(deps: QuoteDeps, tx: Tx, creation: Creation): Promise<Quote> {
  await refuseRequest(tx, creation);
  return (await createQuote(deps, tx, creation)).quote;
}

/** As `agreeBefore`, of a payment that the agent may ask for. */
export async function agreeBeforeForAgent(deps: QuoteDeps & { readonly db: Db }, creation: Creation): ReturnType<typeof agreeBefore> {
  await deps.db.transaction((tx) => refuseRequest(tx, creation));
  return agreeBefore(deps, creation);
}

async function refuseRequest(tx: Tx, { platformId, agentId, customerId, request }: Creation): Promise<void> {
  refuseOutsidePolicy(request);
  const agent = await getCaller(tx, platformId, agentId);
  const ends = namedBy(request);
  if (request.source.customerId !== undefined && request.source.customerId !== customerId) throw new ApiError('CUSTOMER_NOT_FOUND');
  for (const id of [ends.source, ends.destination]) {
    if (id !== undefined && !(await isOwn(tx, platformId, customerId, id))) throw new ApiError('ACCOUNT_NOT_FOUND');
  }
  refuseAccounts(readPolicy(agent.policy), ends);
}

const namedBy = ({ source, destination }: { readonly source: QuoteSource; readonly destination: QuoteDestination }) => ({
  source: source.sourceType === 'ACCOUNT' ? source.accountId : undefined,
  destination: destination.destinationType === 'ACCOUNT' ? destination.accountId : undefined,
});

/** Accounts of other customers and of the platform answer like unknown ones. */
async function isOwn(tx: Tx, platformId: PlatformId, customerId: CustomerId, text: string): Promise<boolean> {
  const internal = parseId('InternalAccount', text);
  if (internal) return (await findInternalAccounts(tx, platformId, [internal])).some((account) => account.customerId === customerId);
  const external = parseId('ExternalAccount', text);
  const found = external && (await findExternalAccount(tx, platformId, external));
  return found !== undefined && !found.isDeleted && found.account.customerId === customerId;
}

/** A quote of another agent, or of nobody, is not found. */
export async function readQuoteOfAgent(
  deps: QuoteDeps,
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  agentId: AgentId,
  id: QuoteId | undefined,
  now: Date,
): Promise<ReadQuote> {
  const read = await readQuote(deps, tx, platformId, id, now);
  if (read.quote.payment.agentId !== agentId) throw new ApiError('QUOTE_NOT_FOUND');
  return read;
}
