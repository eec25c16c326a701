// Texts that change only with the version: compressed once per encoding, and not sent again to whoever has them.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip';
export type StaticText = { readonly text: string; readonly type: string; readonly tag: string; readonly encoded: Map<Encoding, Buffer> };

/** More would cost a start of seconds and save little. */
const BROTLI_QUALITY = 6;

export const staticText = (text: string, type: string): StaticText => ({
  text,
  type,
  tag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
  encoded: new Map(),
});

/** Brotli if the caller takes it, else gzip, else plain. `q=0` refuses. */
export function encodingOf(header: string | undefined): Encoding | undefined {
  const offered = (header ?? '').split(',').map((part) => part.trim().toLowerCase().split(';'));
  const takes = (name: string) =>
    offered.some(([coding = '', weight = '']) => coding.trim() === name && !/q=0(\.0*)?$/.test(weight.trim()));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : undefined;
}

const encode = (text: string, encoding: Encoding): Buffer =>
  encoding === 'gzip'
    ? gzipSync(text)
    : brotliCompressSync(text, {
        params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) },
      });

/** `vary`: the headers that decide which text is sent. */
export function sendStatic(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  content: StaticText,
  vary = 'accept-encoding',
): FastifyReply {
  reply.header('etag', content.tag).header('vary', vary).header('cache-control', 'no-cache');
  const known = request.headers['if-none-match'];
  if (known?.split(',').some((tag) => tag.trim() === content.tag)) return reply.code(304).send();
  reply.header('content-type', content.type);
  const encoding = encodingOf(request.headers['accept-encoding'] as string | undefined);
  if (encoding === undefined) return reply.send(content.text);
  const bytes = content.encoded.get(encoding) ?? encode(content.text, encoding);
  content.encoded.set(encoding, bytes);
  return reply.header('content-encoding', encoding).send(bytes);
}
