// Fixtures on the wire.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import Type, { type Static } from 'typebox';
import { Closed } from '../../http/schemas.js';
import { SandboxClockRequest } from './clock-schemas.js';

const Name = (description: string) => Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_-]*$', description });

export const MAX_STEPS = 200;

const Step = Closed(
  {
    name: Name('Names the step within the fixture. Later steps refer to its answer by this name.'),
    call: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The operation, by its command: `customers create`. Each operation shows its command as `x-command`.',
      }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), { maxItems: 4, description: 'The parameters of the path, in their order.' }),
    ),
    query: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'The query parameters by name.' })),
    body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'The body of the request.' })),
    headers: Type.Optional(
      Closed(
        {
          'Request-Id': Type.Optional(
            Type.String({ maxLength: 255, description: 'Of a signed retry: the `requestId` of the initial answer.' }),
          ),
          'Service-Wallet-Signature': Type.Optional(
            Type.String({ maxLength: 4096, description: 'Of a signed retry: the signature of the end user.' }),
          ),
        },
        { title: 'SandboxFixtureStepHeaders', description: 'Headers of a signed retry.' },
      ),
    ),
    clock: Type.Optional(SandboxClockRequest),
  },
  { title: 'SandboxFixtureStep' },
);

export const SandboxFixtureRequest = Closed(
  {
    name: Name('Names the fixture. Its steps are applied once under this name.'),
    description: Type.Optional(Type.String({ maxLength: 1_000, description: 'What the fixture is for. Not stored.' })),
    steps: Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS, description: 'The calls and clock changes, in their order.' }),
    outputs: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 255 }), {
        description: 'Values to show in the answer by name, such as `"account": "${accounts.data.0.id}"`.',
      }),
    ),
  },
  { title: 'SandboxFixtureRequest' },
);

export type FixtureStep = Static<typeof Step>;
export type Fixture = Static<typeof SandboxFixtureRequest>;

export const SandboxFixture = Type.Object(
  {
    name: Type.String({ description: 'The name of the fixture.' }),
    applied: Type.Integer({ minimum: 0, description: 'How many steps were applied now.' }),
    unchanged: Type.Integer({ minimum: 0, description: 'How many steps had been applied before.' }),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The name of the step.' }),
          status: Type.Enum(['APPLIED', 'UNCHANGED'], { description: 'Whether it was applied now or before.' }),
          id: Type.Optional(Type.String({ description: 'The id of what the step made or changed, if its answer has one.' })),
        },
        { title: 'SandboxFixtureStepResult' },
      ),
      { description: 'The steps, in their order.' },
    ),
    outputs: Type.Record(Type.String(), Type.Unknown(), { description: 'The outputs that the fixture names.' }),
  },
  { title: 'SandboxFixture' },
);
