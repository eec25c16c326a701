// Which faults can be set, and which apply to a request, an event or a provider. Pure.
import { errorCodesOf, type Operation } from '../../http/operation.js';
import { ERRORS, type ErrorCode, type FieldError, invalid } from '../../kernel/errors.js';
import { EVENT_TYPES } from '../core/webhooks/event.js';
import { type Fault, MAX_DELAY_MS } from './fault-schemas.js';

type Kind = Fault['kind'];
type Member = Exclude<keyof Fault, 'kind' | 'share' | 'count'>;

const REQUEST: readonly Member[] = ['operation', 'objectId'];
const WEBHOOK: readonly Member[] = ['eventType', 'objectId'];

/** The members of each kind beside `share` and `count`, and those that it needs. */
const MEMBERS: Readonly<Record<Kind, { readonly takes: readonly Member[]; readonly needs: readonly Member[] }>> = {
  ANSWER: { takes: [...REQUEST, 'code'], needs: ['code'] },
  DELAY: { takes: [...REQUEST, 'delayMs'], needs: ['delayMs'] },
  CUT_BEFORE_COMMIT: { takes: REQUEST, needs: [] },
  CUT_AFTER_COMMIT: { takes: REQUEST, needs: [] },
  WEBHOOK_LOST: { takes: WEBHOOK, needs: [] },
  WEBHOOK_DUPLICATE: { takes: WEBHOOK, needs: [] },
  PROVIDER_REFUSES: { takes: ['provider'], needs: ['provider'] },
  PROVIDER_SLOW: { takes: ['provider', 'delayMs'], needs: ['provider', 'delayMs'] },
  PROVIDER_SILENT: { takes: ['provider'], needs: ['provider'] },
};

const ALL_MEMBERS: readonly Member[] = ['operation', 'code', 'delayMs', 'eventType', 'provider', 'objectId'];

/** A fault on these must end by itself: they are how faults are removed. */
const CONTROLS: ReadonlySet<string> = new Set(['getSandboxFaults', 'setSandboxFaults', 'deleteSandboxFaults']);

/** Waits in real time. */
const waits = ({ kind, provider }: Fault): boolean => kind === 'DELAY' || provider === 'CARD_ISSUER' || provider === 'STABLECOIN_ISSUER';

export function checkFaults(faults: readonly Fault[], operations: readonly Operation[]): void {
  const errors = faults.flatMap((fault, i) =>
    problemsOf(fault, operations).map(({ field, ...rest }) => ({ field: `faults.${i}.${field}`, ...rest })),
  );
  if (errors.length > 0) throw invalid(...errors);
}

function problemsOf(fault: Fault, operations: readonly Operation[]): FieldError[] {
  const { takes, needs } = MEMBERS[fault.kind];
  const errors: FieldError[] = [
    ...needs.filter((name) => fault[name] === undefined).map((field) => ({ field, message: `is required for ${fault.kind}` })),
    ...ALL_MEMBERS.filter((name) => fault[name] !== undefined && !takes.includes(name)).map((field) => ({
      field,
      message: `is no member of ${fault.kind}`,
    })),
  ];
  if (errors.length > 0) return errors;
  const named = operations.filter(({ id }) => fault.operation === undefined || id === fault.operation);
  if (named.length === 0) errors.push({ field: 'operation', message: 'is not the id of an operation' });
  else if (fault.code !== undefined && !named.some((op) => lists(op, fault.code as string)))
    errors.push({ field: 'code', message: 'is not a code that the document lists for the operation' });
  if (fault.operation !== undefined && CONTROLS.has(fault.operation) && fault.count === undefined)
    errors.push({ field: 'count', message: 'is required, because this operation removes faults' });
  if (fault.eventType !== undefined && !(EVENT_TYPES as readonly string[]).includes(fault.eventType))
    errors.push({ field: 'eventType', message: 'is not a type of event' });
  if (fault.delayMs !== undefined && waits(fault) && fault.delayMs > MAX_DELAY_MS)
    errors.push({ field: 'delayMs', message: `must be at most ${MAX_DELAY_MS}`, constraint: { maximum: MAX_DELAY_MS } });
  return errors;
}

const lists = (op: Operation, code: string): code is ErrorCode => code in ERRORS && errorCodesOf(op).includes(code as ErrorCode);

/** Whether a fault applies to a request that names these texts in its path and body. */
export function appliesToRequest(fault: Fault, op: Operation, names: (id: string) => boolean): boolean {
  if (!MEMBERS[fault.kind].takes.includes('operation')) return false;
  if (fault.operation === undefined ? CONTROLS.has(op.id) : fault.operation !== op.id) return false;
  if (fault.code !== undefined && !lists(op, fault.code)) return false;
  return fault.objectId === undefined || names(fault.objectId);
}

export const appliesToEvent = (fault: Fault, event: { readonly type: string; readonly objectId: string }): boolean =>
  (fault.kind === 'WEBHOOK_LOST' || fault.kind === 'WEBHOOK_DUPLICATE') &&
  (fault.eventType === undefined || fault.eventType === event.type) &&
  (fault.objectId === undefined || fault.objectId === event.objectId);

/** A delay goes on to the next fault; every other one decides the request. */
export const isFinal = ({ kind }: Fault): boolean => kind !== 'DELAY';
