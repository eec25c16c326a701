// The changes of rules files that no test can notice, with the reason. What was judged is in the program as it is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../src/root.js';
import { isAbout, JUDGED } from '../../prove/mutation/judged.js';
import { mutantsOf } from '../../prove/mutation/mutants.js';

const compiled = (file: string): string => readFileSync(join(projectRoot, 'dist/src', file.replace(/\.ts$/, '.js')), 'utf8');

test('every judged change can be made in its file, so none is left from code that is gone', () => {
  const gone = JUDGED.filter((judged) => {
    const code = compiled(judged.file);
    return !mutantsOf(code).some((mutant) => isAbout(judged, code, mutant));
  });
  assert.deepEqual(
    gone.map(({ file, what, within }) => `${file}: ${what} in ${within}`),
    [],
  );
});
