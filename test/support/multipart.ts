// Writes multipart/form-data as clients do, and as they should not.
import { randomBytes } from 'node:crypto';

export type Part = {
  readonly name: string;
  readonly value: string | Buffer;
  readonly fileName?: string;
  readonly contentType?: string;
};

export type FormBody = { readonly body: Buffer; readonly contentType: string; readonly boundary: string };

/** A form of these parts, in this order. */
export function formOf(parts: readonly Part[], boundary?: string): FormBody {
  const { pieces, ...form } = formPieces(parts, boundary);
  return { ...form, body: Buffer.concat(pieces) };
}

/** As `formOf`, in pieces: a file is not copied. */
export function formPieces(
  parts: readonly Part[],
  boundary = `form-${randomBytes(12).toString('hex')}`,
): Omit<FormBody, 'body'> & { readonly pieces: Buffer[] } {
  const pieces = parts.flatMap(({ name, value, fileName, contentType }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n` +
        `${contentType === undefined ? '' : `content-type: ${contentType}\r\n`}\r\n`,
    ),
    Buffer.isBuffer(value) ? value : Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    pieces: [...pieces, Buffer.from(`--${boundary}--\r\n`)],
    contentType: `multipart/form-data; boundary=${boundary}`,
    boundary,
  };
}

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');

/** The smallest files of their kind that look like one, filled up to a size. */
export const pdf = (bytes = 200): Buffer => filled(Buffer.from('%PDF-1.7\n'), bytes, Buffer.from('\n%%EOF\n'));
export const png = (bytes = 200): Buffer => filled(PNG_START, bytes, PNG_END);
export const jpeg = (bytes = 200): Buffer => filled(Buffer.from('ffd8ffe000104a46494600010100', 'hex'), bytes, Buffer.from('ffd9', 'hex'));

const filled = (start: Buffer, bytes: number, end: Buffer): Buffer =>
  Buffer.concat([start, Buffer.alloc(Math.max(0, bytes - start.length - end.length), 0x41), end]);
