// Mail and text messages to end users. What they carry is secret: nothing here logs or keeps a message.

export type Message = {
  readonly channel: 'EMAIL' | 'SMS';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** How the platform wants its mail to be signed; the installation's own sender when absent. */
  readonly sender?: { readonly address?: string | undefined; readonly name?: string | undefined; readonly replyTo?: string | undefined };
};

export type Messenger = {
  /** A channel this installation cannot send over is refused before anything is written. */
  canSend(channel: Message['channel']): boolean;
  send(message: Message): Promise<void>;
};

/** Sandbox: every code is known, so nothing has to be sent. */
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
  // Read with the first mail: most services send none.
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
        // An object, so that a comma in an address can never name a second recipient.
        to: { name: '', address: to },
        ...(sender?.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
        subject,
        text,
      });
    },
  };
}
