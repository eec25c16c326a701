// A snapshot as a file: the passphrase is made here unless one is given, and is never written next to the file.
import { readFileSync } from 'node:fs';
import { usage } from '../exit.js';
import { Form } from '../form.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { show } from '../show.js';
import { isTerminal, write } from '../terminal.js';

const VARIABLE = 'SWITCHYARD_PASSPHRASE';
const given = ({ passphrase }: OwnFlags): string | undefined => (typeof passphrase === 'string' ? passphrase : process.env[VARIABLE]);

export async function exportFile(context: Context, [name]: readonly string[], flags: OwnFlags): Promise<void> {
  if (name === undefined)
    throw usage(`usage: switchyard sandbox snapshots export NAME [--passphrase TEXT] > FILE\n${VARIABLE} is read as well.`);
  if (isTerminal(1)) throw usage('The file goes to standard output: add > FILE');
  const known = given(flags);
  const passphrase = known ?? newPassphrase();
  const path = `/sandbox/snapshots/${encodeURIComponent(name)}/export`;
  const { bytes } = await callerOf(context).call({ method: 'POST', path, body: { passphrase } });
  write(1, bytes);
  if (known === undefined) context.warn(`The passphrase of the file: ${passphrase}`);
}

export async function importFile(context: Context, [file, name]: readonly string[], flags: OwnFlags): Promise<void> {
  const passphrase = given(flags);
  if (file === undefined || name === undefined || passphrase === undefined)
    throw usage(`usage: switchyard sandbox snapshots import FILE|- NAME --passphrase TEXT\n${VARIABLE} is read as well.`);
  const upload = { name: 'snapshot.switchyard', path: file, type: 'application/octet-stream', bytes: read(file) };
  const body = new Form({ name, passphrase, file: upload });
  const answer = await callerOf(context).call({ method: 'POST', path: '/sandbox/snapshots/import', body });
  show(context.output, answer.body, { path: context.globals['jq-path'] as string | undefined });
}

/** 130 random bits in letters that are easily read aloud. */
function newPassphrase(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const { randomInt } = process.getBuiltinModule('node:crypto');
  return Array.from({ length: 27 }, (_, i) => (i % 7 === 6 ? '-' : letters[randomInt(letters.length)])).join('');
}

function read(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
}
