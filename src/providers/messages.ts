// Mail and text messages to end users. They contain secrets: this file must not log or store a message.

export type Message = {
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

/** Live without a mail server: one-time passwords cannot be used. */
export const noMessenger: Messenger = {
  canSend: () => false,
  send: async ({ channel }) => {
    throw new Error(`this installation sends nothing over ${channel}`);
  },
};

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
      await (await transport).sendMail({
        from: { name: sender?.name ?? '', address: sender?.address ?? from },
        // An object, so that a comma in an address cannot add a second recipient.
        to: { name: '', address: to },
        ...(sender?.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
        subject,
        text,
      });
    },
  };
}
