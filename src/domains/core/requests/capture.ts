// What the request log keeps of an exchange. Pure.
import type { Exchange } from '../../../http/exchange.js';
import { isJsonObject } from '../../../kernel/json.js';
import { MASK, masked } from './mask.js';
import type { KeptBody, LoggedRequest } from './request.js';

/** Longer bodies are cut. */
export const BODY_LIMIT = 8 * 1024;
/** A body above this is not even read. */
const READ_LIMIT = 64 * 1024;
export const MAX_OBJECT_IDS = 20;

/** The log describes neither its own readers nor what the console reads to show a page. */
export const isLogged = ({ template, method, isConsole }: Pick<Exchange, 'template' | 'method' | 'isConsole'>): boolean =>
  !/^\/requests(?:\/|$)/.test(template) && !(isConsole && method === 'GET');

const OBJECT_ID = /\b[A-Z][A-Za-z]{1,40}:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const WHOLE_ID = new RegExp(`^(?:${OBJECT_ID.source}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`);

export type LogOptions = {
  /** In live mode no body and no query is kept. */
  readonly keepsBodies: boolean;
};

export function loggedRequest(
  exchange: Exchange,
  { keepsBodies, position, unrecordedBefore }: LogOptions & { readonly position: string; readonly unrecordedBefore: number },
): LoggedRequest {
  const { requestId, caller, operation, method, status, ms, idempotencyKey, signed } = exchange;
  const path = pathOf(exchange);
  const sent = textOf(exchange.requestBody);
  const answered = textOf(exchange.answerBody);
  return {
    position,
    id: requestId,
    platformId: caller.platformId,
    operation,
    method,
    path,
    query: keepsBodies ? queryOf(exchange) : null,
    status,
    code: status >= 400 ? codeOf(answered) : null,
    durationMs: Math.round(ms * 10) / 10,
    tokenId: 'tokenId' in caller ? caller.tokenId : null,
    program: 'program' in caller ? caller.program : null,
    idempotencyKey: idempotencyKey === undefined ? null : idempotencyKey.slice(0, 255),
    signedLeg: signed?.kind ?? null,
    // With the request that a retry signs, so that refused retries are found by it.
    objectIds: objectIdsIn([path, sent, method === 'GET' ? undefined : answered, signed?.requestId?.slice(0, 64)]),
    isConsole: exchange.isConsole,
    at: caller.now,
    unrecordedBefore,
    requestBody: keepsBodies ? requestBodyOf(exchange, sent) : null,
    responseBody: keepsBodies ? responseBodyOf(exchange, answered) : null,
  };
}

/** A parameter that is no id may be anything, also a secret in the wrong place. */
const pathOf = ({ template, params }: Exchange): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    return WHOLE_ID.test(value) ? value : MASK;
  });

/** Values of an accepted query, and of a refused one those that are ids, numbers or members of an enumeration. */
function queryOf({ query, declared, status }: Exchange): string | null {
  const properties = declared?.query?.properties ?? {};
  const shown = Object.entries(query).flatMap(([name, value]): string[][] => {
    const schema: unknown = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isJsonObject(schema)) return [];
    const isHarmless = (one: unknown): boolean =>
      status < 400 ||
      WHOLE_ID.test(String(one)) ||
      /^\d{1,9}$/.test(String(one)) ||
      (Array.isArray(schema['enum']) && schema['enum'].includes(one));
    return [value].flat().map((one) => [name, isHarmless(one) && name !== 'token' ? String(one) : MASK]);
  });
  return shown.length === 0 ? null : new URLSearchParams(shown).toString().slice(0, BODY_LIMIT);
}

const textOf = (body: string | Buffer | undefined): string | undefined =>
  body === undefined || body.length === 0 || body.length > READ_LIMIT ? undefined : body.toString();

function codeOf(answered: string | undefined): string | null {
  const body = answered === undefined ? undefined : parsed(answered);
  return isJsonObject(body) && typeof body['code'] === 'string' ? body['code'] : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objectIdsIn = (texts: readonly (string | undefined)[]): string[] =>
  [...new Set(texts.flatMap((text) => text?.match(OBJECT_ID) ?? []))].slice(0, MAX_OBJECT_IDS);

function requestBodyOf({ declared }: Exchange, text: string | undefined): KeptBody | null {
  return text === undefined || !declared?.body || declared.multipart ? null : keptBody(text, declared.body);
}

/** An error holds no secret. A successful answer is described by the schema of its status. */
function responseBodyOf({ declared, status, isSecret }: Exchange, text: string | undefined): KeptBody | null {
  if (text === undefined || isSecret) return null;
  if (status >= 400) return cut(text);
  const schema = declared?.success[status];
  return schema && declared.produces === undefined ? keptBody(text, schema, { isOurs: true }) : null;
}

/** What the service wrote itself is kept as it stands where it holds no secret. A caller's text may name a member twice, so it is written again. */
function keptBody(text: string, schema: unknown, { isOurs = false } = {}): KeptBody | null {
  const value = parsed(text);
  if (value === undefined) return null;
  const shown = isJsonObject(schema) ? masked(value, schema) : MASK;
  return cut(isOurs && shown === value ? text : JSON.stringify(shown));
}

const cut = (text: string): KeptBody => ({ text: text.slice(0, BODY_LIMIT).toWellFormed(), isCut: text.length > BODY_LIMIT });
