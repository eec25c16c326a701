// A link that signs in to the console once, for the token in use.
import { spawn } from 'node:child_process';
import { Refused } from '../call.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { show } from '../show.js';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };

export async function console(context: Context, _words: readonly string[], flags: OwnFlags): Promise<void> {
  const { output, globals, warn } = context;
  const caller = callerOf(context);
  const { origin } = new URL(caller.settings.url);
  const answer = await caller.send({ method: 'POST', path: '/console/codes', isPage: true });
  if (answer.status === 404) {
    output.write(`${origin}/console`);
    return warn('This service gives no links: sign in with the id and the secret of a token, if it has a console at all.');
  }
  if (answer.status !== 201) throw new Refused(answer);
  const { code, expiresAt } = answer.body as { code: string; expiresAt: string };
  const link = `${origin}/console#login=${code}`;
  if (output.isText && globals['jq-path'] === undefined) {
    output.write(link);
    warn(`It signs in once, until ${expiresAt}.`);
  } else show(output, { url: link, expiresAt }, { path: globals['jq-path'] as string | undefined });
  if (flags['open']) open(link);
}

/** The browser of the machine. Without one the link is printed all the same. */
function open(link: string): void {
  const [command = '', ...args] = [...(OPENERS[process.platform] ?? ['xdg-open']), link];
  spawn(command, args, { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}
