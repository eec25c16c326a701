// Sends codes to the contacts of customers and confirms them. The lock of the customer keeps attempts in order.
import type { Tx } from '../../../db/pool.js';
import type { ApiError } from '../../../kernel/errors.js';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import { codeMatches, hashCode, newCode } from '../../../kernel/one-time-code.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Messenger } from '../../../providers/messages.js';
import { enqueueMessage, requireChannel } from '../../core/messages/actions.js';
import { getPlatform, type InstallationSecrets } from '../../core/platform/actions.js';
import { type ContactChannel, confirmContact, isInRegulatedRegion, lockCustomer } from '../customers/actions.js';
import type { Customer } from '../customers/customer.js';
import { CODE_LIFE_MS, CODE_TRIES, contactToVerify, countSend, tryCode } from './rules.js';
import { findCode, saveCode } from './store.js';

export type ContactDeps = {
  readonly custody: KeyCustody;
  readonly secrets: Pick<InstallationSecrets, 'requestHashKey'>;
  readonly messenger: Messenger;
  readonly isSandbox: boolean;
};

export type ContactRequest = {
  readonly platformId: PlatformId;
  readonly id: CustomerId | undefined;
  readonly channel: ContactChannel;
  readonly now: Date;
};

const MESSAGE_CHANNELS = { EMAIL: 'EMAIL', PHONE: 'SMS' } as const;

const codeContext = ({ platformId, channel }: ContactRequest, { id }: Customer, contact: string): string =>
  `contact ${platformId} ${id} ${channel} ${contact}`;

const contactOf = (customer: Customer, channel: ContactChannel): string =>
  contactToVerify({
    isRegulated: isInRegulatedRegion(customer),
    ...(channel === 'EMAIL'
      ? { contact: customer.email, verifiedAt: customer.emailVerifiedAt }
      : { contact: customer.phoneNumber, verifiedAt: customer.phoneVerifiedAt }),
  });

/** Sends a new code. The older one is void. */
export async function sendContactCode(tx: Tx, deps: ContactDeps, request: ContactRequest): Promise<void> {
  const { platformId, channel, now } = request;
  const customer = await lockCustomer(tx, platformId, request.id);
  const to = contactOf(customer, channel);
  const sentAt = countSend((await findCode(tx, platformId, customer.id, channel))?.sentAt ?? [], now);
  requireChannel(deps.messenger, MESSAGE_CHANNELS[channel]);
  const { name } = await getPlatform(tx, platformId);

  const code = newCode(deps.isSandbox);
  const codeHash = hashCode(deps.secrets.requestHashKey, codeContext(request, customer, to), code);
  const expiresAt = plusMs(now, CODE_LIFE_MS);

  saveCode(tx, platformId, customer.id, { channel, codeHash, triesLeft: CODE_TRIES, expiresAt, sentAt });
  enqueueMessage(tx, deps, platformId, now, {
    channel: MESSAGE_CHANNELS[channel],
    to,
    subject: `Your ${name} code`,
    text: `${code} is your ${name} code. It is valid for 10 minutes. Do not share it with anyone.`,
    expiresAt,
  });
}

/** The customer with the verified contact, or the refusal; a wrong code takes one of the tries. */
export async function confirmContactCode(
  tx: Tx,
  { secrets }: Pick<ContactDeps, 'secrets'>,
  request: ContactRequest & { readonly code: string },
): Promise<{ customer: Customer } | { refusal: ApiError }> {
  const { platformId, channel, now } = request;
  const customer = await lockCustomer(tx, platformId, request.id);
  const contact = contactOf(customer, channel);
  const sent = await findCode(tx, platformId, customer.id, channel);
  const hash = sent?.codeHash ?? null;
  const matches = hash !== null && codeMatches(secrets.requestHashKey, codeContext(request, customer, contact), request.code, hash);

  const attempt = tryCode(sent, matches, now);

  if (attempt.code) saveCode(tx, platformId, customer.id, attempt.code);
  if (attempt.kind === 'REFUSED') return { refusal: attempt.refusal };
  return { customer: await confirmContact(tx, platformId, customer, channel, now) };
}
