// A KYC vendor over HTTP. Packets go out and decisions come back signed with one shared secret; a vendor with another interface is
// connected by a small translating service. The address is the operator's, so it is trusted; redirects are not followed all the same.
import { timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../kernel/json.js';
import {
  DOCUMENT_TYPES,
  type DocumentType,
  KYC_ERROR_TYPES,
  type KycDecision,
  type KycError,
  type KycProvider,
  manualKyc,
  type VendorAnswer,
} from './kyc.js';
import { signatureOf } from './request-signature.js';

export type HttpKycOptions = {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly clockMs?: () => number;
  readonly timeoutMs?: number;
};

export const KYC_HEADERS = { timestamp: 'Kyc-Timestamp', signature: 'Kyc-Signature' } as const;

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_ERRORS = 100;
const MAX_AGE_SECONDS = 300;

export function httpKyc({ url, secret, clockMs = Date.now, timeoutMs = TIMEOUT_MS }: HttpKycOptions): KycProvider {
  const seconds = (): number => Math.floor(clockMs() / 1000);
  return {
    // Nobody is known before a packet was checked.
    ...manualKyc,
    submit: () => ({ decision: { outcome: 'IN_PROGRESS' } }),
    vendor: {
      async send(packet) {
        const body = JSON.stringify(packet);
        const timestamp = String(seconds());
        try {
          const response = await fetch(`${url}/applications`, {
            method: 'POST',
            redirect: 'error',
            signal: AbortSignal.timeout(timeoutMs),
            headers: {
              'content-type': 'application/json',
              'idempotency-key': packet.reference,
              [KYC_HEADERS.timestamp]: timestamp,
              [KYC_HEADERS.signature]: signatureOf(secret, timestamp, body),
            },
            body,
          });
          return answerOf(response.status, await readLimited(response));
        } catch {
          // The error may quote the packet.
          return { kind: 'UNAVAILABLE' };
        }
      },
      isAuthentic({ timestamp, signature, body }) {
        const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(seconds() - Number(timestamp)) <= MAX_AGE_SECONDS;
        const given = Buffer.from(signature, 'utf8');
        const right = Buffer.from(signatureOf(secret, timestamp, body), 'utf8');
        return isRecent && given.length === right.length && timingSafeEqual(given, right);
      },
    },
  };
}

/** The text of an answer; undefined when it is too long to be one. */
async function readLimited(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Refusals that a later try may not meet. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function answerOf(status: number, text: string | undefined): VendorAnswer {
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { kind: 'REFUSED' };
  if (status < 200 || status >= 300 || text === undefined) return { kind: 'UNAVAILABLE' };
  const decision = parseDecision(text);
  return decision ? { kind: 'DECIDED', decision } : { kind: 'UNAVAILABLE' };
}

function parseDecision(text: string): KycDecision | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(content)) return undefined;
  const { outcome, errors = [] } = content;
  if (outcome === 'IN_PROGRESS' || outcome === 'PENDING_MANUAL_REVIEW' || outcome === 'APPROVED') return { outcome };
  if (outcome !== 'RESOLVE_ERRORS' && outcome !== 'REJECTED') return undefined;
  if (!Array.isArray(errors) || errors.length > MAX_ERRORS) return undefined;
  const parsed = errors.map(parseError);
  if (parsed.some((error) => error === undefined) || (outcome === 'RESOLVE_ERRORS' && parsed.length === 0)) return undefined;
  return { outcome, errors: parsed.filter((error) => error !== undefined) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0 && value.length <= 500;
const isDocumentType = (value: unknown): value is DocumentType => DOCUMENT_TYPES.some((type) => type === value);

function parseError(value: unknown): KycError | undefined {
  if (!isJsonObject(value)) return undefined;
  const { resourceId, field, reason, acceptedDocumentTypes: accepted } = value;
  const type = KYC_ERROR_TYPES.find((known) => known === value['type']);
  if (!type || !isText(resourceId) || !isText(reason)) return undefined;
  return {
    resourceId,
    type,
    ...(isText(field) && { field }),
    ...(Array.isArray(accepted) && { acceptedDocumentTypes: accepted.filter(isDocumentType) }),
    reason,
  };
}
