// The baseline for reads: a Fastify server in a separate process, with one route that answers fixed bytes.
import Fastify from 'fastify';

const bytes = process.argv[2] as string;
const app = Fastify();
app.get('/resource', async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(bytes));
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
