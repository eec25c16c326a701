// Resets and snapshots on the wire.
import Type from 'typebox';
import { FilePart } from '../../http/multipart.js';
import { Closed, Timestamp } from '../../http/schemas.js';
import { ApiError } from '../../kernel/errors.js';
import type { Snapshot } from './platform-data-store.js';
import { MAX_SNAPSHOTS } from './snapshots.js';

export const SandboxResetRequest = Closed(
  {
    name: Type.String({
      maxLength: 255,
      description: 'The name of the platform, to confirm that it is the right one. A wrong name is refused with the right one.',
    }),
  },
  { title: 'SandboxResetRequest' },
);

export const SandboxReset = Type.Object(
  {
    deletedRows: Type.Integer({ minimum: 0, description: 'Rows of the database that are gone.' }),
    now: Timestamp({ description: "The platform's clock, which runs again with the real time." }),
  },
  { title: 'SandboxReset' },
);

const MAX_NAME = 64;
const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
const SnapshotName = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: NAME, description });

/** The name in a path. No snapshot has one of another shape. */
export function parseSnapshotName(text: string): string {
  if (text.length > MAX_NAME || !new RegExp(NAME).test(text)) throw new ApiError('NOT_FOUND');
  return text;
}

export const SandboxSnapshotRequest = Closed(
  { name: SnapshotName('Letters, digits, `.`, `_` and `-`. It names the snapshot in the paths of the other operations.') },
  { title: 'SandboxSnapshotRequest' },
);

const Passphrase = () =>
  Type.String({
    minLength: 12,
    maxLength: 200,
    'x-secret': true,
    description: 'The file is encrypted with it, and opens with nothing else. The service does not keep it.',
  });

export const SandboxSnapshotExportRequest = Closed({ passphrase: Passphrase() }, { title: 'SandboxSnapshotExportRequest' });

export const SandboxSnapshotImportRequest = Closed(
  {
    name: SnapshotName('The name of the snapshot on this platform.'),
    passphrase: Passphrase(),
    file: FilePart({ description: 'The file, as it was exported.' }),
  },
  { title: 'SandboxSnapshotImportRequest' },
);

export const SandboxSnapshot = Type.Object(
  {
    name: Type.String({ description: 'The name that it was given.' }),
    rows: Type.Integer({ minimum: 0, description: 'Rows of the database that it holds.' }),
    now: Timestamp({ description: "The platform's clock when it was taken. A restore sets the clock to it." }),
    frozen: Type.Boolean({ description: 'Whether the clock was frozen when it was taken.' }),
    schemaVersion: Type.String({
      description: 'The latest migration of the database when it was taken. Only this version of the service restores it.',
    }),
    createdAt: Timestamp({ description: 'When it was taken, in real time.' }),
  },
  { title: 'SandboxSnapshot' },
);

export const SandboxSnapshotList = Type.Object(
  { data: Type.Array(SandboxSnapshot, { description: `Newest first, at most ${MAX_SNAPSHOTS}.` }) },
  { title: 'SandboxSnapshotListResponse' },
);

export const renderSnapshot = (snapshot: Snapshot) => ({
  name: snapshot.name,
  rows: Number(snapshot.rows),
  now: snapshot.clockNow.toISOString(),
  frozen: snapshot.clockFrozen,
  schemaVersion: snapshot.schemaVersion,
  createdAt: snapshot.createdAt.toISOString(),
});
