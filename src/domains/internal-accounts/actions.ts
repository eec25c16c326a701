// Opening internal accounts and telling of their balances.
import type { Tx } from '../../db/pool.js';
import { type CustomerId, idOf, newUuid, type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { CurrencyCode } from '../../kernel/money.js';
import type { DepositProvider } from '../../providers/deposits.js';
import { insertAccount } from '../ledger/actions.js';
import type { Balance } from '../ledger/ledger.js';
import type { NewEvent } from '../webhooks/event.js';
import type { CardCapabilitiesFor, InternalAccount } from './internal-account.js';
import { ownAccountType } from './rules.js';
import { renderInternalAccount } from './schemas.js';
import { findOwnAccounts, insertInternalAccounts } from './store.js';

export { renderInternalAccount } from './schemas.js';
export { findInternalAccounts, findOwnAccounts, getInternalAccount, lockInternalAccount, saveInternalAccount } from './store.js';

/** The account with the balance that a move of money left on it. */
export const withBalance = (account: InternalAccount, { available, total }: Pick<Balance, 'available' | 'total'>): InternalAccount => ({
  ...account,
  available,
  total,
});

/** INTERNAL_ACCOUNT.BALANCE_UPDATED, to be queued in the transaction that moved the money. */
export const balanceUpdatedEvent = (account: InternalAccount, cardCapabilitiesFor: CardCapabilitiesFor): NewEvent => ({
  type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
  objectId: account.id,
  data: renderInternalAccount(account, cardCapabilitiesFor),
});

export type NewHolder = {
  readonly platformId: PlatformId;
  /** Null: the platform itself. */
  readonly customerId: CustomerId | null;
  readonly currencies: readonly CurrencyCode[];
  readonly cardProgram: string;
  readonly now: Date;
};

/** Opens the holder's own account in every currency it has none in yet; answers the accounts opened. */
export async function openOwnAccounts(tx: Tx, deposits: DepositProvider, holder: NewHolder): Promise<InternalAccount[]> {
  const { platformId, customerId, currencies, now } = holder;
  const existing = new Set((await findOwnAccounts(tx, platformId, customerId)).map(({ currency }) => currency));

  const accounts = currencies
    .filter((currency) => !existing.has(currency))
    .map((currency): InternalAccount => {
      const accountUuid = newUuid();
      const type = ownAccountType(currency, customerId);
      return {
        id: idOf('InternalAccount', accountUuid),
        customerId,
        type,
        status: 'ACTIVE',
        currency,
        available: 0n,
        total: 0n,
        onBehalfOfCustomerId: null,
        label: null,
        sweepRule: null,
        privateEnabled: type === 'EMBEDDED_WALLET' ? false : null,
        fundingInstructions: deposits.instructionsFor({ accountUuid, currency }),
        cardProgram: holder.cardProgram,
        createdAt: now,
        updatedAt: now,
      };
    });

  await insertAccounts(tx, platformId, accounts);
  return accounts;
}

/** The ledger account of an internal account has its id. Sent together: the statements do not wait for each other's answers. */
async function insertAccounts(tx: Tx, platformId: PlatformId, accounts: readonly InternalAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  await Promise.all([
    ...accounts.map(({ id, customerId, currency }) =>
      insertAccount(tx, platformId, { id: uuidOf(id), kind: customerId === null ? 'PLATFORM' : 'CUSTOMER', currency }),
    ),
    insertInternalAccounts(tx, platformId, accounts),
  ]);
}
