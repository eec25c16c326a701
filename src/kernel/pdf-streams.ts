// Unpacks the compressed streams of a PDF while it passes, and drops what comes out: only how much it is counts. A small file that unpacks to
// gigabytes would stop whoever opens it. Memory, time and the number of open streams are bounded; zlib works in the thread pool.
import { constants, createInflate } from 'node:zlib';

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
/** The keyword, the end of its line and the first two bytes of the stream. */
const LONGEST_START = KEYWORD.length + 4;
const [CARRIAGE_RETURN, LINE_FEED] = [0x0d, 0x0a];

/** RFC 1950: deflate, a window of at most 32 kB, no preset dictionary, and a checksum over both bytes. */
const isZlib = (first: number | undefined, second: number | undefined): boolean =>
  first !== undefined &&
  second !== undefined &&
  (first & 0x0f) === 8 &&
  first >> 4 <= 7 &&
  (second & 0x20) === 0 &&
  (first * 256 + second) % 31 === 0;

/** Where compressed data begins in these bytes. The dictionary before the keyword is not read: names in it can be written in many ways. */
function* starts(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(KEYWORD); at >= 0; at = bytes.indexOf(KEYWORD, at + 1)) {
    const end = at + KEYWORD.length;
    const data =
      end + (bytes[end] === CARRIAGE_RETURN ? 1 : 0) + (bytes[end + Number(bytes[end] === CARRIAGE_RETURN)] === LINE_FEED ? 1 : 0);
    if (data > end && isZlib(bytes[data], bytes[data + 1])) yield data;
  }
}

type Layer = {
  /** Resolves to false when the packed data has ended. */
  write(bytes: Buffer): Promise<boolean>;
  close(): Promise<void>;
};

type Budget = { readonly take: (bytes: number) => void; readonly isSpent: () => boolean; readonly refuse: () => void };

function openLayer(depth: number, budget: Budget, limits: UnpackLimits): Layer {
  // A stream that ends early gives what it holds.
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  // Errors end the loop below; one that comes later concerns nobody.
  inflate.on('error', () => {});
  let inner: Layer | undefined;
  /** The first bytes, until there are two: undefined afterwards. */
  let head: Buffer | undefined = Buffer.alloc(0);
  let isOver = false;
  const unpacked = async (more: Buffer): Promise<void> => {
    budget.take(more.length);
    const bytes = head ? Buffer.concat([head, more]) : more;
    if (head) {
      head = bytes.length < 2 ? bytes : undefined;
      if (head) return;
      if (isZlib(bytes[0], bytes[1])) {
        if (depth === limits.maxLayers) budget.refuse();
        else inner = openLayer(depth + 1, budget, limits);
      }
    }
    if (inner && !(await inner.write(bytes))) {
      await inner.close();
      inner = undefined;
    }
  };
  const drained = (async () => {
    try {
      for await (const bytes of inflate) {
        await unpacked(bytes);
        if (budget.isSpent()) break;
      }
    } catch {
      // Not a packed stream, or a damaged one: no reader gets more out of it than was counted.
    }
    isOver = true;
    inflate.destroy();
    await inner?.close();
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

export function createPdfScan(limits: UnpackLimits = UNPACK_LIMITS): PdfScan {
  let left = limits.maxBytes;
  let streams = 0;
  let isOversized = false;
  const refuse = (): void => {
    isOversized = true;
  };
  const budget: Budget = {
    take: (bytes) => {
      left -= bytes;
      if (left < 0) refuse();
    },
    isSpent: () => isOversized,
    refuse,
  };
  let open: Layer[] = [];
  /** The end of what passed: a keyword may begin in it. */
  let before: Buffer = Buffer.alloc(0);

  const close = async () => {
    await Promise.all(open.map((layer) => layer.close()));
    open = [];
  };
  /** Hands the bytes to a stream, which stays open if it has not ended in them. */
  const feed = async (layer: Layer, bytes: Buffer): Promise<boolean> => {
    const goesOn = await layer.write(bytes);
    if (!goesOn) await layer.close();
    return goesOn;
  };
  const begin = async (data: Buffer): Promise<void> => {
    streams += 1;
    if (isOversized || streams > limits.maxStreams || open.length === limits.maxOpen) return refuse();
    const layer = openLayer(1, budget, limits);
    if (await feed(layer, data)) open.push(layer);
  };

  return {
    async add(bytes) {
      if (isOversized || bytes.length === 0) return;
      const goingOn: Layer[] = [];
      for (const layer of open) if (await feed(layer, bytes)) goingOn.push(layer);
      open = goingOn;
      const border = Buffer.concat([before, bytes.subarray(0, LONGEST_START - 1)]);
      for (const at of starts(border)) {
        // Not whole in what passed before, and not whole in these bytes.
        const isAcross = at + 2 > before.length && border.lastIndexOf(KEYWORD, at) < before.length;
        if (isAcross) await begin(at < before.length ? Buffer.concat([before.subarray(at), bytes]) : bytes.subarray(at - before.length));
      }
      for (const at of starts(bytes)) await begin(bytes.subarray(at));
      before = Buffer.from(bytes.length >= LONGEST_START - 1 ? bytes.subarray(1 - LONGEST_START) : border.subarray(1 - LONGEST_START));
      if (isOversized) await close();
    },
    end: close,
    isOversized: () => isOversized,
  };
}
