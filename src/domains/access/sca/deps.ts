import type { Hooks } from '../../../kernel/hook.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Messenger } from '../../../providers/messages.js';
import type { InstallationSecrets } from '../../core/platform/actions.js';
import type { Mode } from '../../core/platform/platform.js';

export type ScaDeps = {
  readonly custody: KeyCustody;
  /** The key of the hashes of codes. */
  readonly secrets: Pick<InstallationSecrets, 'requestHashKey'>;
  readonly messengers: Readonly<Record<Mode, Messenger>>;
  readonly isSandbox: boolean;
  readonly hooks: Hooks;
};
