// The API document of a configuration, without a database: modules are asked what they declare, and nothing runs.
import { pino } from 'pino';
import { MODULES } from './app.js';
import { connectHooks, documentOf, operationsOf } from './compose.js';
import type { Config } from './config.js';
import type { Foundation } from './context.js';
import type { Words } from './http/words.js';

/** Stands for what a module keeps for its requests. Using it is a defect. */
const unusable = <Part extends object>(name: string): Part =>
  new Proxy({} as Part, {
    get: (_target, member) => {
      throw new Error(`${name}.${String(member)} is used while the API is described`);
    },
  });

export function describeApi(config: Config, words?: Words): Record<string, unknown> {
  const foundation: Foundation = {
    config,
    db: unusable('db'),
    decisionDb: unusable('decisionDb'),
    custody: unusable('custody'),
    secrets: unusable('secrets'),
    log: pino({ level: 'silent' }),
    url: () => '',
  };
  const context = connectHooks(foundation);
  const parts = MODULES.map((module) => module.create?.(context) ?? {});
  return documentOf(operationsOf(parts, context), config, words);
}
