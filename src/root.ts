// Where the project lies, from the compiled code as from the sources.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function find(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : find(dirname(from));
}

export const projectRoot = find(dirname(fileURLToPath(import.meta.url)));

export const version = (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }).version;
