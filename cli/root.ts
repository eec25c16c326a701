// The folder of the project, from the compiled modules in dist/cli and from the one file that they are bundled into.
import { join } from 'node:path';

export const projectRoot = join(import.meta.dirname, '../..');
