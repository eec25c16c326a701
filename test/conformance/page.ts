// docs/conformance.md, made by `npm run draw`.

import type { Statement, TestName } from './statement.js';
import { SECTIONS } from './statements/index.js';

const all = SECTIONS.flatMap(({ statements }) => statements);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** `operations/cards/cards/updateCardById.test.ts` → a link with the words of the test. */
const link = ({ file, title }: TestName): string => `[${cell(title.replaceAll(/[[\]]/g, '\\$&'))}](../test/${file})`;

const row = ({ id, says, tests, notHeld }: Statement): string =>
  `| ${id} | ${cell(says).replaceAll('&lt;', '<')} | ${notHeld ? `Not held. ${notHeld.reason}` : tests.map(link).join('<br>')} |`;

export function conformancePage(): string {
  const open = all.filter(({ notHeld }) => notHeld);
  const sections = SECTIONS.map(({ title, statements }) =>
    [`## ${title}`, '', '| Id | Statement | Tests |', '|---|---|---|', ...statements.map(row), ''].join('\n'),
  );
  return `<!-- Made by \`npm run draw\` from test/conformance. Do not edit. -->

# Conformance

Every statement of the specification, in our own words, with the tests that hold it. ${all.length} statements; ${all.length - open.length} are held by tests, and ${open.length} are not held, with the reason.
\`npm run check\` fails when a named test does not exist, when an id is used twice, or when a statement has neither a test nor a reason. The tests run with \`npm test\`.
A title with \`\${…}\` stands for all tests that are made from it.

Not held: ${open.map(({ id }) => id).join(', ')}.

${sections.join('\n')}`;
}
