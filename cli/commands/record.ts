// `switchyard record`: stands between a client and the service, and writes the calls, their answers and the events that followed to a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Caller } from '../call.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { KEPT_HEADERS, type RecordedCall, type Recording } from '../recording.js';
import { writeSecretFile } from '../session.js';

export async function record(context: Context, [file, command, ...args]: readonly string[], flags: OwnFlags): Promise<void> {
  if (file === undefined) throw usage('usage: switchyard record FILE [--port N] [-- COMMAND …]');
  const caller = callerOf(context);
  const { body: clock } = await caller.call({ method: 'GET', path: '/sandbox/clock' });
  const newest = await newestEvent(caller);
  const calls: RecordedCall[] = [];
  // A request or an answer that breaks off ends its own exchange, and is no call of the recording.
  const server = createServer((incoming, outgoing) => void forward(caller, incoming, outgoing, calls).catch(() => outgoing.destroy()));
  server.listen(Number(flags['port'] ?? 0), '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(caller.settings.url).pathname}`;
  const ended = command === undefined ? interrupted(context, url) : run(command, args, url, caller);
  const code = await ended.finally(() => {
    server.close();
    server.closeAllConnections();
  });
  const recording: Recording = { format: 1, version: context.table.version, clock, calls, events: await eventsSince(caller, newest) };
  writeSecretFile(file, recording);
  context.warn(`${calls.length} calls and ${recording.events.length} events in ${file}. It may hold secrets of the sandbox.`);
  if (code !== 0) throw new Stop(EXIT.refused, `${command} ended with ${code}`);
}

/** The command finds the recorder where it looks for the service. */
async function run(command: string, args: readonly string[], url: string, { settings }: Caller): Promise<number> {
  const env = { ...process.env, SWITCHYARD_URL: url, SWITCHYARD_TOKEN_ID: settings.tokenId, SWITCHYARD_TOKEN_SECRET: settings.secret };
  const child = spawn(command, [...args], { env, stdio: 'inherit' });
  const [code] = (await once(child, 'close').catch((error: Error) => {
    throw usage(`cannot run ${command}: ${error.message}`);
  })) as [number | null];
  return code ?? 1;
}

async function interrupted({ warn }: Context, url: string): Promise<number> {
  warn(`Recording. Send requests to ${url} and end with Ctrl-C.`);
  process.removeAllListeners('SIGINT');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  return 0;
}

async function forward({ settings }: Caller, incoming: IncomingMessage, outgoing: ServerResponse, calls: RecordedCall[]): Promise<void> {
  const sent = await bytesOf(incoming);
  const target = new URL(settings.url);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const { host: _host, connection: _connection, ...headers } = incoming.headers;
  const onward = send({
    hostname: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, host: target.host },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    onward.on('response', resolve).on('error', reject).end(sent);
  });
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  if (String(response.headers['content-type']).startsWith('text/event-stream')) {
    outgoing.once('close', () => onward.destroy());
    return void response.pipe(outgoing);
  }
  const answered = await bytesOf(response);
  outgoing.end(answered);
  const path = (incoming.url ?? '').slice(target.pathname.length);
  if (incoming.url?.startsWith(`${target.pathname}/`)) calls.push(callOf(incoming, path, sent, response, answered));
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function callOf(
  { method = '', headers }: IncomingMessage,
  path: string,
  sent: Buffer,
  response: IncomingMessage,
  answered: Buffer,
): RecordedCall {
  const kept = Object.fromEntries(KEPT_HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    method,
    path,
    ...(sent.length > 0 ? { body: sent.toString('utf8') } : {}),
    ...(Object.keys(kept).length > 0 ? { headers: kept } : {}),
    status: response.statusCode ?? 0,
    ...(isJson && answered.length > 0 ? { answer: JSON.parse(answered.toString('utf8')) } : {}),
  };
}

type Event = { readonly id: string; readonly type: string; readonly objectId: string };

export async function newestEvent(caller: Caller): Promise<string | undefined> {
  return (await caller.call({ method: 'GET', path: '/webhooks/events', query: { limit: 1 } })).body.data[0]?.id;
}

/** Oldest first. */
export async function eventsSince(caller: Caller, newest: string | undefined): Promise<Recording['events']> {
  const found: Event[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const { body } = await caller.call({ method: 'GET', path: '/webhooks/events', query });
    const page = body.data as Event[];
    const known = page.findIndex(({ id }) => id === newest);
    found.push(...(known < 0 ? page : page.slice(0, known)));
    if (known >= 0 || !body.hasMore) break;
    cursor = body.nextCursor;
  }
  return found.reverse().map(({ type, objectId }) => ({ type, objectId }));
}
