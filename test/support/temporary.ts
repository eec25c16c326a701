// A directory that is removed after its test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryDirectory(owner: { after(work: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'switchyard-'));
  owner.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
