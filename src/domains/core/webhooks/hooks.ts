// Hooks of webhooks, answered by later domains.
import type { Caller } from '../../../http/operation.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { EventType } from './event.js';

/** Whether the credential that opened an event stream is still valid. */
export const credentialUsable = defineHook<(caller: Caller) => Promise<boolean>>('webhooks.credential-usable');

/** What a receiver answered to an event that asks the platform for a decision. `failure` when it gave no answer. */
export type ReceiverAnswer = {
  readonly platformId: PlatformId;
  readonly type: EventType;
  readonly objectId: string;
  readonly result: { readonly status: number; readonly body: string } | { readonly failure: string };
};

/** Called once per question, before its outcome is recorded and outside of a transaction. */
export const questionAnswered = defineHook<(answer: ReceiverAnswer) => Promise<void>>('webhooks.question-answered');

/** Of a sandbox: the event counts as delivered and is not sent, or it is sent twice. */
export type DeliveryFault = 'LOST' | 'DUPLICATE';

/** What goes wrong on purpose with a delivery. Called before every attempt of a sandbox, outside of a transaction. */
export const deliveryFault =
  defineHook<
    (platformId: PlatformId, event: { readonly type: EventType; readonly objectId: string }) => Promise<DeliveryFault | undefined>
  >('webhooks.delivery-fault');
