// Builders of quotes through the API.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Db } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { type Client, expectStatus } from './client.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;
type Fields = Record<string, unknown>;

const digits = (length: number): string => Array.from({ length }, () => randomInt(10)).join('');

const PERSON = { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', birthDate: '1990-12-09', countryOfResidence: 'DE' };

export const quoting = (platform: Client) => {
  const build = given(platform);

  const external = (owner: Resource | undefined, currency: string, accountInfo: Fields, fields: Fields = {}): Promise<Resource> =>
    expectStatus(
      201,
      platform.post(`/${owner ? 'customers' : 'platform'}/external-accounts`, {
        ...(owner && { customerId: owner.id }),
        currency,
        accountInfo,
        ...fields,
      }),
    );

  return {
    ...build,
    /** The platform sends and receives these currencies. */
    currencies: (...codes: string[]): Promise<Resource> =>
      expectStatus(
        200,
        platform.patch('/config', {
          supportedCurrencies: codes.map((currencyCode) => ({
            currencyCode,
            minAmount: 1,
            maxAmount: 100_000_000_000_000,
            requiredCounterpartyFields: [],
            enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
          })),
        }),
      ),
    platformAccount: async (currency: string): Promise<Resource> =>
      (await expectStatus(200, platform.get(`/platform/internal-accounts?currency=${currency}`))).data[0],
    external,
    /** A bank account in EUR whose last three characters choose what the sandbox does. */
    eur: (owner: Resource | undefined, ending = '999', fields: Fields = {}): Promise<Resource> =>
      external(owner, 'EUR', { accountType: 'EUR_ACCOUNT', iban: `DE89${digits(15)}${ending}`, beneficiary: PERSON }, fields),
    usd: (owner: Resource | undefined, ending = '999', fields: Fields = {}): Promise<Resource> =>
      external(
        owner,
        'USD',
        {
          accountType: 'USD_ACCOUNT',
          accountNumber: `${digits(9)}${ending}`,
          routingNumber: '021000021',
          bankAccountType: 'CHECKING',
          beneficiary: PERSON,
        },
        fields,
      ),

    /** The body of a quote between two accounts. */
    request: (source: Resource, destination: Resource, amount: number, fields: Fields = {}): Fields => ({
      source: { sourceType: 'ACCOUNT', accountId: source.id },
      destination: { destinationType: 'ACCOUNT', accountId: destination.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
      ...fields,
    }),
    quote: (body: Fields): Promise<Resource> => expectStatus(200, platform.post('/quotes', body)),
    execute: (quote: Resource): Promise<Resource> => expectStatus(200, platform.post(`/quotes/${quote.id}/execute`)),
    getQuote: (quote: Resource): Promise<Resource> => expectStatus(200, platform.get(`/quotes/${quote.id}`)),
    transaction: (quote: Resource): Promise<Resource> => expectStatus(200, platform.get(`/transactions/${quote.transactionId}`)),
    balance: async (account: Resource): Promise<number> => {
      const path =
        account.customerId === undefined ? '/platform/internal-accounts' : `/customers/internal-accounts?customerId=${account.customerId}`;
      const { data } = await expectStatus(200, platform.get(path));
      const found = data.find(({ id }: Resource) => id === account.id);
      assert.equal(found.balance.amount, found.totalBalance.amount);
      return found.balance.amount;
    },
    /** Does everything that is due now. */
    settle: async (): Promise<void> => void (await platform.clock.advance(0)),
  };
};

/** The types of an object's events, in order. */
export const eventsOf = async (db: Db, objectId: string): Promise<string[]> =>
  (await db.many<{ type: string }>(sql`select type from webhook_events where object_id = ${objectId} order by sequence`)).map(
    ({ type }) => type.split('.')[1] ?? type,
  );
