// A fixture file, sent as it is: the service reads JSON and YAML.
import { readFileSync } from 'node:fs';
import { usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import { grid, show } from '../show.js';

export async function apply(context: Context, [file]: readonly string[]): Promise<void> {
  if (file === undefined) throw usage('usage: switchyard fixtures apply FILE');
  const type = /\.ya?ml$/i.test(file) ? 'application/yaml' : 'application/json';
  const { body } = await callerOf(context).call({
    method: 'POST',
    path: '/sandbox/fixtures',
    body: read(file),
    headers: { 'content-type': type },
  });
  const { output, globals } = context;
  const path = globals['jq-path'] as string | undefined;
  if (!output.isText || path !== undefined) return show(output, body, { path });
  const steps = body.steps as { name: string; status: string; id?: string }[];
  output.write(grid(steps.map(({ name, status, id = '' }) => [name, status, id])));
  output.write(`${body.name}: ${body.applied} steps applied, ${body.unchanged} unchanged`);
  for (const [name, value] of Object.entries(body.outputs)) output.write(`${name} ${String(value)}`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
}
