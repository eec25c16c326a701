// Faults on the wire.
import Type, { type Static } from 'typebox';
import { Closed } from '../../http/schemas.js';
import { lateCheck } from '../../http/validate.js';
import { PROVIDERS } from '../../providers/sandbox-faults.js';

export const FAULT_KINDS = [
  'ANSWER',
  'DELAY',
  'CUT_BEFORE_COMMIT',
  'CUT_AFTER_COMMIT',
  'WEBHOOK_LOST',
  'WEBHOOK_DUPLICATE',
  'PROVIDER_REFUSES',
  'PROVIDER_SLOW',
  'PROVIDER_SILENT',
] as const;

export const MAX_FAULTS = 50;
export const MAX_DELAY_MS = 10_000;

const members = {
  kind: Type.Enum(FAULT_KINDS, {
    description:
      'What goes wrong. `ANSWER`: the request is refused with `code` and nothing happens. `DELAY`: it waits `delayMs` first. `CUT_BEFORE_COMMIT`: the connection is cut and nothing happens. `CUT_AFTER_COMMIT`: everything happens and the connection is cut instead of an answer. `WEBHOOK_LOST`: an event counts as delivered and is not sent. `WEBHOOK_DUPLICATE`: it is sent twice. `PROVIDER_REFUSES`, `PROVIDER_SLOW`, `PROVIDER_SILENT`: a party behind the service refuses, takes `delayMs` longer, or does not answer.',
  }),
  operation: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The operation id whose requests it applies to. Without it: every operation. Requests of the console are left out.',
    }),
  ),
  code: Type.Optional(
    Type.String({ maxLength: 100, description: 'Of `ANSWER`: an error code that the document lists for the operation.' }),
  ),
  delayMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 366 * 86_400_000,
      description: `Of \`DELAY\`: at most ${MAX_DELAY_MS}. Of \`PROVIDER_SLOW\`: how much longer the provider takes; rails and verifications take it by the platform's clock, issuers at most ${MAX_DELAY_MS} in real time.`,
    }),
  ),
  eventType: Type.Optional(
    Type.String({ maxLength: 100, description: 'Of the webhook faults: the type of event. Without it: every event.' }),
  ),
  provider: Type.Optional(Type.Enum(PROVIDERS, { description: 'Of the provider faults: which one.' })),
  objectId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only requests that name this id in path or body, or events about it.' }),
  ),
  share: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'The share of cases in which it happens, drawn each time. Without it: always.',
    }),
  ),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'How often it happens: 2 for the next two cases. Without it: until it is removed.',
    }),
  ),
};

export const SandboxFault = Closed(members, { title: 'SandboxFault' });

export const SandboxFaultsRequest = Closed(
  {
    faults: Type.Array(SandboxFault, {
      maxItems: MAX_FAULTS,
      description: 'All faults of the platform; earlier ones are gone. The first that applies wins.',
    }),
  },
  { title: 'SandboxFaultsRequest' },
);

export type Fault = Static<typeof SandboxFault>;
export type SetFault = Fault & { readonly remaining?: number };

export const SandboxFaults = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          ...members,
          remaining: Type.Optional(Type.Integer({ minimum: 0, description: 'How often it still happens, of a fault with a count.' })),
        },
        { title: 'SandboxFaultState' },
      ),
      { description: 'The faults in their order.' },
    ),
  },
  { title: 'SandboxFaults' },
);

const checkFaultList = lateCheck(SandboxFaultsRequest);

/** Faults that did not come with a request. */
export function parseFaults(faults: readonly unknown[]): readonly Fault[] {
  checkFaultList({ faults });
  return faults as readonly Fault[];
}
