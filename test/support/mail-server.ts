// An SMTP server that stores received mails. It supports the commands of a regular client.
import { createServer, type Socket } from 'node:net';

export type Mail = { readonly from: string; readonly to: string[]; readonly data: string };
export type MailServer = {
  readonly url: string;
  readonly received: Mail[];
  /** Refuses the next mails, with an answer that quotes recipient and content, as filters do. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const received: Mail[] = [];
  const sockets = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
    let from = '';
    let to: string[] = [];
    let data: string | undefined;
    let pending = '';
    const line = (text: string) => {
      if (data !== undefined) {
        if (text !== '.') {
          data += `${text}\n`;
          return;
        }
        if (isRefusing) socket.write(`554 5.7.1 <${to.join()}> content refused: ${data.trim().split('\n').at(-1)}\r\n`);
        else {
          received.push({ from, to, data });
          socket.write('250 kept\r\n');
        }
        data = undefined;
      } else if (/^DATA$/i.test(text)) {
        data = '';
        socket.write('354 go on\r\n');
      } else if (/^QUIT$/i.test(text)) {
        socket.end('221 bye\r\n');
      } else {
        const address = /<(.*)>/.exec(text)?.[1] ?? '';
        if (/^MAIL/i.test(text)) [from, to] = [address, []];
        if (/^RCPT/i.test(text)) to.push(address);
        socket.write('250 fine\r\n');
      }
    };
    socket.on('data', (chunk) => {
      const lines = (pending + chunk.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const text of lines) line(text);
    });
    socket.write('220 mail.test\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse(refusing) {
      isRefusing = refusing;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
