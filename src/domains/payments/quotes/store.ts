// All SQL of quotes. A quote never changes; its state is the state of its payment, whose row is locked for both.
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { fraction } from '../../../kernel/fraction.js';
import type { TransactionId } from '../../../kernel/ids.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { PaymentInstructions } from '../../accounts/internal-accounts/internal-account.js';
import { type PaymentRow, toPayment } from '../payments/actions.js';
import type { Funding, NewQuote, Quote, QuoteDestination, QuoteId, QuoteSource } from './quote.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type QuoteRow = PaymentRow & {
  quote_id: string;
  funding: Funding;
  quote_source: QuoteSource;
  quote_destination: QuoteDestination;
  document_ids: string[] | null;
  rate_numerator: string | null;
  rate_denominator: string | null;
  payment_instructions: PaymentInstructions[] | null;
  payload_to_sign: string | null;
  quote_created_at: Date;
  quote_expires_at: Date;
};

function toQuote(row: QuoteRow): Quote {
  const payment = toPayment(row);
  assert(payment.type === 'OUTGOING', 'the payment of a quote is outgoing');
  return {
    id: idOf('Quote', row.quote_id),
    payment,
    funding: row.funding,
    source: row.quote_source,
    destination: row.quote_destination,
    documentIds: (row.document_ids ?? []).map((uuid) => idOf('PaymentDocument', uuid)),
    rate:
      row.rate_numerator === null || row.rate_denominator === null
        ? null
        : fraction(BigInt(row.rate_numerator), BigInt(row.rate_denominator)),
    paymentInstructions: row.payment_instructions,
    payloadToSign: row.payload_to_sign,
    createdAt: row.quote_created_at,
    expiresAt: row.quote_expires_at,
  };
}

/** The limit keeps the look-up of the payment by its id: without statistics, a plain join may read every payment of the platform. */
const quotesOf = (platformId: PlatformId): Sql => sql`
  select p.*, q.id as quote_id, q.funding, q.source as quote_source, q.destination as quote_destination, q.document_ids, q.rate_numerator,
    q.rate_denominator, q.payment_instructions, q.payload_to_sign, q.created_at as quote_created_at, q.expires_at as quote_expires_at
  from quotes q cross join lateral (select * from payments where platform_id = ${uuidOf(platformId)} and id = q.payment_id limit 1) p
  where q.platform_id = ${uuidOf(platformId)}`;

const byId = (platformId: PlatformId, id: QuoteId): Sql => sql`${quotesOf(platformId)} and q.id = ${uuidOf(id)}`;

const found = (row: QuoteRow | undefined): Quote => {
  if (!row) throw new ApiError('QUOTE_NOT_FOUND');
  return toQuote(row);
};

/** The quote, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getQuote(tx: Reader, platformId: PlatformId, id: QuoteId | undefined): Promise<Quote> {
  return found(id && (await tx.one<QuoteRow>(byId(platformId, id))));
}

/** The quotes with these ids, in any order. */
export const findQuotes = async (tx: Reader, platformId: PlatformId, ids: readonly QuoteId[]): Promise<Quote[]> =>
  (
    await tx.many<QuoteRow>(sql`
      ${quotesOf(platformId)} and q.id = any(${ids.map(uuidOf)}::uuid[])`)
  ).map(toQuote);

/** As `getQuote`, with its payment locked. */
export async function lockQuote(tx: Tx, platformId: PlatformId, id: QuoteId | undefined): Promise<Quote> {
  return found(id && (await tx.one<QuoteRow>(sql`${byId(platformId, id)} for update of p`)));
}

export function insertQuote(tx: Tx, platformId: PlatformId, quote: NewQuote, paymentId: TransactionId): void {
  tx.send(sql`
    insert into quotes (platform_id, id, payment_id, funding, source, destination, document_ids, rate_numerator, rate_denominator,
      payment_instructions, payload_to_sign, created_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(quote.id)}, ${uuidOf(paymentId)}, ${quote.funding}, ${JSON.stringify(quote.source)},
      ${JSON.stringify(quote.destination)}, ${quote.documentIds.length > 0 ? quote.documentIds.map(uuidOf) : null},
      ${quote.rate?.numerator ?? null}, ${quote.rate?.denominator ?? null},
      ${quote.paymentInstructions && JSON.stringify(quote.paymentInstructions)}, ${quote.payloadToSign}, ${quote.createdAt}, ${quote.expiresAt})`);
}
