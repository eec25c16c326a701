// The README is true: its configuration table is the one the parser uses, its commands and links exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsTable } from '../../src/config.js';
import { projectRoot } from '../../src/root.js';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('it opens with the two commands', () => {
  const firstBlock = readme.slice(0, readme.indexOf('##'));
  assert.match(firstBlock, /npm ci && npm start/);
  assert.match(firstBlock, /npm ci && npm test/);
});

test('its configuration table is the one the service reads', () => {
  const shown = /<!-- settings -->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readme)?.[1];
  assert.equal(shown?.trim(), settingsTable().trim());
});

test('every script it names exists', () => {
  for (const [, name = ''] of readme.matchAll(/npm run (?:-s )?([\w-]+)/g)) assert.ok(scripts[name], `npm run ${name}`);
});

test('every file it links to exists', () => {
  for (const [, path = ''] of readme.matchAll(/\]\(([\w./-]+\.md)\)/g)) assert.ok(existsSync(join(projectRoot, path)), path);
});

test('the container file copies everything the build compiles and runs', () => {
  const copied = [...readFileSync(join(projectRoot, 'Dockerfile'), 'utf8').matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, name]) => name);
  const { include } = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8')) as { include: string[] };
  for (const name of [...include, 'scripts']) assert.ok(copied.includes(name), `COPY ${name}`);
});
