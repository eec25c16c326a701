// A webhook receiver in a process of its own: reads the body, answers 200, and tells its parent how many it has had when asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const seen = new Set<string>();
let posts = 0;
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    posts += 1;
    const id = request.headers['webhook-id'];
    if (typeof id === 'string') seen.add(id);
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`));
process.on('message', () => process.send?.({ posts, distinct: seen.size }));
