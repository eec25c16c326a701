// Transfers into the service: a debit of an external account of the holder, credited when it has settled.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { findExternalAccount } from '../../accounts/external-accounts/actions.js';
import { getInternalAccount, lockAgainstClosing } from '../../accounts/internal-accounts/actions.js';
import { getPlatform } from '../../core/platform/actions.js';
import { shareCustomer } from '../../identity/customers/actions.js';
import { insertPayment, type PaymentDeps, startCollection } from '../payments/actions.js';
import type { IncomingPayment } from '../payments/payment.js';
import { type DebitFacts, newDebit, refuseDebit } from './rules.js';

export type TransferIn = {
  readonly platformId: PlatformId;
  readonly sourceId: string;
  readonly destinationId: string;
  readonly amount: bigint;
  readonly now: Date;
};

/** No webhook asks or tells before the bank has the debit: a PENDING incoming payment would ask the platform for a decision. */
export async function transferIn(deps: PaymentDeps, tx: Tx, transfer: TransferIn): Promise<IncomingPayment> {
  const { platformId, amount, now } = transfer;
  const facts = await gather(tx, transfer);

  refuseDebit(facts);
  const debit = newDebit({ ...facts, id: newId('Transaction'), platformId, amount, now });

  const started = await startCollection(deps, tx, platformId, debit, now);
  insertPayment(tx, platformId, started);
  return started;
}

/** The customer is locked before the account is, so the account is read twice. */
async function gather(tx: Tx, { platformId, sourceId, destinationId }: TransferIn): Promise<DebitFacts> {
  const externalId = parseId('ExternalAccount', sourceId);
  const source = externalId && (await findExternalAccount(tx, platformId, externalId));
  if (!source || source.isDeleted) throw new ApiError('ACCOUNT_NOT_FOUND');
  const named = await getInternalAccount(tx, platformId, parseId('InternalAccount', destinationId));
  const customer = named.customerId === null ? null : await shareCustomer(tx, platformId, named.customerId);
  const destination = (await lockAgainstClosing(tx, platformId, [named.id])).get(named.id);
  if (!destination) throw new ApiError('ACCOUNT_NOT_FOUND');
  return { platform: await getPlatform(tx, platformId), source: source.account, destination, customer };
}
