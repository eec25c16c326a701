// One request and what followed from it: the objects it touched, the events it made, and how far their delivery has come.
import { type Context, callerOf, runOperation } from '../operation-command.js';
import type { CommandOperation } from '../operations.js';
import type { OwnFlags } from '../own.js';
import { type Output, paint, shortId } from '../show.js';

type Logged = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly status: number;
  readonly code?: string;
  readonly durationMs: number;
  readonly timestamp: string;
  readonly idempotencyKey?: string;
  readonly signedLeg?: string;
  readonly objectIds: readonly string[];
  readonly eventIds: readonly string[];
};
type Attempt = { readonly number: number; readonly durationMs: number; readonly responseStatus?: number; readonly failure?: string };
type Delivered = {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly deliveryStatus: 'PENDING' | 'DELIVERED' | 'FAILED' | 'NOT_QUEUED';
  readonly nextAttemptAt?: string;
  readonly attempts: readonly Attempt[];
};

export async function get(context: Context, words: readonly string[], flags: OwnFlags): Promise<void> {
  const { output, table } = context;
  const operation = table.operation('requests get') as CommandOperation;
  if (!flags['trace'] || words.length !== 1) return runOperation(context, operation, words, { words, flags: [] });
  const caller = callerOf(context);
  const request = (await caller.call({ method: 'GET', path: `/requests/${encodeURIComponent(words[0] as string)}` })).body as Logged;
  const events: Delivered[] = [];
  for (const id of request.eventIds) {
    // An event may have passed its retention.
    const { status, body } = await caller.send({ method: 'GET', path: `/webhooks/events/${encodeURIComponent(id)}` });
    if (status === 200) events.push(body as Delivered);
  }
  output.write(output.isText ? textOf(output, request, events) : JSON.stringify({ request, events }));
}

function textOf(output: Output, request: Logged, events: readonly Delivered[]): string {
  const { method, path, operation, status, code, durationMs, timestamp, idempotencyKey, signedLeg, objectIds } = request;
  const facts = [idempotencyKey && `key ${idempotencyKey}`, signedLeg && `signed leg ${signedLeg}`].filter((fact) => fact);
  return [
    `${paint(output, 'dim', timestamp)} ${status}${code ? ` ${code}` : ''} ${operation} in ${Math.round(durationMs)} ms`,
    `  ${method} ${shortId(path)}${facts.length > 0 ? `  (${facts.join(', ')})` : ''}`,
    ...(objectIds.length > 0 ? [`  touched ${objectIds.join(' ')}`] : []),
    ...(events.length === 0 ? ['  made no event'] : []),
    ...events.flatMap((event) => [
      `  → ${event.type} ${shortId(event.objectId)}${stateOf(event)}  ${event.id}`,
      `      ${deliveryOf(event)}`,
    ]),
  ].join('\n');
}

const stateOf = ({ data }: Delivered): string => {
  const status = data['status'] ?? data['kycStatus'];
  return typeof status === 'string' ? ` ${status}` : '';
};

const DELIVERY: Readonly<Record<Delivered['deliveryStatus'], string>> = {
  DELIVERED: 'delivered',
  PENDING: 'waits for its delivery',
  FAILED: 'was given up',
  NOT_QUEUED: 'was not sent: the platform had no endpoint',
};

function deliveryOf({ deliveryStatus, attempts, nextAttemptAt }: Delivered): string {
  const tried = attempts.toReversed().map(({ number, responseStatus, failure, durationMs }) => {
    return `attempt ${number} ${responseStatus ?? failure ?? 'without an answer'} in ${Math.round(durationMs)} ms`;
  });
  return [DELIVERY[deliveryStatus], ...tried, ...(nextAttemptAt ? [`next at ${nextAttemptAt}`] : [])].join(', ');
}
