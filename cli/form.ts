// A multipart form. Written here, because the FormData of Node loads its whole fetch, which takes longer than the call.

/** A file of a form. */
export type Upload = { readonly name: string; readonly path: string; readonly type: string; readonly bytes: Uint8Array };

export class Form {
  readonly parts: readonly (readonly [name: string, value: string | Upload])[];
  constructor(body: Readonly<Record<string, unknown>>) {
    this.parts = Object.entries(body).map(([name, value]) => [name, written(value)]);
  }

  encode(boundary: string): { readonly payload: Buffer; readonly type: string } {
    const blocks = this.parts.flatMap(([name, value]) => {
      const isText = typeof value === 'string';
      const head = isText
        ? `name="${escaped(name)}"`
        : `name="${escaped(name)}"; filename="${escaped(value.name)}"\r\nContent-Type: ${value.type}`;
      return [
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
        isText ? Buffer.from(value) : value.bytes,
        CRLF,
      ];
    });
    return { payload: Buffer.concat([...blocks, Buffer.from(`--${boundary}--\r\n`)]), type: `multipart/form-data; boundary=${boundary}` };
  }
}

const CRLF = Buffer.from('\r\n');

export const isUpload = (value: unknown): value is Upload =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;

const written = (value: unknown): string | Upload => {
  if (isUpload(value)) return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** As browsers write names into a header. */
const escaped = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
