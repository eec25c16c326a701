// The generated sections of ARCHITECTURE.md, by the name of their markers.
import { CARD_TRANSACTION_MOVES } from '../../src/domains/cards/authorizations/lifecycle.js';
import { drawDomains, drawStates, drawTables } from './architecture.js';

export const sectionsOf = (): ReadonlyMap<string, string> =>
  new Map([
    ['domain graph', drawDomains()],
    ['table owners', drawTables()],
    ['card transaction states', drawStates(CARD_TRANSACTION_MOVES)],
  ]);

/** The page with every generated section regenerated. */
export function renewSections(page: string): string {
  let renewed = page;
  for (const [name, drawing] of sectionsOf()) {
    const section = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`);
    if (!section.test(renewed)) throw new Error(`ARCHITECTURE.md has no section ${name}`);
    renewed = renewed.replace(section, (_whole, before: string, after: string) => `${before}${drawing}\n${after}`);
  }
  return renewed;
}
