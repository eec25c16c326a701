// Where the service is and who calls: flags, then the environment, then .data/sandbox.env upward from here, then a profile.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Globals } from './arguments.js';
import { EXIT, Stop, usage } from './exit.js';

export type Settings = {
  /** With the version of the API, without a slash at the end. */
  readonly url: string;
  readonly tokenId: string;
  readonly secret: string;
  /** What decided, for `doctor`. */
  readonly source: string;
  /** Names the files that belong to this service and token. */
  readonly profile: string;
};

type Stored = Pick<Settings, 'url' | 'tokenId' | 'secret'>;

const configFolder = (): string => join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'switchyard');
const stateFolder = (): string => join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local/state'), 'switchyard');

/** Readable by its owner alone: it may hold secrets. */
function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}

const profilesFile = (): string => join(configFolder(), 'profiles.json');

export function readProfiles(): Record<string, Stored> {
  if (!existsSync(profilesFile())) return {};
  return readKept(profilesFile(), (text) => JSON.parse(text) as Record<string, Stored>);
}

/** Of several files that are looked for, the one that cannot be read is named. */
function readKept<T>(file: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Stop(EXIT.notConfigured, `cannot read ${file}: ${(error as Error).message}`);
  }
}

export const writeProfiles = (profiles: Readonly<Record<string, Stored>>): void =>
  writePrivate(profilesFile(), `${JSON.stringify(profiles, null, 2)}\n`);

/** Small facts between two runs: the last event of `listen`, the ids of the last listing. */
export function readState<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(stateFolder(), `${name}.json`), 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** A state that cannot be kept is not worth a failure. */
export function writeState(name: string, value: unknown): void {
  try {
    writePrivate(join(stateFolder(), `${name}.json`), JSON.stringify(value));
  } catch {
    // A read-only home.
  }
}

function sandboxEnv(from: string): { file: string; stored: Stored } | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, '.data/sandbox.env');
    if (existsSync(file)) {
      const text = readKept(file, (whole) => whole);
      const value = (name: string) => new RegExp(`^(?:export )?${name}=['"]?(.*?)['"]?$`, 'm').exec(text)?.[1] ?? '';
      return {
        file,
        stored: { url: value('SWITCHYARD_URL'), tokenId: value('SWITCHYARD_TOKEN_ID'), secret: value('SWITCHYARD_TOKEN_SECRET') },
      };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

export function readSettings(globals: Globals, env = process.env, warn: (text: string) => void = () => {}): Settings {
  const named = globals['profile'] as string | undefined;
  const profile = named === undefined ? undefined : readProfiles()[named];
  if (named !== undefined && !profile) throw usage(`no profile ${named}; \`switchyard profile list\` shows them`);
  const token = globals['token'] as string | undefined;
  if (token !== undefined)
    warn('a token on the command line is seen by other users of this machine; use SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET');
  if (token !== undefined && !token.includes(':')) throw usage('--token is ID:SECRET');
  // A profile that was asked for by name wins over the environment.
  const fromEnv = named === undefined ? env : {};
  const given = {
    url: (globals['url'] as string | undefined) ?? fromEnv['SWITCHYARD_URL'],
    tokenId: token?.slice(0, token.indexOf(':')) ?? fromEnv['SWITCHYARD_TOKEN_ID'],
    secret: token?.slice(token.indexOf(':') + 1) ?? fromEnv['SWITCHYARD_TOKEN_SECRET'],
  };
  // A file that nothing is needed from may be broken, or belong to another user.
  const isComplete = Object.values(given).every((value) => value !== undefined);
  const file = profile || isComplete ? undefined : sandboxEnv(process.cwd());
  const fallback = profile ?? file?.stored ?? (isComplete ? undefined : readProfiles()['default']);
  const { url = fallback?.url, tokenId = fallback?.tokenId, secret = fallback?.secret } = given;
  if (!url || !tokenId || !secret) throw new Stop(EXIT.notConfigured, NOT_CONFIGURED);
  if (!/^https?:\/\//.test(url)) throw usage(`the URL must begin with http:// or https://: ${url}`);
  if (!URL.canParse(url)) throw usage(`not a URL: ${url}`);
  const source =
    globals['url'] || token ? 'flags' : fromEnv['SWITCHYARD_URL'] ? 'the environment' : (file?.file ?? `profile ${named ?? 'default'}`);
  return { url: url.replace(/\/+$/, ''), tokenId, secret, source, profile: named ?? tokenId };
}

const NOT_CONFIGURED = `Which service? Start one with \`npm start\` and run this in the same folder (it reads .data/sandbox.env), or set
SWITCHYARD_URL, SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET, or store them with \`switchyard profile save default\`.`;
