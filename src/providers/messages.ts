// Mail and text messages to end users. They contain secrets: this file must not log or store a message.
import { signatureOf } from './request-signature.js';

export type Message = {
  /** The same for every attempt, where there may be more than one. */
  readonly id?: string;
  readonly channel: 'EMAIL' | 'SMS';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The platform's sender; the installation's own sender when absent. */
  readonly sender?: { readonly address?: string | undefined; readonly name?: string | undefined; readonly replyTo?: string | undefined };
};

export type Messenger = {
  /** Checked before anything is written. */
  canSend(channel: Message['channel']): boolean;
  send(message: Message): Promise<void>;
};

/** Sandbox: the code is fixed, so nothing is sent. */
export const sandboxMessenger: Messenger = { canSend: () => true, send: async () => {} };

/** Live without a mail server and a gateway: one-time passwords cannot be used. */
export const noMessenger: Messenger = {
  canSend: () => false,
  send: async ({ channel }) => {
    throw new Error(`this installation sends nothing over ${channel}`);
  },
};

/** Each channel has a messenger of its own, or none. */
export const messengerOf = (channels: Partial<Record<Message['channel'], Messenger | undefined>>): Messenger => ({
  canSend: (channel) => channels[channel]?.canSend(channel) ?? false,
  send: (message) => (channels[message.channel] ?? noMessenger).send(message),
});

export type SmsGatewayOptions = {
  readonly url: string;
  readonly secret: string;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly clockMs?: () => number;
  readonly timeoutMs?: number;
};

export const SMS_HEADERS = { timestamp: 'Sms-Timestamp', signature: 'Sms-Signature' } as const;

const GATEWAY_TIMEOUT_MS = 10_000;

/** Text messages over HTTP. A gateway with another interface is connected by a small service that translates. */
export const smsGatewayMessenger = ({ url, secret, clockMs = Date.now, timeoutMs = GATEWAY_TIMEOUT_MS }: SmsGatewayOptions): Messenger => ({
  canSend: (channel) => channel === 'SMS',
  async send({ id, to, text }) {
    const body = JSON.stringify({ to, text });
    const timestamp = String(Math.floor(clockMs() / 1000));
    const response = await fetch(`${url}/messages`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        ...(id !== undefined && { 'idempotency-key': id }),
        [SMS_HEADERS.timestamp]: timestamp,
        [SMS_HEADERS.signature]: signatureOf(secret, timestamp, body),
      },
      body,
    });
    // The answer may quote the message.
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the SMS gateway answered ${response.status}`);
  },
});

export type SmtpOptions = { readonly url: string; readonly from: string };

/** Mail over SMTP, for example `smtps://user:password@mail.example.com`. */
export function smtpMessenger({ url, from }: SmtpOptions): Messenger {
  // Imported with the first mail: many installations send none.
  const connect = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ url, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 });
  };
  let transport: ReturnType<typeof connect> | undefined;
  return {
    canSend: (channel) => channel === 'EMAIL',
    async send({ to, subject, text, sender }) {
      transport ??= connect();
      const mail = {
        from: { name: sender?.name ?? '', address: sender?.address ?? from },
        // An object, so that a comma in an address cannot add a second recipient.
        to: { name: '', address: to },
        ...(sender?.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
        subject,
        text,
      };
      await (await transport).sendMail(mail).catch((error: unknown) => {
        throw new Error(smtpFailure(error));
      });
    },
  };
}

/** What of a failure may be logged: a mail server quotes the recipient in its answers, and a filter quotes the mail. */
function smtpFailure(error: unknown): string {
  const { responseCode, code } = error as { readonly responseCode?: unknown; readonly code?: unknown };
  return Number.isInteger(responseCode) ? `the mail server answered ${responseCode}` : `the mail could not be handed over: ${code}`;
}
