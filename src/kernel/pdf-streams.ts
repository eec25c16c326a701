// Unpacks the compressed streams of a PDF while it passes, and drops what comes out: only how much it is counts. A small file that unpacks to
// gigabytes would stop whoever opens it. Memory, time and the number of open streams are bounded; zlib works in the thread pool.
import { constants, createInflate } from 'node:zlib';
import { ascii85, asciiHex, type Decoder, type Filter, filtersOf, isWhite, isZlib, lzwCounter, RECOGNISED_BY } from './pdf-filters.js';

export type UnpackLimits = {
  /** What all streams of a file may unpack to, every layer counted. */
  readonly maxBytes: number;
  readonly maxStreams: number;
  /** Streams that begin before an earlier one has ended. A PDF as a program writes it has none. */
  readonly maxOpen: number;
  /** How often a stream may be packed. */
  readonly maxLayers: number;
};

export const UNPACK_LIMITS: UnpackLimits = { maxBytes: 256 * 1024 * 1024, maxStreams: 20_000, maxOpen: 8, maxLayers: 4 };

/** Takes the bytes of a PDF in order. `isOversized` holds once `end` has resolved. */
export type PdfScan = { add(bytes: Buffer): Promise<void>; end(): Promise<void>; isOversized(): boolean };

const KEYWORD = Buffer.from('stream');

/** Where data may begin in these bytes: after the keyword and white space. The dictionary before it is not read: its names have many forms. */
function* starts(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(KEYWORD); at >= 0; at = bytes.indexOf(KEYWORD, at + 1)) {
    const end = at + KEYWORD.length;
    if (isWhite(bytes[end])) yield end + 1;
  }
}

/** Takes packed data in order. */
type Layer = {
  /** Resolves to false when the packed data has ended. */
  write(bytes: Buffer): Promise<boolean>;
  close(): Promise<void>;
};

type Scan = {
  readonly limits: UnpackLimits;
  readonly take: (bytes: number) => void;
  readonly refuse: () => void;
  readonly isSpent: () => boolean;
  /** Data of the file itself, not of what came out of it, turned out to be packed. */
  readonly streamFound: () => void;
};

const LAYERS: { readonly [filter in Filter]: (scan: Scan, depth: number) => Layer } = {
  FLATE: flateLayer,
  ASCII85: (scan, depth) => textLayer(scan, depth, ascii85()),
  ASCII_HEX: (scan, depth) => textLayer(scan, depth, asciiHex()),
  LZW: (scan) => lzwLayer(scan, 1),
  LZW_LATE: (scan) => lzwLayer(scan, 0),
};

/** Waits for the first bytes of data, and unpacks it if they are those of packed data. */
function unknownLayer(scan: Scan, depth: number): Layer & { isPacked(): boolean } {
  let head: Buffer = Buffer.alloc(0);
  let layers: Layer[] | undefined;
  return {
    async write(bytes) {
      let data = bytes;
      if (!layers) {
        data = withoutWhite(head.length === 0 ? bytes : Buffer.concat([head, bytes]));
        head = data.length < RECOGNISED_BY ? Buffer.from(data) : Buffer.alloc(0);
        if (data.length < RECOGNISED_BY) return true;
        layers = recognised(scan, depth, data.subarray(0, RECOGNISED_BY));
      }
      layers = await fed(layers, data);
      return layers.length > 0;
    },
    close: () => closed(layers ?? []),
    isPacked: () => layers !== undefined && layers.length > 0,
  };
}

function withoutWhite(bytes: Buffer): Buffer {
  let at = 0;
  while (isWhite(bytes[at])) at += 1;
  return bytes.subarray(at);
}

function recognised(scan: Scan, depth: number, head: Buffer): Layer[] {
  const filters = filtersOf(head);
  if (filters.length > 0 && depth === 1) scan.streamFound();
  if (filters.length > 0 && depth > scan.limits.maxLayers) scan.refuse();
  return scan.isSpent() ? [] : filters.map((filter) => LAYERS[filter](scan, depth));
}

/** Hands the bytes to layers. Returns those that go on; the others are closed. */
async function fed(layers: readonly Layer[], bytes: Buffer): Promise<Layer[]> {
  const goingOn: Layer[] = [];
  for (const layer of layers) {
    if (await layer.write(bytes)) goingOn.push(layer);
    else await layer.close();
  }
  return goingOn;
}

const closed = async (layers: readonly Layer[]): Promise<void> => void (await Promise.all(layers.map((layer) => layer.close())));

/** Counts what comes out of a layer, and looks whether it is packed again. */
function outputOf(scan: Scan, depth: number) {
  let inner: readonly Layer[] = [unknownLayer(scan, depth + 1)];
  return {
    async take(bytes: Buffer): Promise<void> {
      scan.take(bytes.length);
      inner = await fed(inner, bytes);
    },
    isPacked: () => inner.length > 0,
    close: () => closed(inner),
  };
}

function flateLayer(scan: Scan, depth: number): Layer {
  // A stream that ends early gives what it holds.
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 128 * 1024 });
  // Errors end the loop below; one that comes later concerns nobody.
  inflate.on('error', () => {});
  const output = outputOf(scan, depth);
  let isOver = false;
  const drained = (async () => {
    try {
      for await (const bytes of inflate) {
        await output.take(bytes);
        if (scan.isSpent()) break;
      }
    } catch {
      // Not a packed stream, or a damaged one: no reader gets more out of it than was counted.
    }
    isOver = true;
    inflate.destroy();
    await output.close();
  })();
  return {
    async write(bytes) {
      if (isOver) return false;
      const before = inflate.bytesWritten;
      // zlib does not report the end of a write that met damaged data.
      await Promise.race([new Promise<void>((resolve) => inflate.write(bytes, () => resolve())), drained]);
      return !isOver && inflate.bytesWritten - before === bytes.length;
    },
    async close() {
      inflate.end();
      await drained;
    },
  };
}

/** A text is hardly longer than what comes out of it: it matters for what is packed inside. */
function textLayer(scan: Scan, depth: number, decoder: Decoder): Layer {
  const output = outputOf(scan, depth);
  return {
    async write(bytes) {
      await output.take(decoder.decode(bytes));
      return output.isPacked() && !decoder.isOver() && !scan.isSpent();
    },
    close: () => output.close(),
  };
}

function lzwLayer(scan: Scan, earlyChange: 0 | 1): Layer {
  const counter = lzwCounter(earlyChange);
  return {
    async write(bytes) {
      scan.take(counter.count(bytes));
      const [first, second] = counter.firstTwo();
      // Its bytes are not made, so nothing inside can be unpacked. No program packs packed data so.
      if (isZlib(first, second)) scan.refuse();
      return !counter.isOver() && !scan.isSpent();
    },
    close: async () => {},
  };
}

export function createPdfScan(limits: UnpackLimits = UNPACK_LIMITS): PdfScan {
  let left = limits.maxBytes;
  let streams = 0;
  let isOversized = false;
  const refuse = (): void => {
    isOversized = true;
  };
  let open: ReturnType<typeof unknownLayer>[] = [];
  const scan: Scan = {
    limits,
    refuse,
    take: (bytes) => {
      left -= bytes;
      if (left < 0) refuse();
    },
    isSpent: () => isOversized,
    streamFound: () => {
      streams += 1;
      if (streams > limits.maxStreams || open.filter((layer) => layer.isPacked()).length >= limits.maxOpen) refuse();
    },
  };
  /** The end of what passed: a keyword may begin in it. */
  let before: Buffer = Buffer.alloc(0);

  const close = async () => {
    await closed(open);
    open = [];
  };
  const feed = async (layer: (typeof open)[number], bytes: Buffer): Promise<void> => {
    if (isOversized || (await layer.write(bytes))) return;
    open = open.filter((other) => other !== layer);
    await layer.close();
  };
  const begin = async (data: Buffer): Promise<void> => {
    // Nothing is made for what is seen at once to be no packed data: a file may hold the keyword a million times.
    const head = withoutWhite(data).subarray(0, RECOGNISED_BY);
    if (head.length === RECOGNISED_BY && filtersOf(head).length === 0) return;
    const layer = unknownLayer(scan, 1);
    open = [...open, layer];
    await feed(layer, data);
  };

  return {
    async add(bytes) {
      if (isOversized || bytes.length === 0) return;
      for (const layer of open) await feed(layer, bytes);
      const border = Buffer.concat([before, bytes.subarray(0, KEYWORD.length)]);
      for (const at of starts(border)) {
        // Neither whole in what passed before, nor whole in these bytes.
        const isAcross = at > before.length && at - 1 - KEYWORD.length < before.length;
        if (isAcross) await begin(bytes.subarray(at - before.length));
      }
      for (const at of starts(bytes)) await begin(bytes.subarray(at));
      before = Buffer.from(bytes.length >= KEYWORD.length ? bytes.subarray(-KEYWORD.length) : border.subarray(-KEYWORD.length));
      if (isOversized) await close();
    },
    end: close,
    isOversized: () => isOversized,
  };
}
