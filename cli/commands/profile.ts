// Stored URLs and tokens.
import { usage } from '../exit.js';
import type { Context } from '../operation-command.js';
import { readProfiles, readSettings, writeProfiles } from '../settings.js';
import { show } from '../show.js';

export async function save({ globals, warn }: Context, [name]: readonly string[]): Promise<void> {
  if (name === undefined || !/^[\w-]+$/.test(name)) throw usage('usage: switchyard profile save NAME');
  const { url, tokenId, secret, source } = readSettings(globals, process.env, warn);
  writeProfiles({ ...readProfiles(), [name]: { url, tokenId, secret } });
  warn(`${name} is ${url} with the token ${tokenId}, from ${source}`);
}

export async function list({ output }: Context): Promise<void> {
  show(output, { data: Object.entries(readProfiles()).map(([name, { url, tokenId }]) => ({ name, url, tokenId })) });
}

export async function remove(_context: Context, [name]: readonly string[]): Promise<void> {
  const { [name ?? '']: removed, ...rest } = readProfiles();
  if (!removed) throw usage(`no profile ${name ?? ''}`);
  writeProfiles(rest);
}
