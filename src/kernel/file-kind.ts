// What a file is, by its first and last bytes, and whether it can be opened safely.

export const FILE_KINDS = ['application/pdf', 'image/jpeg', 'image/png'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const PDF_START = Buffer.from('%PDF-');
const PDF_END = Buffer.from('%%EOF');
const PDF_END_WITHIN = 4_096;
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
/** The signature and the header chunk, whose length is fixed. */
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const ZIP_END = Buffer.from('504b0506', 'hex');
/** What a browser or an interpreter would run. */
const ACTIVE = /<(?:!doctype html|html|script|svg|\?php|iframe)/i;

/** `MIXED`: also a file of another kind. `OVERSIZED`: it unpacks to more than is allowed. Undefined: none of the kinds. */
export type Sniffed = FileKind | 'MIXED' | 'OVERSIZED' | undefined;

export type FileTraits = { readonly head: Buffer; readonly tail: Buffer; readonly isOversized: boolean };

export const isPdf = (head: Buffer): boolean => head.subarray(0, PDF_START.length).equals(PDF_START);

/** The kind that the file begins and ends like. */
export function sniffFile({ head, tail, isOversized }: FileTraits): Sniffed {
  const kind = kindOf(head, tail);
  if (kind && isAlsoOther(kind, head, tail)) return 'MIXED';
  return kind && isOversized ? 'OVERSIZED' : kind;
}

function kindOf(head: Buffer, tail: Buffer): FileKind | undefined {
  const startsWith = (start: Buffer) => head.subarray(0, start.length).equals(start);
  if (isPdf(head)) return tail.subarray(-PDF_END_WITHIN).includes(PDF_END) ? 'application/pdf' : undefined;
  if (startsWith(PNG_START)) return tail.subarray(-PNG_END.length).equals(PNG_END) ? 'image/png' : undefined;
  // Cameras append data of their own, so the end of a picture says nothing.
  return startsWith(JPEG_START) ? 'image/jpeg' : undefined;
}

/** Readers of PDF and ZIP look for these marks away from the first byte, so a file may be two things at once. */
const isAlsoOther = (kind: FileKind, head: Buffer, tail: Buffer): boolean =>
  hasZipEnd(tail) || ACTIVE.test(head.toString('latin1')) || (kind !== 'application/pdf' && head.includes(PDF_START));

/** The end of a ZIP archive: a comment of up to 64 kB may follow. The number of entries stands in it twice, which tells it from chance. */
function hasZipEnd(tail: Buffer): boolean {
  for (let at = tail.indexOf(ZIP_END); at >= 0; at = tail.indexOf(ZIP_END, at + 1)) {
    if (at + 12 <= tail.length && tail.readUInt16LE(at + 8) === tail.readUInt16LE(at + 10)) return true;
  }
  return false;
}

/** Why a file cannot be taken; undefined for one that is what it looks like. `expected` is the kind that the caller claims, where it must be right. */
export function fileProblem(
  size: number,
  sniffed: Sniffed,
  expected?: string,
): { message: string; constraint?: { minLength: number } } | undefined {
  if (size === 0) return { message: 'is empty', constraint: { minLength: 1 } };
  if (sniffed === 'MIXED') return { message: 'is also a file of another kind' };
  if (sniffed === 'OVERSIZED') return { message: 'contains compressed data that unpacks to more than is allowed' };
  if (sniffed === undefined || (expected !== undefined && sniffed !== expected))
    return { message: `is not a complete ${expected ?? 'PDF, JPEG or PNG'} file` };
  return undefined;
}
