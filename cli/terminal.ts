// Standard output and error. `process.stdout` starts the streams of Node, and on a pipe its sockets too: a tenth of the time that Node takes
// to start. So what is written to a file or a pipe is written to the descriptor.
import { fstatSync, statSync, writeSync } from 'node:fs';
import { EXIT } from './exit.js';

type Descriptor = 1 | 2;

/** A character device that swallows everything, and is no terminal. */
const NULL_DEVICE = process.platform === 'win32' ? undefined : '/dev/null';

/** A file, a pipe or the null device can be told without asking the terminal's library. */
function isPlain(descriptor: Descriptor): boolean {
  try {
    const stats = fstatSync(descriptor);
    return !stats.isCharacterDevice() || (NULL_DEVICE !== undefined && stats.rdev === statSync(NULL_DEVICE).rdev);
  } catch {
    return false;
  }
}

const plain = new Map<Descriptor, boolean>();
function isDirect(descriptor: Descriptor): boolean {
  const known = plain.get(descriptor) ?? isPlain(descriptor);
  plain.set(descriptor, known);
  return known;
}

let streams = 0;

/** The stream of Node, for terminals and for a pipe that is full. */
function streamOf(descriptor: Descriptor): NodeJS.WriteStream {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  if ((streams & descriptor) === 0) stream.on('error', ended);
  streams |= descriptor;
  return stream;
}

/** A reader such as `head` may close the pipe: the rest is not wanted. */
function ended(error: unknown): never {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? EXIT.done : EXIT.serviceFailed);
}

export const isTerminal = (descriptor: Descriptor): boolean => !isDirect(descriptor) && streamOf(descriptor).isTTY === true;

/** Columns of the terminal that standard output is. */
export const terminalWidth = (): number => streamOf(1).columns || Number(process.env['COLUMNS']) || 80;

export function write(descriptor: Descriptor, content: string | Buffer): void {
  let rest = typeof content === 'string' ? Buffer.from(content) : content;
  if (isDirect(descriptor) && (streams & descriptor) === 0)
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      return;
    } catch (error) {
      // A full pipe that does not block: the stream waits for its reader.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') ended(error);
    }
  streamOf(descriptor).write(rest);
}

/** Whether everything is out. */
export const isWritten = (): boolean => (streams & 1) === 0 || process.stdout.writableLength === 0;
