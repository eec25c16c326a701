// What every method of the client takes and gives.

/** Asked once per signature of an operation that the end user signs; answers the value of `Service-Wallet-Signature`. */
export type Sign = (payloadToSign: string, challenge: SigningChallenge) => string | Promise<string>;

/** What a 202 asks the end user to sign. Further members depend on the operation. */
export type SigningChallenge = {
  readonly payloadToSign: string;
  readonly requestId: string;
  readonly expiresAt?: string;
  readonly [member: string]: unknown;
};

export type CallOptions = {
  /** Ends the call, its retries and its waiting. */
  readonly signal?: AbortSignal;
  /** For each attempt; 30,000 unless the client was made with another. */
  readonly timeoutMs?: number;
  /** Repetitions after a failure that may pass; 2 unless the client was made with another number. */
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export type KeyOptions = CallOptions & {
  /** Repeats with the same key are executed once. Without it the client makes one for each call. */
  readonly idempotencyKey?: string;
};

export type SignedOptions = CallOptions & {
  /** Without it a call that needs a signature throws `SignatureRequired`. */
  readonly sign?: Sign;
};

export type StreamOptions = Pick<CallOptions, 'signal' | 'headers'>;

/** Bytes of an upload. A `File` brings its name and type. */
export type FilePart = Blob | Uint8Array;

type Listed = { readonly data?: readonly unknown[] };
type ItemOf<Page extends Listed> = NonNullable<Page['data']>[number];

/** A list: `await` gives one page, `for await` every item of every page, `all` an array. */
export type Pages<Page extends Listed> = Promise<Page> &
  AsyncIterable<ItemOf<Page>> & {
    /** Every item, at most `limit`. */
    all(limit?: number): Promise<ItemOf<Page>[]>;
    /** The pages one after the other. */
    pages(): AsyncIterable<Page>;
  };
