// The operation that applies a fixture.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import { type Operation, ok, okSealed, operation } from '../../http/operation.js';
import { isJsonObject } from '../../kernel/json.js';
import { SandboxFixture, SandboxFixtureRequest } from './fixture-schemas.js';
import type { AppliedFixture, ApplyFixture } from './fixtures.js';

export const fixtureRoutes = (applyFixture: ApplyFixture): Operation[] => [
  operation({
    id: 'applySandboxFixture',
    ungated: 'WAITS',
    method: 'POST',
    path: '/sandbox/fixtures',
    command: 'sandbox fixtures apply',
    tag: 'Sandbox',
    summary: 'Apply a fixture to the platform',
    description:
      'Runs the steps of a fixture in their order: calls of operations and changes of the clock, in JSON or in YAML. A step refers to the answer of an earlier one with `${step.member}`. Steps that were applied before are not repeated, so applying a fixture twice changes nothing, and a fixture that grew is continued. A step that is refused ends the run with 409 `CONFLICT`; the steps before it stay applied.',
    permission: 'MANAGE',
    sandbox: true,
    yaml: true,
    body: SandboxFixtureRequest,
    success: { 200: SandboxFixture },
    errors: ['CONFLICT'],
    handle: async ({ caller, body, requestId }) => {
      const applied = await applyFixture(caller, body, requestId);
      // Any member of any answer may be an output, also the secret of a token, under a name that does not tell.
      const answer = Object.keys(applied.outputs).length > 0 ? okSealed : ok;
      return answer(renderFixture(body.name, applied));
    },
  }),
];

const renderFixture = (name: string, { steps, outputs }: AppliedFixture) => ({
  name,
  applied: steps.filter(({ isNew }) => isNew).length,
  unchanged: steps.filter(({ isNew }) => !isNew).length,
  steps: steps.map(({ name: step, isNew, answer }) => ({
    name: step,
    status: isNew ? 'APPLIED' : 'UNCHANGED',
    ...(isJsonObject(answer) && typeof answer['id'] === 'string' ? { id: answer['id'] } : {}),
  })),
  outputs,
});
