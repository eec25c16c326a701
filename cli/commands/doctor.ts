// Checks what commonly goes wrong: the service, the token, the webhook endpoint, what waits for it, and the clock.
import { connect } from 'node:net';
import { EXIT, Stop } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';

type Finding = { readonly state: 'ok' | 'note' | 'WRONG'; readonly what: string };
const ok = (what: string): Finding => ({ state: 'ok', what });
const note = (what: string): Finding => ({ state: 'note', what });
const wrong = (what: string): Finding => ({ state: 'WRONG', what });

export async function doctor(context: Context): Promise<void> {
  const { output, table } = context;
  const caller = callerOf(context);
  const { settings } = caller;
  const findings: Finding[] = [ok(`settings from ${settings.source}`)];
  const report = (): void => {
    output.write(output.isText ? findings.map(({ state, what }) => `${state.padEnd(5)} ${what}`).join('\n') : JSON.stringify(findings));
  };
  const origin = new URL(settings.url).origin;
  const served = (await (await reach(`${origin}/openapi.json`)).json()) as { info: { version: string }; paths: Record<string, unknown> };
  const isSandbox = '/sandbox/clock' in served.paths;
  findings.push(ok(`service ${served.info.version} ${isSandbox ? 'sandbox' : 'live'} at ${settings.url}`));
  if (served.info.version !== table.version)
    findings.push(
      note(`this command line is of version ${table.version}; \`--spec ${origin}/openapi.json\` reads the commands of the service`),
    );

  const config = await caller.send({ method: 'GET', path: '/config' });
  if (config.status === 401)
    findings.push(wrong(`token ${settings.tokenId} is refused: ${config.body?.details?.cause ?? config.body?.code}`));
  else if (config.status !== 200) findings.push(wrong(`GET /config answers ${config.status} ${config.body?.code ?? ''}`));
  else {
    const tokens = (await caller.send({ method: 'GET', path: '/tokens', query: { limit: 100 } })).body?.data as
      | { clientId?: string; permissions?: string[] }[]
      | undefined;
    const own = tokens?.find(({ clientId }) => clientId === settings.tokenId);
    findings.push(ok(`token ${settings.tokenId}${own?.permissions ? `: ${own.permissions.join(' ')}` : ''}`));
    findings.push(await endpointOf(config.body.webhookEndpoint));
    const waiting = await countOf('PENDING');
    const failed = await countOf('FAILED');
    if (waiting) findings.push(note(`${waiting} events wait for their delivery: \`switchyard events list --delivery-status PENDING\``));
    if (failed) findings.push(note(`${failed} events were given up: \`switchyard webhooks replay --since 7d --undelivered-only\``));
    if (isSandbox) {
      const { now, frozen } = (await caller.send({ method: 'GET', path: '/sandbox/clock' })).body;
      findings.push(
        (frozen ? note : ok)(
          `clock ${now} ${frozen ? 'frozen: nothing falls due until `switchyard clock advance` or `resume`' : 'running'}`,
        ),
      );
    }
  }
  report();
  if (findings.some(({ state }) => state === 'WRONG'))
    throw new Stop(EXIT.refused, `${findings.filter(({ state }) => state === 'WRONG').length} wrong`);

  async function countOf(deliveryStatus: string): Promise<number | string> {
    const { body } = await caller.send({ method: 'GET', path: '/webhooks/events', query: { deliveryStatus, limit: 1 } });
    return body?.totalCount ?? (body?.hasMore ? 'more than 10,000' : 0);
  }
}

async function reach(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    throw new Stop(
      EXIT.noAnswer,
      `No answer from ${url}: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}. Is the service running?`,
    );
  }
}

/** Whether something listens there, seen from this machine. Nothing is sent. */
async function endpointOf(endpoint: string | undefined): Promise<Finding> {
  if (!endpoint) return note('no webhook endpoint: events are recorded, and `switchyard listen` shows them');
  const { hostname, port, protocol } = new URL(endpoint);
  const failure = await new Promise<string | undefined>((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: 3_000,
    });
    socket.on('connect', () => resolve(void socket.end()));
    socket.on('timeout', () => socket.destroy(new Error('does not answer')));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refuses connections' : error.message));
  });
  return failure === undefined
    ? ok(`webhook endpoint ${endpoint} accepts connections`)
    : wrong(`webhook endpoint ${endpoint} ${failure} (from this machine)`);
}
