// The README agrees with the code: its configuration table, its commands and its links.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsTable } from '../../src/config.js';
import { projectRoot } from '../../src/root.js';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('the README begins with the commands to start and to test', () => {
  const firstBlock = readme.slice(0, readme.indexOf('##'));
  assert.match(firstBlock, /npm ci && npm start/);
  assert.match(firstBlock, /npm ci && npm test/);
});

test('the configuration table lists the settings that the service reads', () => {
  const shown = /<!-- settings -->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readme)?.[1];
  assert.equal(shown?.trim(), settingsTable().trim());
});

test('every npm script in the README exists', () => {
  for (const [, name = ''] of readme.matchAll(/npm run (?:-s )?([\w-]+)/g)) assert.ok(scripts[name], `npm run ${name}`);
});

test('every linked file exists', () => {
  for (const [, path = ''] of readme.matchAll(/\]\(([\w./-]+\.md)\)/g)) assert.ok(existsSync(join(projectRoot, path)), path);
});

test('the Dockerfile copies every folder that the build needs', () => {
  const copied = [...readFileSync(join(projectRoot, 'Dockerfile'), 'utf8').matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, name]) => name);
  const { include } = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8')) as { include: string[] };
  for (const name of [...include, 'scripts']) assert.ok(copied.includes(name), `COPY ${name}`);
});
