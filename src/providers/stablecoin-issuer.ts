// The issuer of a platform's stablecoins: an outside provider that holds the fiat, mints tokens and burns them.
// Every call carries the platform's credentials at the provider. An order has an id of ours, which is the provider's idempotency key: the same
// order given twice is one order. An implementation throws `IssuerUnreachable` when it does not know whether the provider did what was asked.
import { ApiError } from '../kernel/errors.js';
import type { PlatformId } from '../kernel/ids.js';

export type IssuerCredentials = { readonly apiClientId: string; readonly apiClientSecret: string };

/** A provider account and the credentials that open it. */
export type IssuerAccount = {
  readonly platformId: PlatformId;
  readonly providerAccountId: string;
  readonly credentials: IssuerCredentials;
};

export const ISSUANCE_STATUSES = ['PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED', 'REJECTED', 'FAILED'] as const;
export type IssuanceStatus = (typeof ISSUANCE_STATUSES)[number];

export type TokenReference = {
  readonly providerTokenIdentifier: string;
  readonly networkTokenIdentifier: string;
  readonly network: 'SPARK';
};

/** How far the issuance of a token is, and when to ask again. Undefined: nothing more will happen. */
export type Issuance = { readonly issuanceStatus: IssuanceStatus; readonly checkAfterMs?: number | undefined };

export type Token = Issuance & {
  readonly name: string;
  readonly symbol: string;
  readonly baseCurrency: string;
  readonly decimals: number;
};

/** The provider does not take the credentials (any more). */
type Rejected = { readonly kind: 'CREDENTIALS_REJECTED' };

/** An account outside that money or tokens are sent to or debited from. */
export type OutsideAccount = { readonly id: string; readonly accountNumber?: string | undefined; readonly address?: string | undefined };

export type IssuerOrder = {
  /** Id of the operation, and the provider's idempotency key. */
  readonly id: string;
  readonly type: 'MINT' | 'BURN';
  readonly token: TokenReference & { readonly decimals: number };
  /** In the smallest unit of the token. */
  readonly amount: bigint;
  /** The same in cents of US dollars. */
  readonly cents: bigint;
  /** Where the fiat of a mint or the tokens of a burn come from. FUNDED: the payer sends them after the order. */
  readonly funding: 'FUNDED' | 'DEBIT' | 'PROVIDER_BALANCE';
  readonly rail: string;
  /** Ids of the accounts at both ends, as far as they are outside the service. */
  readonly sourceAccountId?: string | undefined;
  readonly destinationAccountId?: string | undefined;
  /** When the order was made, by the platform's clock. */
  readonly createdAt: Date;
};

export type FundingInstructions = Readonly<Record<string, string>>;

/** What the provider says of an order. FUNDING: it waits for the funds. QUEUED: they are there. */
export type OrderReport = {
  readonly stage: 'FUNDING' | 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  readonly failure?: 'PROVIDER_TRANSFER_FAILED' | 'PROVIDER_INSUFFICIENT_BALANCE' | undefined;
  /** When to ask again. Undefined: the provider expects no change by itself. */
  readonly checkAfterMs?: number | undefined;
};

export type StablecoinIssuer = {
  /** Which account the credentials open. The account may be left out if they open exactly one. */
  verify(
    credentials: IssuerCredentials,
    providerAccountId: string | undefined,
  ): Promise<{ readonly kind: 'VERIFIED'; readonly providerAccountId: string } | { readonly kind: 'REFUSED' | 'SEVERAL_ACCOUNTS' }>;
  findToken(
    account: IssuerAccount,
    token: TokenReference,
  ): Promise<{ readonly kind: 'FOUND'; readonly token: Token } | { readonly kind: 'UNKNOWN' } | Rejected>;
  /** `since`: when the token was registered. */
  followToken(account: IssuerAccount, token: TokenReference, times: { readonly since: Date; readonly now: Date }): Promise<Issuance>;
  /** Makes an outside account known to the provider. Repeating it is harmless. */
  linkAccount(account: IssuerAccount, outside: OutsideAccount): Promise<{ readonly kind: 'LINKED' | 'REFUSED' } | Rejected>;
  order(
    account: IssuerAccount,
    order: IssuerOrder,
  ): Promise<
    | { readonly kind: 'ACCEPTED'; readonly report: OrderReport; readonly fundingInstructions?: FundingInstructions | undefined }
    | { readonly kind: 'REFUSED' }
    | Rejected
  >;
  follow(account: IssuerAccount, orderId: string, now: Date): Promise<OrderReport>;
  /** Drops an order of which the service does not know whether it arrived. An order that never arrived is no error. */
  cancel(account: IssuerAccount, orderId: string): Promise<void>;
};

/** The provider could not be reached, did not answer in time, or failed. */
export class IssuerUnreachable extends Error {}

const notConnected = async (): Promise<never> => {
  throw new ApiError('STABLECOIN_PROVIDER_ERROR', undefined, { reason: 'No stablecoin issuer is connected.' });
};

/** A live installation connects an issuer of its own. */
export const noStablecoinIssuer: StablecoinIssuer = {
  verify: notConnected,
  findToken: notConnected,
  followToken: notConnected,
  linkAccount: notConnected,
  order: notConnected,
  follow: notConnected,
  cancel: notConnected,
};

/** Limits how long the issuer may take. */
export function withIssuerDeadline(issuer: StablecoinIssuer, deadlineMs: number): StablecoinIssuer {
  const limited =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new IssuerUnreachable(`no answer within ${deadlineMs} ms`)), deadlineMs);
      });
      try {
        return await Promise.race([call(...args), timeout]);
      } finally {
        clearTimeout(timer);
      }
    };
  return {
    verify: limited(issuer.verify),
    findToken: limited(issuer.findToken),
    followToken: limited(issuer.followToken),
    linkAccount: limited(issuer.linkAccount),
    order: limited(issuer.order),
    follow: limited(issuer.follow),
    cancel: limited(issuer.cancel),
  };
}
