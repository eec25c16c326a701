// Reads multipart/form-data: text fields into memory, files as streams into the file store. Everything is bounded, and a request that is
// refused leaves nothing behind.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { ApiError, type FieldError, invalid, invalidField } from '../kernel/errors.js';
import { isJsonObject } from '../kernel/json.js';
import type { FileWriter, ReceivedFile } from '../providers/files/file.js';
import type { Multipart } from './operation.js';
import { bodyCheck } from './validate.js';

/** A file in the body schema of a multipart operation: `request.body` then holds what arrived. */
export const FilePart = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<ReceivedFile>({ type: 'string', format: 'binary', ...options });

const MAX_TEXT_BYTES = 16 * 1024;
const MAX_NAME_LENGTH = 255;

const MULTIPART = /^multipart\/form-data[ \t]*(?:;|$)/i;

/** A request whose body nobody has read. */
export type Upload = Readable & { readonly headers: IncomingHttpHeaders };

/** The parts of a form by name. `discard` deletes what no transaction has kept. */
export type Form = { readonly body: Record<string, unknown>; readonly discard: () => Promise<void> };

/** Reads and checks the forms of one operation. `receive` is undefined where files are to be dropped. */
export type ReadForm = (upload: Upload, receive: (() => FileWriter) | undefined) => Promise<Form>;

export function formReader(schema: TSchema, limits: Multipart): ReadForm {
  const check = bodyCheck(schema);
  const kinds = kindsOf(schema);
  return async (upload, receive) => {
    const parser = openParser(upload, limits);
    const parts = collectParts(parser, { limits, kinds, receive });
    try {
      await pump(upload, parser, limits.maxRequestBytes, parts.failure);
      const files = await parts.files();
      const body: Record<string, unknown> = Object.fromEntries([...parts.texts, ...[...files.keys()].map((name) => [name, ''] as const)]);
      if (limits.isOfPage) Object.assign(body, { [PROBLEMS]: parts.problems });
      checkAll(check, body, limits.isOfPage ? [] : parts.problems);
      return { body: Object.assign(body, Object.fromEntries(files)), discard: parts.discard };
    } catch (error) {
      await parts.discard();
      throw error;
    } finally {
      // What is left is read and dropped, so that the caller gets to read the answer.
      upload.resume();
    }
  };
}

/** No name of a part: what a caller sends cannot be taken for it. */
const PROBLEMS = Symbol('problems of the parts');

/** Why parts of the form of a page could not be taken. */
export const partProblems = (body: Readonly<Record<PropertyKey, unknown>>): readonly FieldError[] =>
  (body[PROBLEMS] as readonly FieldError[] | undefined) ?? [];

/** What a repeated request is compared by: texts as they are, files by their hash. */
export const comparable = (body: unknown): unknown =>
  isJsonObject(body)
    ? Object.fromEntries(Object.entries(body).map(([name, part]) => [name, isFile(part) ? fingerprint(part) : part]))
    : body;

const isFile = (part: unknown): part is ReceivedFile => isJsonObject(part) && part['sha256'] instanceof Buffer;

const fingerprint = ({ fileName, contentType, sha256 }: ReceivedFile) => ({ fileName, contentType, sha256: sha256.toString('hex') });

type Kind = 'TEXT' | 'FILE';
/** What a part of that name must be; undefined for a name that the schema does not hold. */
type KindOf = (name: string) => Kind | 'EITHER' | undefined;

function kindsOf(schema: TSchema): KindOf {
  const { properties = {}, additionalProperties } = schema as { properties?: Record<string, unknown>; additionalProperties?: unknown };
  const kinds = new Map(
    Object.entries(properties).map(([name, part]): [string, Kind] => [
      name,
      isJsonObject(part) && part['format'] === 'binary' ? 'FILE' : 'TEXT',
    ]),
  );
  return (name) => kinds.get(name) ?? (additionalProperties === false ? undefined : 'EITHER');
}

function openParser({ headers }: Upload, limits: Multipart): busboy.Busboy {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': transfer, 'content-encoding': encoding } = headers;
  if (type === undefined && length === '0' && transfer === undefined) throw invalidField('', 'a multipart/form-data body is required');
  if (!MULTIPART.test(type ?? '') || (encoding ?? 'identity') !== 'identity')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', undefined, { reason: 'The request body must be multipart/form-data.' });
  if (Number(length) > limits.maxRequestBytes) throw new ApiError('PAYLOAD_TOO_LARGE');
  const { maxFields = 32, maxFiles = 1, maxFileBytes } = limits;
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: MAX_TEXT_BYTES,
        fields: maxFields + 1,
        // One more than allowed, so that the surplus is seen and can be named.
        files: maxFiles + 1,
        parts: maxFields + maxFiles + 2,
        // The parser counts a file of exactly the limit as cut off.
        fileSize: maxFileBytes + 1,
        headerPairs: 32,
      },
    });
  } catch {
    throw invalidField('', 'the multipart body has no boundary');
  }
}

type Collecting = { readonly limits: Multipart; readonly kinds: KindOf; readonly receive: (() => FileWriter) | undefined };

function collectParts(parser: busboy.Busboy, { limits: { maxFields = 32, maxFiles = 1, maxFileBytes }, kinds, receive }: Collecting) {
  const texts = new Map<string, string>();
  const names = new Set<string>();
  const problems: FieldError[] = [];
  const writers: FileWriter[] = [];
  const arriving: Promise<[string, ReceivedFile] | undefined>[] = [];
  let failed: unknown;
  const problem = (field: string, message: string, constraint?: FieldError['constraint']) =>
    void problems.push({ field, message, ...(constraint && { constraint }) });

  /** Whether the part is taken; if not, its problem is noted. */
  const isTaken = (name: string, kind: Kind): boolean => {
    const expected = kinds(name);
    if (names.has(name)) problem(name, 'is given more than once');
    else if (expected === undefined) problem(name, 'is not a field of this request');
    else if (expected !== kind && expected !== 'EITHER') problem(name, expected === 'FILE' ? 'must be a file' : 'must be text, not a file');
    else {
      names.add(name);
      return true;
    }
    return false;
  };

  parser.on('field', (given: string | undefined, value, { valueTruncated }) => {
    const name = nameOf(given);
    if (texts.size >= maxFields) return problem('', `has more than ${maxFields} fields`);
    if (!isTaken(name, 'TEXT')) return;
    if (valueTruncated) problem(name, `is longer than ${MAX_TEXT_BYTES} bytes`, { maxLength: MAX_TEXT_BYTES });
    else if (/[\u0000\ufffd]/.test(value)) problem(name, 'is not UTF-8 text');
    texts.set(name, value);
  });
  parser.on('file', (given: string | undefined, stream, info) => {
    const name = nameOf(given);
    // A part that ends early fails the parser as well, which reports it.
    stream.on('error', () => {});
    if (writers.length >= maxFiles && !names.has(name)) problem(name, `is one file more than the ${maxFiles} allowed`);
    else if (isTaken(name, 'FILE') && receive) {
      const writer = receive();
      writers.push(writer);
      const arrived = receiveFile(stream, writer, info).then((file): [string, ReceivedFile] | undefined => {
        if (file) return [name, file];
        problem(name, `is larger than ${maxFileBytes} bytes`, { maxLength: maxFileBytes });
        texts.set(name, '');
        return undefined;
      });
      // A store that fails ends the reading of the form; its error is the answer.
      arrived.catch((error: unknown) => {
        failed ??= error;
        parser.destroy();
      });
      arriving.push(arrived);
      return;
    }
    stream.resume();
  });
  parser.on('partsLimit', () => problem('', 'has too many parts'));
  parser.on('error', (error) => {
    failed ??= invalidField('', `is not a complete multipart body: ${String((error as Error).message).toLowerCase()}`);
  });

  return {
    texts,
    problems,
    failure: () => failed,
    files: async (): Promise<Map<string, ReceivedFile>> => new Map((await Promise.all(arriving)).filter((entry) => entry !== undefined)),
    discard: async () => {
      await Promise.allSettled(arriving);
      // What cannot be deleted now is swept later.
      for (const writer of writers) await writer.discard().catch(() => {});
    },
  };
}

const nameOf = (name: string | undefined): string => (name ?? '').slice(0, MAX_NAME_LENGTH);

/** Undefined if the file is larger than allowed. */
async function receiveFile(
  stream: Readable & { truncated?: boolean },
  writer: FileWriter,
  { filename, mimeType }: busboy.FileInfo,
): Promise<ReceivedFile | undefined> {
  for await (const bytes of stream) await writer.write(bytes);
  return stream.truncated ? undefined : writer.end({ fileName: cleanFileName(filename), contentType: mimeType.toLowerCase() });
}

/** The base name without control characters, so that it can be shown and put into a header. */
const cleanFileName = (name: string | undefined): string =>
  [...(name ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\ufffd]/gu, '').replace(/^.*[/\\]/, '')].slice(0, MAX_NAME_LENGTH).join('').trim() ||
  'file';

/** Hands the request to the parser, piece by piece, at the pace at which files are stored. */
async function pump(source: Readable, parser: busboy.Busboy, maxBytes: number, failure: () => unknown): Promise<void> {
  const closed = new Promise<void>((resolve) => parser.once('close', resolve));
  let received = 0;
  const fail = (error: unknown): never => {
    parser.destroy();
    throw error;
  };
  // The request must stay open after a refusal: its answer is sent on the same connection.
  const pieces = source.iterator({ destroyOnReturn: false });
  for (;;) {
    const piece = await pieces.next().catch(() => fail(invalidField('', 'the request ended before its body was complete')));
    if (piece.done) break;
    received += piece.value.length;
    if (received > maxBytes) fail(new ApiError('PAYLOAD_TOO_LARGE'));
    // A parser that is destroyed while a file waits for its store never says that it has taken the piece.
    await Promise.race([new Promise<void>((resolve) => parser.write(piece.value, () => resolve())), closed]);
    if (failure() !== undefined) fail(failure());
  }
  parser.end();
  await closed;
  if (failure() !== undefined) throw failure();
}

/** One answer for the parts that could not be read and the fields that do not fit. */
function checkAll(check: (value: unknown) => void, body: unknown, problems: readonly FieldError[]): void {
  try {
    check(body);
  } catch (error) {
    if (problems.length === 0 || !(error instanceof ApiError)) throw error;
    throw invalid(...problems, ...fieldErrorsOf(error));
  }
  if (problems.length > 0) throw invalid(...problems);
}

const fieldErrorsOf = ({ details }: ApiError): FieldError[] => {
  const errors = details?.['errors'];
  return Array.isArray(errors) ? errors : [];
};
