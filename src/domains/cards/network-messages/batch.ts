// Messages of an issuer's processor that arrive while others are in flight are recorded together. Those that cannot be are recorded alone.
import { batched } from '../../../kernel/batch.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { findPlacesByToken, independent, MAX_TOGETHER, together } from '../authorizations/actions.js';
import { type MessageDeps, type Recorded, recordMessage } from './actions.js';
import type { IssuerMessage } from './network-message.js';

/** A message and the request that brought it: the cause of its events. */
type Sent = { readonly message: IssuerMessage; readonly requestId: string };

export type RecordMessage = (platformId: PlatformId, sent: Sent) => Promise<Recorded>;

/** `undefined`: to be recorded alone. */
type Queue = { readonly record: (sent: Sent) => Promise<Recorded | undefined>; open: number };

export function createBatchedRecord(deps: MessageDeps): RecordMessage {
  const queues = new Map<PlatformId, Queue>();
  return async (platformId, sent) => {
    const queue = queues.get(platformId) ?? {
      record: batched((all) => recordTogether(deps, platformId, all), { max: MAX_TOGETHER }),
      open: 0,
    };
    queues.set(platformId, queue);
    queue.open += 1;
    try {
      const { message, requestId } = sent;
      const recorded = await queue.record(sent);
      return recorded ?? (await deps.db.transaction((tx) => recordMessage(deps, tx, platformId, message), { requestId }));
    } finally {
      queue.open -= 1;
      if (queue.open === 0) queues.delete(platformId);
    }
  };
}

async function recordTogether(deps: MessageDeps, platformId: PlatformId, all: readonly Sent[]): Promise<(Recorded | undefined)[]> {
  const places = await findPlacesByToken(
    deps.db,
    platformId,
    all.map(({ message }) => message.issuerToken),
  );
  const items = independent(all, ({ message: { issuerToken, cardId } }) => {
    const place = places.get(issuerToken);
    return cardId === undefined || cardId === place?.cardId ? place : undefined;
  });
  const done = await together(deps.db, platformId, items, (tx, { message, requestId }, { cardId }) =>
    recordMessage(deps, { ...tx, cause: { requestId } }, platformId, { ...message, cardId }),
  );
  return all.map((sent) => done.get(sent));
}
