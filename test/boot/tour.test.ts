// The tour is an end-to-end test of the whole API. The README contains a section of its output.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../src/root.js';
import { startSandbox } from '../../src/testing.js';
import { jsonNarrator, type Narrator, textNarrator } from '../../tour/narrate.js';
import { tour } from '../../tour/tour.js';
import { createDatabase } from '../support/database.js';

const both = (one: Narrator, other: Narrator): Narrator => ({
  chapter: (title) => [one, other].forEach((narrator) => void narrator.chapter(title)),
  step: (why, exchange) => [one, other].forEach((narrator) => void narrator.step(why, exchange)),
  note: (what, details) => [one, other].forEach((narrator) => void narrator.note(what, details)),
});

/** The last digits of ids differ between runs. */
const withoutIds = (text: string): string => text.replaceAll(/…[0-9a-f]{4}/g, '…');

test('every step of the tour gives the expected result, and the README contains its output', { timeout: 120_000 }, async () => {
  const database = await createDatabase();
  const sandbox = await startSandbox({ databaseUrl: database.url });
  const lines: { kind: string; why?: string }[] = [];
  const printed: string[] = [];
  try {
    await tour(
      sandbox,
      both(
        jsonNarrator((line) => void lines.push(JSON.parse(line))),
        textNarrator((line) => void printed.push(line), false),
      ),
    );
  } finally {
    await sandbox.stop();
    await database.drop();
  }
  assert.ok(lines.filter(({ kind }) => kind === 'chapter').length >= 8);
  assert.ok(lines.every(({ kind, why }) => kind !== 'step' || why));
  const excerpt = /npm run tour\n[\s\S]*?```text\n([\s\S]*?)```/.exec(readFileSync(join(projectRoot, 'README.md'), 'utf8'))?.[1] ?? '';
  assert.ok(excerpt.split('\n').length > 10);
  assert.ok(withoutIds(`${printed.join('\n')}\n`).includes(withoutIds(excerpt)), `the README shows\n${excerpt}`);
});
