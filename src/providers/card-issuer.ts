// The card issuer makes cards and knows their numbers and PINs. The service stores references, a brand and four digits only.
import { ApiError } from '../kernel/errors.js';
import type { CardId, InternalAccountId, PlatformId } from '../kernel/ids.js';

export type CardIssuer = {
  /** Makes a card. A repeated order of the same card returns the first one. */
  order(order: CardOrder, now: Date): Promise<OrderOutcome>;
  /** Makes a change completely or not at all. An instruction states the new state of the card, so it may be repeated. */
  instruct(instruction: CardInstruction): Promise<void>;
  /** The block is encrypted to the issuer; the service cannot open it. */
  setPin(card: IssuedCard, encryptedPinBlock: string): Promise<void>;
  unblockPin(card: IssuedCard): Promise<void>;
  tokenize(card: IssuedCard, request: TokenizationRequest): Promise<TokenizationPayload>;
  /** A short-lived page that shows the cardholder number, expiry and security code. */
  openDetailsPage(visit: PageVisit & { readonly cssUrl: string | null }, now: Date): Promise<IssuerPage>;
  /** A short-lived page on which the cardholder chooses a PIN. It posts messages to the window of `targetOrigin` only. */
  openPinPage(visit: PageVisit & { readonly targetOrigin: string }, now: Date): Promise<IssuerPage & { readonly sessionToken: string }>;
};

/** What an issuer knows of a card; the id is the reference of both sides. */
export type IssuedCard = { readonly id: CardId; readonly program: string; readonly version: number };

/** What the issuer returns once it has made the card. */
export type CardDetails = {
  readonly brand: 'VISA' | 'MASTERCARD';
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly processorRef: string;
  readonly issuerRef: string;
};

export type CardOrder = {
  readonly card: IssuedCard;
  readonly brand: CardDetails['brand'];
  readonly needsPassword: boolean;
  /** Passed on and not stored, so a repeated order does not have it. */
  readonly threeDSecurePassword?: string;
  /** An earlier order of this card got no answer: it may or may not have arrived. */
  readonly repeated: boolean;
  /** When the card was first ordered, by the platform's clock. */
  readonly orderedAt: Date;
};

/** Amounts are in the smallest unit of the card's currency. Null means no card-specific limit. */
export type CardLimits = {
  readonly maxSpendPerTransaction: bigint | null;
  readonly maxSpendPerDay: bigint | null;
  readonly maxTransactionsPerDay: number | null;
};

export type CardInstruction = {
  readonly card: IssuedCard;
  readonly status?: { readonly to: 'ACTIVE' | 'FROZEN' | 'CLOSED'; readonly substatus: string; readonly reason: string };
  readonly limits?: CardLimits;
  readonly fundingAccountId?: InternalAccountId;
  readonly threeDSecurePassword?: string;
  /** Given after the change was committed: no request waits for the outcome. */
  readonly isAfterwards?: boolean;
};

/** What a phone's wallet sends to add a card. */
export type TokenizationRequest =
  | { readonly wallet: 'APPLE_PAY'; readonly certificate: string; readonly nonce: string; readonly nonceSignature: string }
  | {
      readonly wallet: 'GOOGLE_PAY';
      readonly walletAccountId: string;
      readonly serverSessionId: string;
      readonly deviceId?: string;
      readonly opaquePaymentCardRequested?: boolean;
    }
  | { readonly wallet: 'SAMSUNG_PAY'; readonly walletAccountId: string; readonly deviceId: string };

/** What the issuer returns for the wallet; opaque to the service. */
export type TokenizationPayload =
  | {
      readonly wallet: 'APPLE_PAY';
      readonly applePay: { readonly activationData: string; readonly encryptedPassData: string; readonly ephemeralPublicKey: string };
    }
  | { readonly wallet: 'GOOGLE_PAY'; readonly provisioningPayload: string; readonly googleAccountPayload?: string }
  | { readonly wallet: 'SAMSUNG_PAY'; readonly provisioningPayload: string };

export type OrderOutcome = { readonly kind: 'MADE'; readonly details: CardDetails } | { readonly kind: 'REJECTED' };
/** `serviceUrl` is the address under which the caller reaches this service. */
export type PageVisit = { readonly platformId: PlatformId; readonly card: IssuedCard; readonly serviceUrl: string };
export type IssuerPage = { readonly url: string; readonly expiresAt: Date };

/** The issuer refused. Nothing has changed there. */
export class IssuerRefused extends Error {}

/** The issuer did not answer in time. The requested change may or may not have happened. */
export class IssuerSilent extends Error {}

const refuse = async (): Promise<never> => {
  throw new ApiError('NOT_IMPLEMENTED', { cause: 'NO_CARD_ISSUER' });
};

/** An installation without an issuer. */
export const noCardIssuer: CardIssuer = {
  order: refuse,
  instruct: refuse,
  setPin: refuse,
  unblockPin: refuse,
  tokenize: refuse,
  openDetailsPage: refuse,
  openPinPage: refuse,
};

/** Limits how long an issuer may take: callers wait for it with a card locked. */
export function withDeadline(issuer: CardIssuer, deadlineMs: number): CardIssuer {
  const limited =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new IssuerSilent(`no answer within ${deadlineMs} ms`)), deadlineMs);
      });
      try {
        return await Promise.race([call(...args), timeout]);
      } finally {
        clearTimeout(timer);
      }
    };
  return {
    order: limited(issuer.order),
    instruct: limited(issuer.instruct),
    setPin: limited(issuer.setPin),
    unblockPin: limited(issuer.unblockPin),
    tokenize: limited(issuer.tokenize),
    openDetailsPage: limited(issuer.openDetailsPage),
    openPinPage: limited(issuer.openPinPage),
  };
}
