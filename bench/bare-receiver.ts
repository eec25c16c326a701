// A webhook receiver in a separate process. It answers 200 and notifies its parent when it has received the requested number of events.
// It parses as little HTTP as possible, so that the result measures the sender.
import { type AddressInfo, createServer } from 'node:net';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const seen = new Set<string>();
let wanted = Number.POSITIVE_INFINITY;
const report = (): void => {
  if (seen.size < wanted) return;
  wanted = Number.POSITIVE_INFINITY;
  process.send?.(seen.size);
};
const server = createServer({ noDelay: true }, (socket) => {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n') + 4;
    // A sender waits for the response before its next request, so the buffer contains at most one request.
    if (end < 4 || text.length < end + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])) return;
    const id = /\r\nwebhook-id: (\S+)/i.exec(text)?.[1];
    text = '';
    if (id) seen.add(id);
    socket.write(OK);
    report();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`));
process.on('message', (count: number) => {
  wanted = count;
  report();
});
