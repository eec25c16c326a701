// Hooks of webhooks, answered by later domains.
import type { Caller } from '../../../http/operation.js';
import { defineHook } from '../../../kernel/hook.js';

/** Whether the credential that opened an event stream is still valid. */
export const credentialUsable = defineHook<(caller: Caller) => Promise<boolean>>('webhooks.credential-usable');
