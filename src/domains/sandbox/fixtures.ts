// Applies fixtures: named steps, each of which calls an operation once.

import { withFixturesLock } from '../../db/named-locks.js';
import type { Db } from '../../db/pool.js';
import type { CallOperation } from '../../http/call-operation.js';
import { type Caller, type Operation, pathParameters } from '../../http/operation.js';
import { ApiError } from '../../kernel/errors.js';
import { isJsonObject } from '../../kernel/json.js';
import { createSerializer } from '../../kernel/serializer.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import { platformNow } from '../core/platform/actions.js';
import { type AppliedStep, fillIn, findChangedStep, type PlannedStep, planFixture, textOf } from './fixture-rules.js';
import type { Fixture } from './fixture-schemas.js';
import { findAppliedSteps, insertAppliedStep } from './fixture-store.js';

export type FixtureDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly operations: () => readonly Operation[];
  readonly callOperation: CallOperation;
};

export type AppliedFixture = {
  readonly steps: readonly { readonly name: string; readonly isNew: boolean; readonly answer: unknown }[];
  readonly outputs: Readonly<Record<string, unknown>>;
};
export type ApplyFixture = (caller: Caller, fixture: Fixture, requestId: string) => Promise<AppliedFixture>;

/** Fixtures of one platform are applied one after the other, in this process and in all. */
export function createApplyFixture(deps: FixtureDeps): ApplyFixture {
  const serialized = createSerializer();
  return (caller, fixture, requestId) => {
    const planned = planFixture(fixture, deps.operations());
    return serialized(caller.platformId, () =>
      withFixturesLock(deps.db, caller.platformId, () => applyFixture(deps, caller, fixture, planned, requestId)),
    );
  };
}

async function applyFixture(
  deps: FixtureDeps,
  caller: Caller,
  { name, outputs = {} }: Fixture,
  planned: readonly PlannedStep[],
  requestId: string,
): Promise<AppliedFixture> {
  const { db, custody } = deps;
  const applied = await findAppliedSteps(db, custody, caller.platformId, name);
  const changed = findChangedStep(planned, applied);
  if (changed !== undefined)
    throw new ApiError(
      'CONFLICT',
      { fixture: name, step: changed },
      { reason: `The step ${changed} was applied before with another content. Reset the platform, or give the step another name.` },
    );

  const answers = new Map<string, unknown>();
  const steps: { name: string; isNew: boolean; answer: unknown }[] = [];
  for (const one of planned) {
    const before = applied.get(one.step.name);
    const answer = before ? before.answer : await applyStep(deps, caller, name, one, answers, requestId);
    answers.set(one.step.name, answer);
    steps.push({ name: one.step.name, isNew: !before, answer });
  }
  return { steps, outputs: fillIn(outputs, answers, 'outputs') as Record<string, unknown> };
}

/**
 * The effect commits before the record of the step. A crash between the two repeats the step, and its Idempotency-Key, where the operation
 * takes one, then finds the first answer.
 */
async function applyStep(
  { db, custody, callOperation }: FixtureDeps,
  caller: Caller,
  fixture: string,
  { step, op, hash }: PlannedStep,
  answers: ReadonlyMap<string, unknown>,
  requestId: string,
): Promise<AppliedStep['answer']> {
  const { ids = [], query = {}, body, headers = {} } = fillIn(step, answers, step.name) as typeof step;
  const now = await platformNow(db, caller.platformId);
  const call = {
    requestId,
    params: Object.fromEntries(pathParameters(op.path).map((name, i) => [name, textOf(ids[i])])),
    query: Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.map(textOf) : textOf(value)]),
    ),
    ...(step.clock ? { body: step.clock } : body === undefined ? {} : { body }),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)])),
      ...(op.idempotency && { 'idempotency-key': `fixture ${fixture} ${step.name}` }),
    },
  };
  const outcome = await callOperation(op, { ...caller, now }, call).catch((error: unknown) => {
    // The file is right, and applying it again goes on from here.
    if (!(error instanceof ApiError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    return { status: error.status, body: { code: error.code, reason: error.message, details: error.details } };
  });
  if (outcome.status >= 400) throw refusedStep(fixture, step.name, outcome);
  const answer = outcome.body;
  await insertAppliedStep(db, custody, caller.platformId, { fixture, step: step.name, hash, answer, now });
  return answer;
}

function refusedStep(fixture: string, step: string, { status, body }: { readonly status: number; readonly body: unknown }): ApiError {
  const { code, reason, details } = isJsonObject(body) ? body : {};
  const answer = { status, code, reason, ...(details === undefined ? {} : { details }) };
  return new ApiError(
    'CONFLICT',
    { fixture, step, answer },
    {
      reason: `The step ${step} was refused with ${status} ${String(code)}. The steps before it are applied; correct the file and apply it again.`,
    },
  );
}
