// The party that makes cards and knows their numbers and PINs. We hold references, a brand and four digits; the rest stays behind this interface.
import { ApiError } from '../kernel/errors.js';
import type { CardId, InternalAccountId, PlatformId } from '../kernel/ids.js';

export type CardIssuer = {
  /** Makes a card. Repeating an order of the same card finds the first one. */
  order(order: CardOrder, now: Date): Promise<OrderOutcome>;
  /** Carries a change out, all of it or none. An instruction says how the card shall be, so it may be repeated. */
  instruct(instruction: CardInstruction): Promise<void>;
  /** The block is encrypted to the issuer; we cannot open it. */
  setPin(card: IssuedCard, encryptedPinBlock: string): Promise<void>;
  unblockPin(card: IssuedCard): Promise<void>;
  tokenize(card: IssuedCard, request: TokenizationRequest): Promise<TokenizationPayload>;
  /** A short-lived page that shows the cardholder number, expiry and security code. */
  openDetailsPage(visit: PageVisit & { readonly cssUrl: string | null }, now: Date): Promise<IssuerPage>;
  /** A short-lived page on which the cardholder chooses a PIN; it talks to the window of `targetOrigin` only. */
  openPinPage(visit: PageVisit & { readonly targetOrigin: string }, now: Date): Promise<IssuerPage & { readonly sessionToken: string }>;
};

/** A card as far as an issuer is told of it; the id is the reference both sides use. */
export type IssuedCard = { readonly id: CardId; readonly program: string; readonly version: number };

/** What the issuer tells once it has made the card. */
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
  /** Passes through; whoever repeats an order no longer has it. */
  readonly threeDSecurePassword?: string;
  /** An earlier order of this card was not answered: it may or may not have arrived. */
  readonly repeated: boolean;
};

/** In the smallest unit of the card's currency, the count apart; null is no card-specific limit. */
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
};

/** What a wallet on a phone shows to be given a card. */
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

/** What the issuer gives the wallet; opaque to us. */
export type TokenizationPayload =
  | {
      readonly wallet: 'APPLE_PAY';
      readonly applePay: { readonly activationData: string; readonly encryptedPassData: string; readonly ephemeralPublicKey: string };
    }
  | { readonly wallet: 'GOOGLE_PAY'; readonly provisioningPayload: string; readonly googleAccountPayload?: string }
  | { readonly wallet: 'SAMSUNG_PAY'; readonly provisioningPayload: string };

export type OrderOutcome = { readonly kind: 'MADE'; readonly details: CardDetails } | { readonly kind: 'REJECTED' };
/** `serviceUrl` is where the caller reaches this service. */
export type PageVisit = { readonly platformId: PlatformId; readonly card: IssuedCard; readonly serviceUrl: string };
export type IssuerPage = { readonly url: string; readonly expiresAt: Date };

/** The issuer understood and will not. Nothing has changed there. */
export class IssuerRefused extends Error {}

/** The issuer did not answer in time. What was asked may or may not have happened. */
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

/** An issuer that answers within the deadline or counts as silent: callers wait for it with a card locked. */
export function withDeadline(issuer: CardIssuer, deadlineMs: number): CardIssuer {
  const inTime =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new IssuerSilent(`no answer within ${deadlineMs} ms`)), deadlineMs);
      });
      try {
        return await Promise.race([call(...args), late]);
      } finally {
        clearTimeout(timer);
      }
    };
  return {
    order: inTime(issuer.order),
    instruct: inTime(issuer.instruct),
    setPin: inTime(issuer.setPin),
    unblockPin: inTime(issuer.unblockPin),
    tokenize: inTime(issuer.tokenize),
    openDetailsPage: inTime(issuer.openDetailsPage),
    openPinPage: inTime(issuer.openPinPage),
  };
}
