// Base backups of all servers of a cluster on this machine, and their restore to one restore point. The restored servers take the places of the
// others, which are stopped meanwhile: they have the same names, so the catalogue of the cluster is right.
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { settingsOf } from '../support/cluster.js';
import { asked, ClusterNode } from './cluster-node.js';

const SLOT = 'switchyard_backup';

export class ClusterBackup {
  private readonly nodes: readonly ClusterNode[];
  private readonly directory = mkdtempSync(join(tmpdir(), 'switchyard-cluster-backup-'));

  private constructor(nodes: readonly ClusterNode[]) {
    this.nodes = nodes;
    chmodSync(this.directory, 0o711);
  }

  /** Backs up every server, which goes on meanwhile; or says why it cannot be done from here. */
  static async take(urls: readonly string[]): Promise<ClusterBackup | string> {
    const nodes: ClusterNode[] = [];
    for (const url of urls) {
      const node = await ClusterNode.find(url);
      if (typeof node === 'string') return node;
      nodes.push(node);
    }
    const backup = new ClusterBackup(nodes);
    try {
      for (const node of nodes) await backup.copy(node);
    } catch (error) {
      await backup.drop();
      throw error;
    }
    return backup;
  }

  /** Ends the log file that holds the restore point, as archiving does, so that it can be restored. */
  async endLogs(): Promise<void> {
    for (const { url } of this.nodes) await asked(url, 'select pg_switch_wal()');
  }

  /** Restores as the guide says, and runs the work on the restored servers. Afterwards the others are back as they were. */
  async restored<Result>(work: () => Promise<Result>): Promise<Result> {
    for (const node of this.nodes) node.kill();
    // The restored servers have their ports and sockets.
    for (const node of this.nodes) await node.ended();
    const restored = this.nodes.map((node) => node.from(this.placeOf(node)));
    try {
      for (const node of this.nodes) {
        const place = this.placeOf(node);
        appendFileSync(join(place, 'postgresql.auto.conf'), settingsOf('Backup').replace('/archive', join(node.dataDir, 'pg_wal')));
        const signal = join(place, 'recovery.signal');
        writeFileSync(signal, '');
        chownSync(signal, node.owner.uid, node.owner.gid);
      }
      await Promise.all(restored.map((node) => node.start()));
      for (const { url } of restored) while ((await asked(url, 'select pg_is_in_recovery()')) !== 'false');
      return await work();
    } finally {
      for (const node of restored) node.kill();
      for (const node of restored) await node.ended();
      for (const node of this.nodes) await node.start();
    }
  }

  async drop(): Promise<void> {
    for (const { url } of this.nodes)
      await asked(url, `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${SLOT}'`);
    rmSync(this.directory, { recursive: true, force: true });
  }

  private placeOf({ place }: ClusterNode): string {
    return join(this.directory, place.replace(':', '-'));
  }

  /** The slot keeps the log since the copy, as an archive does. */
  private async copy(node: ClusterNode): Promise<void> {
    const { uid, gid } = node.owner;
    const place = this.placeOf(node);
    mkdirSync(place, { mode: 0o700 });
    chownSync(place, uid, gid);
    const program = join(dirname(readlinkSync(`/proc/${node.pid}/exe`)), 'pg_basebackup');
    const args = ['-D', place, '-d', node.url, '--checkpoint=fast', '-X', 'stream', '--create-slot', '--slot', SLOT];
    await promisify(execFile)(program, args, { uid, gid, cwd: this.directory });
  }
}
