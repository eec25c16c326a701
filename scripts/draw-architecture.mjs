// Renews the generated sections of ARCHITECTURE.md from the modules and sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renewSections } from '../dist/test/support/architecture-page.js';

const file = join(import.meta.dirname, '../ARCHITECTURE.md');
writeFileSync(file, renewSections(readFileSync(file, 'utf8')));
