// Reads the query and the body of a request and checks both against the operation's schemas, before any rule runs.
import { ApiError, invalidField } from '../kernel/errors.js';
import { decodeUtf8, JsonProblem, parseJson } from '../kernel/json.js';
import { yamlToJson } from '../kernel/yaml.js';
import type { Operation } from './operation.js';
import { readOnlyDrop } from './read-only.js';
import { Closed } from './schemas.js';
import { bodyCheck, queryCheck } from './validate.js';

const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;
const YAML_TYPE = /^application\/yaml(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** Of a request that is no upload. */
export const MAX_BODY_BYTES = 64 * 1024;

export type RawRequest = {
  readonly url: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Buffer | null | undefined;
  readonly headers: { readonly 'content-type'?: string | undefined };
};

export type RequestChecks = { query(raw: RawRequest): unknown; body(raw: RawRequest): unknown };

export function requestChecksOf(op: Operation): RequestChecks {
  const namesTimestamps = op.errors?.includes('INVALID_TIMESTAMP') ?? false;
  const checkQuery = queryCheck(op.query ?? Closed({}), namesTimestamps);
  // A parameter that may be repeated is a list also when it is sent once.
  const lists = Object.entries(op.query?.properties ?? {}).flatMap(([name, schema]) => ('items' in schema ? [name] : []));
  const checkBody = op.body ? bodyCheck(op.body, namesTimestamps) : undefined;
  const dropReadOnly = op.body ? readOnlyDrop(op.body, Object.values(op.success)) : undefined;
  return {
    query(raw) {
      // The parser leaves what it cannot decode as it is.
      if (!isEncodedText(raw.url.replace(/^[^?]*/, ''))) throw invalidField('', 'the query string is not encoded text');
      const plain: Record<string, unknown> = { ...raw.query };
      for (const name of lists) if (typeof plain[name] === 'string') plain[name] = [plain[name]];
      checkQuery(plain);
      return plain;
    },
    body({ body: bytes, headers: { 'content-type': type } }) {
      const absent = bytes === undefined || bytes === null || bytes.length === 0;
      const isYaml = op.yaml === true && YAML_TYPE.test(type ?? '');
      if (!absent && !isYaml && !JSON_TYPE.test(type ?? '')) throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
      if (!checkBody) {
        if (!absent && Object.keys(Object(readJson(bytes))).length > 0) {
          throw new ApiError('INVALID_INPUT', { errors: [{ field: '', message: 'this operation takes no body' }] });
        }
        return undefined;
      }
      if (absent && op.bodyOptional) return {};
      if (absent && type !== undefined && !isYaml && !JSON_TYPE.test(type)) throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
      if (absent) throw new ApiError('INVALID_INPUT', { errors: [{ field: '', message: 'a JSON body is required' }] });
      const value = readJson(bytes, isYaml);
      dropReadOnly?.(value);
      checkBody(value);
      return value;
    },
  };
}

const isEncodedText = (text: string): boolean => {
  if (!text.includes('%')) return true;
  try {
    return !decodeURIComponent(text).includes('\u0000');
  } catch {
    return false;
  }
};

function readJson(bytes: Buffer, isYaml = false): unknown {
  try {
    const text = decodeUtf8(bytes);
    return parseJson(isYaml ? yamlToJson(text) : text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    if (error.field !== undefined) throw invalidField(error.field, error.message, { maximum: Number.MAX_SAFE_INTEGER });
    throw new ApiError('INVALID_REQUEST_FORMAT', { cause: error.message });
  }
}
