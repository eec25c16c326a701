// The file of a snapshot: a readable first line, then lines of text that are packed and encrypted with a passphrase. Every block is bound to
// its place and to the first line, and the last one is marked, so a changed, shortened or extended file does not open.
import { randomBytes, scrypt } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { invalidField } from '../../kernel/errors.js';
import { isJsonObject, parseBounded } from '../../kernel/json.js';
import { type ChunkPlace, chunkCipher, decryptChunk, FILE_KEY_BYTES, sealedBytes } from '../../providers/files/chunk-cipher.js';

/** What anybody can read of a file. */
export type Preamble = {
  /** The latest migration of the installation that wrote it. */
  readonly schemaVersion: string;
  readonly rows: number;
  readonly createdAt: string;
};

const MAGIC = 'switchyard snapshot 1 ';
const SALT_BYTES = 16;
const BLOCK_BYTES = 64 * 1024;
/** A block in base64, and some room. */
const MAX_FILE_LINE = 2 * BLOCK_BYTES;
/** Of the unpacked content. The lines of a table have at most some thousand rows. */
export const MAX_CONTENT_BYTES = 512 * 1024 * 1024;
const MAX_CONTENT_LINE = 64 * 1024 * 1024;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
/** About a tenth of a second and 32 MB for each guess of a passphrase. */
const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  derive(passphrase.normalize('NFC'), salt, FILE_KEY_BYTES, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });

const DAMAGED = 'the passphrase is wrong or the file is damaged';
const refused = (message: string) => invalidField('file', message);

/** The bytes of a file with these lines. */
export async function* writeFile(preamble: Preamble, passphrase: string, lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const first = MAGIC + JSON.stringify({ ...preamble, salt: salt.toString('base64') });
  const key = await keyOf(passphrase, salt);
  yield Buffer.from(`${first}\n`);
  let sequence = 0;
  const block = (plain: Buffer, isLast: boolean): Buffer => {
    const cipher = chunkCipher({ key, context: contextOf(first, isLast), sequence }, Buffer.alloc(sealedBytes(plain.length)));
    sequence += 1;
    cipher.add(plain);
    return Buffer.from(`${cipher.end().toString('base64')}\n`);
  };
  let held: Buffer = Buffer.alloc(0);
  for await (const packed of pipeline(withLineEnds(lines), createGzip(), () => {})) {
    held = Buffer.concat([held, packed as Buffer]);
    for (; held.length > BLOCK_BYTES; held = held.subarray(BLOCK_BYTES)) yield block(held.subarray(0, BLOCK_BYTES), false);
  }
  yield block(held, true);
}

const withLineEnds = (lines: AsyncIterable<string>): Readable =>
  Readable.from(
    (async function* () {
      for await (const line of lines) yield Buffer.from(`${line}\n`);
    })(),
  );

const contextOf = (first: string, isLast: boolean): string => `${first} ${isLast ? 'end' : 'more'}`;

/** The first line of a file, and its content, which is decrypted and unpacked as it is read. A file that is no such file, or damaged, is refused. */
export async function openFile(
  bytes: AsyncIterable<Buffer>,
  passphrase: string,
): Promise<{ preamble: Preamble; lines: AsyncGenerator<string> }> {
  const fileLines = linesOf(bytes, MAX_FILE_LINE);
  const { value: first } = await fileLines.next();
  const { salt, ...preamble } = parsePreamble(first);
  const key = await keyOf(passphrase, salt);
  return { preamble, lines: content(fileLines, key, first as string) };
}

function parsePreamble(first: unknown): Preamble & { salt: Buffer } {
  if (typeof first !== 'string' || !first.startsWith(MAGIC))
    throw refused('is not the file of a snapshot, or of another version of the format');
  const read = parsed(first.slice(MAGIC.length));
  const { schemaVersion, rows, createdAt, salt } = isJsonObject(read) ? read : {};
  if (typeof schemaVersion !== 'string' || typeof rows !== 'number' || typeof createdAt !== 'string' || typeof salt !== 'string')
    throw refused(DAMAGED);
  return { schemaVersion, rows, createdAt, salt: Buffer.from(salt, 'base64') };
}

/** The value of a line; a line that is not JSON was not written by the service. */
export function parsed(line: string): unknown {
  try {
    return parseBounded(line);
  } catch {
    throw refused(DAMAGED);
  }
}

async function* content(fileLines: AsyncGenerator<string>, key: Buffer, first: string): AsyncGenerator<string> {
  const unpacked = pipeline(Readable.from(decrypted(fileLines, key, first)), createGunzip(), () => {});
  try {
    yield* linesOf(unpacked as unknown as AsyncIterable<Buffer>, MAX_CONTENT_LINE, MAX_CONTENT_BYTES);
  } catch (error) {
    const { code } = error as { code?: string };
    throw code?.startsWith('Z_') || code?.startsWith('ERR_STREAM') ? refused(DAMAGED) : error;
  }
}

async function* decrypted(fileLines: AsyncGenerator<string>, key: Buffer, first: string): AsyncGenerator<Buffer> {
  let next = await fileLines.next();
  for (let sequence = 0; !next.done; sequence += 1) {
    const sealed = Buffer.from(next.value, 'base64');
    next = await fileLines.next();
    const isLast = next.done === true;
    yield opened({ key, context: contextOf(first, isLast), sequence }, sealed);
    if (isLast) return;
  }
  throw refused(DAMAGED);
}

function opened({ key, context, sequence }: ChunkPlace, sealed: Buffer): Buffer {
  try {
    return decryptChunk(key, context, sequence, sealed);
  } catch {
    throw refused(DAMAGED);
  }
}

/** The lines of a text of bounded size. What follows the last line end is a line, if it is not empty. */
async function* linesOf(bytes: AsyncIterable<Buffer>, maxLine: number, maxBytes = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > maxBytes) throw refused('holds more than a file of a snapshot may');
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield Buffer.concat([...held, rest.subarray(0, end)]).toString('utf8');
      held = [];
      heldBytes = 0;
      rest = rest.subarray(end + 1);
    }
    heldBytes += rest.length;
    if (heldBytes > maxLine) throw refused('has a line that is too long');
    if (rest.length > 0) held.push(rest);
  }
  if (heldBytes > 0) yield Buffer.concat(held).toString('utf8');
}
