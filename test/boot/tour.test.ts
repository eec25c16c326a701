// The tour is an end-to-end test: it walks through the whole service and checks every step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from '../../src/testing.js';
import { jsonNarrator } from '../../tour/narrate.js';
import { tour } from '../../tour/tour.js';
import { createDatabase } from '../support/database.js';

test('the tour finds everything as promised', { timeout: 120_000 }, async () => {
  const database = await createDatabase();
  const sandbox = await startSandbox({ databaseUrl: database.url });
  const lines: { kind: string; why?: string }[] = [];
  try {
    await tour(
      sandbox,
      jsonNarrator((line) => void lines.push(JSON.parse(line))),
    );
  } finally {
    await sandbox.stop();
    await database.drop();
  }
  assert.ok(lines.filter(({ kind }) => kind === 'chapter').length >= 8);
  assert.ok(lines.every(({ kind, why }) => kind !== 'step' || why));
});
