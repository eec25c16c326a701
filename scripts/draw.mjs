// Regenerates the generated parts of the documentation: the drawings of ARCHITECTURE.md, the settings of README.md, and docs/conformance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsTable } from '../dist/src/config.js';
import { conformancePage } from '../dist/test/conformance/page.js';
import { renewSections } from '../dist/test/support/architecture-page.js';

function renew(name, change) {
  const file = join(import.meta.dirname, '..', name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

renew('ARCHITECTURE.md', renewSections);
renew('README.md', (page) =>
  page.replace(
    /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/,
    (_whole, before, after) => `${before}\n${settingsTable()}\n\n${after}`,
  ),
);
writeFileSync(join(import.meta.dirname, '../docs/conformance.md'), conformancePage());
