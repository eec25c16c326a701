// The document that a new sandbox serves, without a database or a server. `npm run generate` makes the client from it.
import { MODULES } from './app.js';
import { connectHooks, documentOf } from './compose.js';
import { readConfig } from './config.js';

/** Modules declare their operations without calling what they are made from. A module that calls it fails here by name. */
const unreachable = (name: string): never =>
  new Proxy({} as never, {
    get: (_target, member) => {
      throw new Error(`the document needs no ${name}, but a module read ${name}.${String(member)}`);
    },
  });

export function sandboxDocument(): Record<string, unknown> {
  const config = readConfig({});
  const context = connectHooks({
    config,
    db: unreachable('db'),
    decisionDb: unreachable('decisionDb'),
    custody: unreachable('custody'),
    secrets: unreachable('secrets'),
    log: unreachable('log'),
    url: () => '',
  });
  const operations = MODULES.flatMap((module) => module.create?.(context).operations ?? []);
  return documentOf(operations, config);
}
