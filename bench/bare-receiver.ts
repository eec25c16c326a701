// A webhook receiver in a process of its own: reads the body, answers 200, and tells its parent when it has had as many events as asked for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const seen = new Set<string>();
let wanted = Number.POSITIVE_INFINITY;
const tell = (): void => {
  if (seen.size < wanted) return;
  wanted = Number.POSITIVE_INFINITY;
  process.send?.(seen.size);
};
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    const id = request.headers['webhook-id'];
    if (typeof id === 'string') seen.add(id);
    response.end();
    tell();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`));
process.on('message', (count: number) => {
  wanted = count;
  tell();
});
