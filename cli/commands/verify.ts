// Checks a delivery that a receiver kept: body and headers as received, keys from the service or a file.
import { readFileSync } from 'node:fs';
import { readText } from '../arguments.js';
import { EXIT, Stop, usage } from '../exit.js';
import { type Context, callerOf, durationMs } from '../operation-command.js';
import type { OwnFlags } from '../own.js';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** `Name: value` lines, or a JSON object. */
function headersOf(text: string): Record<string, string> {
  if (text.trimStart().startsWith('{')) return JSON.parse(text) as Record<string, string>;
  return Object.fromEntries(
    text
      .split(/\r?\n/)
      .flatMap((line) =>
        /^[\w-]+:/.test(line) ? [[line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]] : [],
      ),
  );
}

export async function verify(context: Context, [file]: readonly string[], flags: OwnFlags): Promise<void> {
  const { headers, key, tolerance } = flags;
  if (file === undefined || typeof headers !== 'string')
    throw usage('usage: switchyard webhooks verify BODY_FILE --headers HEADERS_FILE [--key PEM_FILE] [--tolerance 5m]');
  const body = file === '-' ? readFileSync(0) : Buffer.from(readText(file));
  const listed =
    typeof key === 'string'
      ? undefined
      : ((await callerOf(context).call({ method: 'GET', path: '/webhooks/signing-keys' })).body.data as {
          id: string;
          publicKeyPem: string;
          standardWebhooksPublicKey: string;
          retiresAt?: string;
        }[]);
  const { verifyWebhook, WebhookError } = await import('../../client/webhooks.js');
  const publicKeys = listed ?? [readText(String(key))];
  try {
    // What was kept in a file is old; its age is checked on request.
    const toleranceSeconds = typeof tolerance === 'string' ? durationMs(tolerance) / 1_000 : NO_LIMIT;
    const event = await verifyWebhook(body, headersOf(readText(headers)), { publicKeys, toleranceSeconds });
    context.output.write(
      context.output.isText ? `VALID: ${event.type} ${event.id}` : JSON.stringify({ valid: true, id: event.id, type: event.type }),
    );
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const current = listed?.findLast(({ retiresAt }) => retiresAt === undefined);
    if (!context.output.isText) context.output.write(JSON.stringify({ valid: false, reason: error.reason, message: error.message }));
    throw new Stop(EXIT.refused, `NOT VALID: ${error.message}${current ? `; key ${current.id} is current` : ''}`);
  }
}
