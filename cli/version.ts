// The version of this command line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './root.js';

export const version = (JSON.parse(readFileSync(join(projectRoot, 'dist/client/package.json'), 'utf8')) as { version: string }).version;
