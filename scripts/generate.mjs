// `npm run generate`: the API document → client/generated. `--check` compares instead of writing; `npm run check` calls it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './build.mjs';

const folder = join(import.meta.dirname, '../client/generated');
const isCheck = process.argv.includes('--check');

// The generated files may be those of another document, so what does not compile because of them is emitted all the same.
compile({ isTolerant: true });
const { readConfig } = await import('../dist/src/config.js');
const { describeApi } = await import('../dist/src/describe-api.js');
const { methodOf, operationTable, refName, resolve } = await import('../dist/cli/operations.js');

const document = JSON.parse(JSON.stringify(describeApi(readConfig({}))));
const table = operationTable(document);
const schemas = document.components.schemas;

const isName = (name) => /^[A-Za-z_$][\w$]*$/.test(name);
const key = (name) => (isName(name) ? name : JSON.stringify(name));
const union = (parts) => [...new Set(parts)].join(' | ');
const literal = (value) => JSON.stringify(value);
const isBare = (part) => Object.keys(part).every((name) => name === 'required');
const group = (text) => (/[|&]/.test(text) ? `(${text})` : text);

function comment(lines, indent) {
  const text = lines.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/').trim();
  if (text === '') return '';
  const rows = text.split('\n');
  return rows.length === 1
    ? `${indent}/** ${rows[0]} */\n`
    : `${indent}/**\n${rows.map((row) => `${indent} *${row === '' ? '' : ` ${row}`}\n`).join('')}${indent} */\n`;
}

/** The TypeScript type of a schema. */
function typeOf(schema, indent = '', prefix = '') {
  if (schema === undefined || schema === true) return 'unknown';
  if (schema.$ref) return prefix + refName(schema.$ref);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const parts = [];
  for (const name of ['oneOf', 'anyOf']) {
    const variants = (schema[name] ?? []).filter((part) => !isBare(part));
    if (variants.length > 0) parts.push(group(union(variants.map((part) => typeOf(part, indent, prefix)))));
  }
  for (const part of (schema.allOf ?? []).filter((one) => !isBare(one))) parts.push(group(typeOf(part, indent, prefix)));
  // A union says of its discriminator what its variants say more exactly.
  if (schema.properties || parts.length === 0) parts.unshift(ownType(schema, indent, prefix));
  return parts.join(' & ');
}

function ownType(schema, indent, prefix) {
  const types = [schema.type ?? (schema.properties ? 'object' : undefined)].flat();
  return union(
    types.map((type) => {
      if (type === 'string') return schema.format === 'binary' ? 'FilePart' : 'string';
      if (type === 'integer' || type === 'number') return 'number';
      if (type === 'boolean' || type === 'null') return type;
      if (type === 'array') return `${group(typeOf(schema.items, indent, prefix))}[]`;
      if (type === 'object') return objectType(schema, indent, prefix);
      return 'unknown';
    }),
  );
}

function objectType({ properties = {}, required = [], additionalProperties, patternProperties }, indent, prefix) {
  const inner = `${indent}  `;
  const open = additionalProperties ?? Object.values(patternProperties ?? {})[0];
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${comment([member.description, member.deprecated && '@deprecated'], inner)}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member, inner, prefix)};\n`,
  );
  const rest = open && open !== true ? typeOf(open, inner, prefix) : 'unknown';
  if (members.length === 0) return `Record<string, ${open === false ? 'never' : rest}>`;
  if (open) members.push(`${inner}[member: string]: unknown;\n`);
  return `{\n${members.join('')}${indent}}`;
}

const HEAD = '// Made by `npm run generate` from the API document. Do not edit.\n';

function typesFile() {
  const rows = Object.entries(schemas).map(
    ([name, schema]) => `${comment([schema.description], '')}export type ${name} = ${typeOf(schema)};\n`,
  );
  rows.push('export type EventType = Event["type"];\n');
  const codes = Object.keys(document['x-errors']).sort();
  rows.push(`/** Every code of an error. */\nexport type ErrorCode =\n${codes.map((code) => `  | ${literal(code)}`).join('\n')};\n`);
  const text = rows.join('\n');
  return `${HEAD}${text.includes('FilePart') ? "import type { FilePart } from '../calls.js';\n" : ''}\n${text}`;
}

const operationAt = ({ method, path }) => document.paths[path][method.toLowerCase()];

function answerOf(command) {
  const answers = Object.entries(operationAt(command).responses)
    .filter(([status]) => status.startsWith('2') && !(command.signed && status === '202'))
    .flatMap(([, response]) => {
      const content = resolve(document, response).content;
      if (!content) return ['void'];
      return Object.entries(content).map(([type, { schema }]) =>
        type === 'application/json' ? typeOf(schema, '', 'T.') : type.startsWith('text/') ? 'string' : 'Uint8Array',
      );
    });
  return union(answers);
}

function argumentsOf(command) {
  const operation = operationAt(command);
  const parameters = [...(document.paths[command.path].parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
    resolve(document, one),
  );
  const args = parameters.filter((one) => one.in === 'path').map(({ name }) => `${name}: string`);
  const query = parameters.filter((one) => one.in === 'query' && !(command.stream && one.name === 'since'));
  const body = resolve(document, operation.requestBody);
  const isNeeded = body?.required || query.some(({ required }) => required);
  if (query.length > 0) {
    const members = query.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema, '', 'T.')}`);
    if (command.stream) members.push('since?: string');
    // A needed body makes what stands before it needed, too.
    args.push(`query${isNeeded ? '' : '?'}: { ${members.join('; ')} }`);
  }
  if (body) {
    const { schema } = Object.values(body.content)[0];
    args.push(`body${body.required ? '' : '?'}: ${typeOf(schema, '', 'T.')}`);
  }
  const options = command.stream
    ? 'StreamOptions'
    : command.key && command.signed
      ? 'KeyOptions & SignedOptions'
      : command.key
        ? 'KeyOptions'
        : command.signed
          ? 'SignedOptions'
          : 'CallOptions';
  return [...args, `options?: ${options}`].join(', ');
}

/** A stream gives events, or the items of the list that it continues: `/requests/stream` those of `/requests`. */
function streamed({ path }) {
  const list = table.operations.find((one) => one.list && one.method === 'GET' && `${one.path}/stream` === path);
  return list ? `NonNullable<${answerOf(list)}['data']>[number]` : 'T.Event';
}

function signatureOf(command) {
  if (command.stream) return `(${argumentsOf(command)}): AsyncIterable<${streamed(command)}>`;
  const answer = answerOf(command);
  return `(${argumentsOf(command)}): ${command.list && !command.produces ? `Pages<${answer}>` : `Promise<${answer}>`}`;
}

function resourcesFile() {
  const tree = {};
  for (const command of table.operations) {
    const words = methodOf(command.command);
    let node = tree;
    for (const word of words) {
      node.children ??= {};
      node.children[word] ??= {};
      node = node.children[word];
    }
    if (node.command)
      throw new Error(`${node.command.id} and ${command.id} are both called ${command.command}; give one of them another command`);
    node.command = command;
  }
  const render = ({ children = {} }, indent) =>
    Object.entries(children)
      .map(([word, node]) => {
        const { command } = node;
        const note = command ? comment([`${command.summary}. \`${command.method} ${command.path}\``, command.description], indent) : '';
        if (command) return `${note}${indent}${key(word)}${signatureOf(command)};\n`;
        return `${indent}${key(word)}: {\n${render(node, `${indent}  `)}${indent}};\n`;
      })
      .join('');
  const flags = (command) =>
    `${command.query ? 'q' : ''}${command.multipart ? 'm' : command.body ? 'b' : ''}${command.key ? 'k' : ''}${command.signed ? 's' : ''}${command.stream ? 'e' : command.list ? 'l' : ''}`;
  const rows = table.operations.map(
    (command) => `  '${[methodOf(command.command).join('.'), command.method, command.path, flags(command)].join(' ').trim()}',\n`,
  );
  const methods = render(tree, '  ');
  const imported = ['CallOptions', 'FilePart', 'KeyOptions', 'Pages', 'SignedOptions', 'StreamOptions'];
  return `${HEAD}import type { ${imported.filter((name) => methods.includes(name)).join(', ')} } from '../calls.js';
import type * as T from './types.js';

/** A method for every operation. Arguments: the ids of the path, then query and body where the operation has them, then options. */
export type Resources = {
${methods}};

/** Name, method, path, and what it takes: q query, b body, m multipart, k idempotency key, s signed retries, l list, e event stream. */
export const TABLE: readonly string[] = [
${rows.join('')}];
`;
}

/** One operation and one schema a line, so that a change is read in review. */
function operationsFile() {
  const lines = (entries) => entries.join(',\n');
  const { operations, schemas: used, ...rest } = table;
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"operations":[\n${lines(operations.map((one) => JSON.stringify(one)))}\n],"schemas":{\n${lines(
    Object.entries(used).map(([name, schema]) => `${literal(name)}:${JSON.stringify(schema)}`),
  )}\n}}\n`;
}

const files = { 'types.ts': typesFile(), 'resources.ts': resourcesFile(), 'operations.json': operationsFile() };
const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
const changed = Object.keys(files).filter((name) => read(name) !== files[name]);
if (isCheck && changed.length > 0) {
  process.stderr.write(`client/generated differs from the API document (${changed.join(', ')}): run \`npm run generate\` and commit.\n`);
  process.exit(1);
}
if (!isCheck) {
  mkdirSync(folder, { recursive: true });
  for (const name of changed) writeFileSync(join(folder, name), files[name]);
  process.stdout.write(changed.length === 0 ? 'client/generated is current.\n' : `wrote client/generated: ${changed.join(', ')}\n`);
}
