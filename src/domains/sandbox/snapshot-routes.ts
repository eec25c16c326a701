// Operations that replace or keep the data of a sandbox platform as a whole.
import Type from 'typebox';
import { created, noContent, type Operation, ok, operation } from '../../http/operation.js';
import {
  parseSnapshotName,
  renderSnapshot,
  SandboxReset,
  SandboxResetRequest,
  SandboxSnapshot,
  SandboxSnapshotExportRequest,
  SandboxSnapshotImportRequest,
  SandboxSnapshotList,
  SandboxSnapshotRequest,
} from './snapshot-schemas.js';
import { exportSnapshot, importSnapshot, MAX_FILE_BYTES, type TransferDeps } from './snapshot-transfer.js';
import { createSnapshot, listSnapshots, removeSnapshot, resetPlatform, restoreSnapshot, type SnapshotDeps } from './snapshots.js';

const TAG = 'Sandbox';

/** The file and what a form adds. */
const MAX_REQUEST_BYTES = MAX_FILE_BYTES + 64 * 1024;

export const snapshotRoutes = (deps: SnapshotDeps & TransferDeps): Operation[] => [
  operation({
    id: 'resetSandbox',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/reset',
    tag: TAG,
    summary: 'Delete all data of the platform',
    description:
      'Deletes customers, accounts, cards, payments, events and everything else of this platform, and lets its clock run with the real time. API tokens, issuer credentials, keys, the configuration with the webhook endpoint, the request log and snapshots stay. Requests in progress end first; one that takes longer than ten seconds makes this one fail with 503 and change nothing. Other platforms are not affected.',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxResetRequest,
    success: { 200: SandboxReset },
    handle: async ({ caller, body }) => {
      const { rows, now } = await resetPlatform(deps, caller, body.name);
      return ok({ deletedRows: rows, now: now.toISOString() });
    },
  }),
  operation({
    id: 'createSandboxSnapshot',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/snapshots',
    tag: TAG,
    summary: 'Take a snapshot of the platform',
    description:
      'Keeps all data of this platform, as it is at one moment, with its configuration and its clock. API tokens, issuer credentials, keys and the request log are not part of it. Requests in progress are not part of it either, and do not wait.',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxSnapshotRequest,
    success: { 201: SandboxSnapshot },
    errors: ['CONFLICT'],
    handle: async ({ platformId, body }) => created(renderSnapshot(await createSnapshot(deps, platformId, body.name))),
  }),
  operation({
    id: 'listSandboxSnapshots',
    method: 'GET',
    path: '/sandbox/snapshots',
    tag: TAG,
    summary: 'List the snapshots of the platform',
    description: 'Lists the snapshots of this platform, newest first.',
    permission: 'VIEW',
    sandbox: true,
    success: { 200: SandboxSnapshotList },
    handle: async ({ platformId }) => ok({ data: (await listSnapshots(deps.db, platformId)).map(renderSnapshot) }),
  }),
  operation({
    id: 'restoreSandboxSnapshot',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/snapshots/{name}/restore',
    tag: TAG,
    summary: 'Restore a snapshot of the platform',
    description:
      'Replaces all data, the configuration and the clock of this platform by those of the snapshot, with the same ids. Events that were not delivered when it was taken are delivered. Requests in progress end first; one that takes longer than ten seconds makes this one fail with 503 and change nothing. A snapshot of another version of the service is refused with 409 `CONFLICT`, and so is one whose key-encryption key was dropped since.',
    permission: 'MANAGE',
    sandbox: true,
    success: { 200: SandboxSnapshot },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params }) => ok(renderSnapshot(await restoreSnapshot(deps, caller, parseSnapshotName(params.name)))),
  }),
  operation({
    id: 'exportSandboxSnapshot',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/snapshots/{name}/export',
    command: 'sandbox snapshots export',
    tag: TAG,
    summary: 'Export a snapshot as a file',
    description:
      'Answers the snapshot as one file, for a bug report or another installation. The file is encrypted with the passphrase; only the version of the service and the number of rows are readable without it. API tokens, issuer credentials, keys, access tokens of agents and the request log are not part of it.',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxSnapshotExportRequest,
    success: { 200: Type.String() },
    produces: ['application/octet-stream'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body }) => ({
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="snapshot.switchyard"' },
      stream: await exportSnapshot(deps, caller, parseSnapshotName(params.name), body.passphrase),
    }),
  }),
  operation({
    id: 'importSandboxSnapshot',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/snapshots/import',
    command: 'sandbox snapshots import',
    tag: TAG,
    summary: 'Import a snapshot from a file',
    description:
      'Reads an exported file, of this or another installation, as a snapshot of this platform; a restore then writes its data, with the same ids. Every row is checked, and the data is written once for trial. A file that is damaged, that breaks a rule of the data or whose ledger does not balance is refused with 400, one of another version of the service with 409 `CONFLICT`; nothing is stored then.',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxSnapshotImportRequest,
    multipart: { maxFileBytes: MAX_FILE_BYTES, maxRequestBytes: MAX_REQUEST_BYTES },
    success: { 201: SandboxSnapshot },
    errors: ['CONFLICT'],
    handle: async ({ caller, body }) => created(renderSnapshot(await importSnapshot(deps, caller, body))),
  }),
  operation({
    id: 'deleteSandboxSnapshot',
    method: 'DELETE',
    path: '/sandbox/snapshots/{name}',
    tag: TAG,
    summary: 'Delete a snapshot of the platform',
    description: 'Deletes a snapshot. The data of the platform stays as it is.',
    permission: 'MANAGE',
    sandbox: true,
    success: { 204: null },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params }) => {
      await removeSnapshot(deps, platformId, parseSnapshotName(params.name));
      return noContent();
    },
  }),
];
