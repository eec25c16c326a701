// The commands that are written by hand, and the flags that each takes. Their code is loaded when they run.
import type { Parsed } from './arguments.js';
import { GLOBAL } from './arguments.js';
import { usage } from './exit.js';
import type { OwnCommand } from './help.js';
import type { Context } from './operation-command.js';
import { suggest } from './table.js';

export type OwnFlags = Readonly<Record<string, string | true>>;
export type Run = (context: Context, words: readonly string[], flags: OwnFlags) => Promise<void>;

export type Own = OwnCommand & {
  /** Flags and what they take; `''` for none. */
  readonly flags: Readonly<Record<string, string>>;
  /** Words that may follow it; none unless given. */
  readonly words?: number;
  /** Takes further flags, which depend on its words. */
  readonly isOpen?: true;
  readonly load: () => Promise<Run>;
};

const clock = (name: 'show' | 'freeze' | 'advance' | 'resume') => async () => (await import('./commands/clock.js'))[name];
const wallet = (name: 'create' | 'sign' | 'verify') => async () => (await import('./commands/wallet.js'))[name];
const sign = (name: 'signIn' | 'newKey' | 'otp' | 'payload') => async () => (await import('./commands/sign.js'))[name];
const profile = (name: 'save' | 'list' | 'remove') => async () => (await import('./commands/profile.js'))[name];

export const OWN: readonly Own[] = [
  {
    command: 'listen',
    summary: 'events as they happen, printed or forwarded to a local receiver',
    usage: 'listen [--forward-to URL] [--print-only] [--types A,B.*] [--since 1h|EVENT] [--count N] [--timeout 30s]',
    flags: { 'forward-to': 'URL', 'print-only': '', types: 'TYPES', since: 'TIME', count: 'N', timeout: 'TIME', from: 'now|last' },
    load: async () => (await import('./commands/listen.js')).listen,
  },
  {
    command: 'trigger',
    summary: 'make something happen in the sandbox; --list shows what',
    usage: 'trigger RECIPE [--input value…] | trigger --list',
    words: 1,
    flags: { list: '', timeout: 'TIME' },
    isOpen: true,
    load: async () => (await import('./commands/trigger.js')).trigger,
  },
  {
    command: 'logs tail',
    summary: 'the requests of the platform as they end',
    usage:
      'logs tail [--status 4xx] [--operation createCard] [--token-id Token:…] [--bodies] [--since REQUEST] [--count N] [--timeout 30s]',
    flags: { status: 'STATUS', operation: 'ID', 'token-id': 'ID', bodies: '', since: 'REQUEST', count: 'N', timeout: 'TIME' },
    load: async () => (await import('./commands/logs.js')).tail,
  },
  { command: 'sandbox clock', summary: 'the time of the sandbox', usage: 'clock', flags: {}, load: clock('show') },
  {
    command: 'sandbox clock freeze',
    summary: 'stop the clock, at a time or now',
    usage: 'clock freeze [TIME]',
    words: 1,
    flags: {},
    load: clock('freeze'),
  },
  {
    command: 'sandbox clock advance',
    summary: 'move the clock; what falls due is done',
    usage: 'clock advance 1d',
    words: 1,
    flags: {},
    load: clock('advance'),
  },
  { command: 'sandbox clock resume', summary: 'let the clock run on', usage: 'clock resume', flags: {}, load: clock('resume') },
  {
    command: 'sandbox fixtures apply',
    summary: 'apply a file of named steps; a second time changes nothing',
    usage: 'fixtures apply FILE.yaml|FILE.json',
    words: 1,
    flags: {},
    load: async () => (await import('./commands/fixtures.js')).apply,
  },
  {
    command: 'sandbox snapshots export',
    summary: 'a snapshot as an encrypted file, for a bug report',
    usage: 'sandbox snapshots export NAME [--passphrase TEXT] > FILE',
    words: 1,
    flags: { passphrase: 'TEXT' },
    load: async () => (await import('./commands/snapshots.js')).exportFile,
  },
  {
    command: 'sandbox snapshots import',
    summary: 'read an exported file as a snapshot of this platform',
    usage: 'sandbox snapshots import FILE|- NAME --passphrase TEXT',
    words: 2,
    flags: { passphrase: 'TEXT' },
    load: async () => (await import('./commands/snapshots.js')).importFile,
  },
  {
    command: 'webhooks verify',
    summary: 'check the signature of a delivery and explain a failure',
    usage: 'webhooks verify BODY_FILE --headers HEADERS_FILE [--key PEM_FILE] [--tolerance 5m]',
    words: 1,
    flags: { headers: 'FILE', key: 'FILE', tolerance: 'TIME' },
    load: async () => (await import('./commands/verify.js')).verify,
  },
  {
    command: 'wallet new',
    summary: 'a test wallet of a chain',
    usage: 'wallet new ethereum|solana|bitcoin [--out FILE]',
    words: 1,
    flags: { out: 'FILE' },
    load: wallet('create'),
  },
  {
    command: 'wallet sign',
    summary: 'its signature over a message',
    usage: 'wallet sign WALLET_FILE MESSAGE',
    words: 2,
    flags: {},
    load: wallet('sign'),
  },
  {
    command: 'wallet verify',
    summary: 'prove the ownership of an external account',
    usage: 'wallet verify EXTERNAL_ACCOUNT --wallet FILE',
    words: 1,
    flags: { wallet: 'FILE' },
    load: wallet('verify'),
  },
  {
    command: 'sign in',
    summary: 'open a session of a wallet with a one-time code',
    usage: 'sign in ACCOUNT --otp CODE --out FILE',
    words: 1,
    flags: { otp: 'CODE', out: 'FILE', credential: 'ID' },
    load: sign('signIn'),
  },
  { command: 'sign key', summary: 'a key pair of a session', usage: 'sign key [--out FILE]', flags: { out: 'FILE' }, load: sign('newKey') },
  {
    command: 'sign otp',
    summary: 'a one-time code, encrypted for the service',
    usage: 'sign otp BUNDLE CODE --session FILE',
    words: 2,
    flags: {},
    load: sign('otp'),
  },
  {
    command: 'sign payload',
    summary: 'the stamp over a text',
    usage: 'sign payload TEXT|- --session FILE',
    words: 1,
    flags: {},
    load: sign('payload'),
  },
  {
    command: 'requests get',
    summary: 'a request of the log; --trace: what it touched, its events and their deliveries',
    usage: 'requests get ID [--trace]',
    words: 1,
    flags: { trace: '' },
    load: async () => (await import('./commands/trace.js')).get,
  },
  {
    command: 'console',
    summary: 'a link that signs in to the console once',
    usage: 'console [--open]',
    flags: { open: '' },
    load: async () => (await import('./commands/console.js')).console,
  },
  {
    command: 'doctor',
    summary: 'check service, token, webhooks and clock',
    usage: 'doctor',
    flags: {},
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
  {
    command: 'api',
    summary: 'any path of the service',
    usage: 'api METHOD PATH [-d JSON|@FILE|-]',
    words: 2,
    flags: { data: 'JSON' },
    load: async () => (await import('./commands/api.js')).api,
  },
  {
    command: 'record',
    summary: 'write the calls, answers and events of a session to a file',
    usage: 'record FILE [--port N] [-- COMMAND …]',
    words: Number.POSITIVE_INFINITY,
    flags: { port: 'N' },
    load: async () => (await import('./commands/record.js')).record,
  },
  {
    command: 'replay',
    summary: 'send the calls of a recording again on a fresh platform, and compare',
    usage: 'replay FILE [--anyway]',
    words: 1,
    flags: { anyway: '' },
    load: async () => (await import('./commands/replay.js')).replay,
  },
  {
    command: 'mcp',
    summary: 'the operations as tools for assistants, over standard input and output',
    usage: 'mcp [--write]',
    flags: { write: '' },
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    command: 'profile save',
    summary: 'keep the URL and token in use under a name',
    usage: 'profile save NAME',
    words: 1,
    flags: {},
    load: profile('save'),
  },
  { command: 'profile list', summary: 'stored profiles', usage: 'profile list', flags: {}, load: profile('list') },
  { command: 'profile remove', summary: 'forget a profile', usage: 'profile remove NAME', words: 1, flags: {}, load: profile('remove') },
  {
    command: 'completion',
    summary: 'completion of commands, flags, values and ids for a shell',
    usage: 'completion bash|zsh|fish',
    words: 1,
    flags: {},
    load: async () => (await import('./commands/completion.js')).completion,
  },
];

export function findOwn(words: readonly string[]): { readonly own: Own; readonly rest: readonly string[] } | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const own = OWN.find(({ command }) => command === words.slice(0, count).join(' '));
    if (own) return { own, rest: words.slice(count) };
  }
  return undefined;
}

/** The flags of a command, each known. */
export function ownFlags(own: Own, { flags }: Parsed): OwnFlags {
  const found: Record<string, string | true> = {};
  for (const { name, value } of flags) {
    const takes = own.flags[name];
    if (takes === undefined && GLOBAL[name]) continue;
    if (takes === undefined && !own.isOpen) {
      const near = suggest(name, [...Object.keys(own.flags), ...Object.keys(GLOBAL)]);
      throw usage(`unknown flag --${name}.${near ? ` Did you mean --${near}?` : ''}\nusage: switchyard ${own.usage}`);
    }
    found[name] = value;
  }
  return found;
}
