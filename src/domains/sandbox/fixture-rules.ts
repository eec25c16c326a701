// Fixtures: which operation a step calls, and what its references stand for. Pure.
import { createHash } from 'node:crypto';
import { isCallable } from '../../http/call-operation.js';
import { commandOf } from '../../http/command.js';
import { type Operation, pathParameters } from '../../http/operation.js';
import { ApiError, type FieldError, invalid } from '../../kernel/errors.js';
import { canonicalJson, isJsonObject } from '../../kernel/json.js';
import type { Fixture, FixtureStep } from './fixture-schemas.js';

export type PlannedStep = { readonly step: FixtureStep; readonly op: Operation; readonly hash: Buffer };

/** Operations that replace the platform's data, and fixtures themselves. */
const FORBIDDEN: ReadonlySet<string> = new Set(['resetSandbox', 'restoreSandboxSnapshot', 'applySandboxFixture']);
const CLOCK = 'sandbox clock set';

const REFERENCE = /\$\{([A-Za-z][\w-]*)((?:\.[\w-]+)*)\}/g;
const WHOLE = new RegExp(`^${REFERENCE.source}$`);

/** Every step with its operation. A fixture with a mistake is refused before anything is applied. */
export function planFixture({ steps, outputs = {} }: Fixture, operations: readonly Operation[]): PlannedStep[] {
  const commands = new Map(operations.filter((op) => isCallable(op) && !FORBIDDEN.has(op.id)).map((op) => [commandOf(op), op]));
  const errors: FieldError[] = [];
  const known = new Set<string>();
  const planned = steps.flatMap((step, i): PlannedStep[] => {
    const at = (member: string) => `steps.${i}.${member}`;
    if (known.has(step.name)) errors.push({ field: at('name'), message: 'is the name of an earlier step' });
    if ((step.call === undefined) === (step.clock === undefined)) {
      errors.push({ field: at('call'), message: 'a step has either a call or a clock' });
      return [];
    }
    const op = commands.get(step.call ?? CLOCK);
    if (!op) errors.push({ field: at('call'), message: 'is not the command of an operation that a fixture can call' });
    else if (step.call !== undefined && (step.ids ?? []).length !== pathParameters(op.path).length)
      errors.push({ field: at('ids'), message: `must be the values of ${pathParameters(op.path).join(', ') || 'no parameter'}` });
    for (const name of referencesOf(step)) if (!known.has(name)) errors.push({ field: at(name), message: 'is not an earlier step' });
    known.add(step.name);
    return op ? [{ step, op, hash: hashOf(step) }] : [];
  });
  for (const name of referencesOf(outputs)) if (!known.has(name)) errors.push({ field: `outputs.${name}`, message: 'is not a step' });
  if (errors.length > 0) throw invalid(...errors);
  return planned;
}

const hashOf = (step: FixtureStep): Buffer => createHash('sha256').update(canonicalJson(step)).digest();

function referencesOf(template: unknown): string[] {
  if (typeof template === 'string') return [...template.matchAll(REFERENCE)].map(([, name]) => name as string);
  if (Array.isArray(template)) return template.flatMap(referencesOf);
  return isJsonObject(template) ? Object.values(template).flatMap(referencesOf) : [];
}

/** Characters that the references of one step may stand for: an answer of a hundred records that names itself ten thousand times fills any memory. */
const MAX_FILLED_IN = 1024 * 1024;

/** A text that is one reference becomes the value; within a text it is written into it. */
export function fillIn(template: unknown, answers: ReadonlyMap<string, unknown>, step: string): unknown {
  let filledIn = 0;
  const count = (text: string): string => {
    filledIn += text.length;
    if (filledIn > MAX_FILLED_IN)
      throw new ApiError(
        'CONFLICT',
        { step, limit: MAX_FILLED_IN },
        { reason: `The references of the step ${step} stand for more than ${MAX_FILLED_IN} characters.` },
      );
    return text;
  };
  const memberOf = (name: string, path: string): unknown => {
    const value = path
      .split('.')
      .slice(1)
      .reduce<unknown>(
        (at, part) => (typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined),
        answers.get(name),
      );
    if (value === undefined)
      throw new ApiError(
        'CONFLICT',
        { step, reference: `${name}${path}` },
        { reason: `The answer of the step ${name} has no ${path.slice(1)}.` },
      );
    return value;
  };
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const [, name, path = ''] = WHOLE.exec(part) ?? [];
      if (name === undefined) return part.replaceAll(REFERENCE, (_all, one: string, at: string) => count(textOf(memberOf(one, at))));
      const value = memberOf(name, path);
      count(textOf(value));
      return value;
    }
    if (Array.isArray(part)) return part.map(fill);
    if (!isJsonObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, fill(member)]));
  };
  return fill(template);
}

/** What a value is within a text, a path or a query. An object may have a `toString` that is none. */
export const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

export type AppliedStep = { readonly hash: Buffer; readonly answer: unknown };

/** A step that was applied is not applied again, so its text must be the same. */
export function findChangedStep(planned: readonly PlannedStep[], applied: ReadonlyMap<string, AppliedStep>): string | undefined {
  return planned.find(({ step, hash }) => {
    const before = applied.get(step.name);
    return before && !before.hash.equals(hash);
  })?.step.name;
}
