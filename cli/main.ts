#!/usr/bin/env node
// `switchyard`: finds the command, reads flags, runs it, and ends with the exit code of its outcome.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GLOBAL, type Globals, globalsOf, type Parsed, split, takesGlobalValue, takesValueOf } from './arguments.js';
import { DryRun, EXIT, Stop, usage } from './exit.js';
import { findOwn, OWN, type Own, ownFlags } from './own.js';
import { projectRoot } from './root.js';
import { readSettings } from './settings.js';
import type { Output } from './show.js';
import { childrenOf, expand, findOperation, loadTable, nextWords, pathParameters, suggest, type Table } from './table.js';
import { isTerminal, isWritten, terminalWidth, write } from './terminal.js';

const warn = (text: string): void => write(2, `${text}\n`);

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === '__complete') return (await import('./commands/completion.js')).complete(loadTable(), args.slice(1));
  // Which flags take a value is known once the command is. Until then a word that looks like a flag is one.
  const first = split(args, (name, next) => takesGlobalValue(name) && !next?.startsWith('--'));
  const isHelp = first.words[0] === 'help';
  const globals: Globals = isHelp ? { ...globalsOf(first), help: true } : globalsOf(first);
  if (globals['version']) return print((await import('./version.js')).version);
  const table = globals['spec'] === undefined ? loadTable() : await (await import('./spec.js')).tableOf(String(globals['spec']));
  const words = expand(isHelp ? first.words.slice(1) : first.words);
  const strange = words.length === 0 ? first.flags.find(({ name }) => GLOBAL[name] === undefined) : undefined;
  if (strange) throw usage(`unknown flag --${strange.name}; \`switchyard --help --all\` shows the flags of every command`);
  if (words.length === 0 && globals['spec'] === undefined && globals['all'] === undefined) {
    const built = builtHelp();
    if (built !== undefined) return print(built);
  }
  const contextOf = (parsed: Parsed) => {
    const given = globalsOf(parsed);
    return { table, globals: given, output: outputOf(given), warn };
  };

  const own = findOwn(words);
  const operation = findOperation(table, words);
  const isOwn = own && own.own.command.length >= (operation?.operation.command.length ?? 0);
  if (globals['help'] || words.length === 0) return print(await help(table, words, globals['all'] === true));
  if (isOwn) {
    // The own flags of a command may have the name of a global one, or take no value.
    const parsed = split(args, (name) => own.own.flags[name] !== '' && (own.own.flags[name] !== undefined || takesGlobalValue(name)));
    const flags = ownFlags(own.own, parsed);
    const all = expand(parsed.words);
    const given = all.slice(own.own.command.split(' ').length);
    // A word that is too many may be half of a message without quotes, or a command with a mistake in it.
    if (given.length > (own.own.words ?? 0)) throw tooMany(table, own.own, all, given);
    const run = await own.own.load();
    return run(contextOf(parsed), given, flags);
  }
  if (!operation) throw unknown(table, words);
  const parsed = split(args, takesValueOf(table, operation.operation));
  const ids = expand(parsed.words).slice(operation.operation.command.split(' ').length);
  const { runOperation } = await import('./operation-command.js');
  return runOperation(contextOf(parsed), operation.operation, ids, parsed);
}

function outputOf(globals: Readonly<Record<string, unknown>>): Output {
  const isForPeople = isTerminal(1);
  return {
    isText: globals['json'] ? false : isForPeople || globals['no-json'] === true || globals['columns'] !== undefined,
    colour: isForPeople && process.env['NO_COLOR'] === undefined,
    width: isForPeople ? terminalWidth() : Number.POSITIVE_INFINITY,
    write: print,
  };
}

function print(text: string): void {
  write(1, text.endsWith('\n') || text === '' ? text : `${text}\n`);
}

/** The help that is shown most, as `npm run build` wrote it. */
function builtHelp(): string | undefined {
  try {
    return readFileSync(join(projectRoot, 'dist/cli/help.txt'), 'utf8');
  } catch {
    return undefined;
  }
}

async function help(table: Table, words: readonly string[], isWhole: boolean): Promise<string> {
  const { globalFlags, groupHelp, operationHelp, overview } = await import('./help.js');
  const whole = isWhole ? `\n\nFlags of every command:\n${globalFlags()}` : '';
  if (words.length === 0) return overview(table, OWN) + whole;
  const own = findOwn(words);
  const operation = findOperation(table, words);
  if (
    own &&
    own.own.command.length > (operation?.operation.command.length ?? 0) &&
    own.rest.length <= (own.own.words ?? 0) &&
    childrenOf(table, words).length === 0
  )
    return `${own.own.summary}\n\n  switchyard ${own.own.usage}${whole}`;
  const children = childrenOf(table, words);
  const tools = OWN.filter(({ command }) => command.startsWith(words.join(' ')));
  // Help is also asked for behind the ids of a command that is half written.
  if (operation && operation.rest.length <= pathParameters(operation.operation.path).length) {
    const below = children.length > 0 ? `\n\nBelow it:\n${groupHelp(children)}` : '';
    const more = own?.own.command === operation.operation.command ? `\n\n${own.own.summary}\n  switchyard ${own.own.usage}` : '';
    return operationHelp(table, operation.operation, docsUrl()) + more + below + whole;
  }
  if (children.length === 0 && tools.length === 0) throw unknown(table, words);
  const lines = tools.map((tool) => `  switchyard ${tool.usage}  ${tool.summary}`);
  return [...(children.length > 0 ? [groupHelp(children)] : []), ...lines].join('\n') + whole;
}

/** Where the reference of the service in use is. Help needs no service. */
function docsUrl(): string | undefined {
  try {
    return `${new URL(readSettings({}).url).origin}/docs`;
  } catch {
    return undefined;
  }
}

/** What other tools call it. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['login', 'profile save'],
  ['signin', 'profile save'],
  ['configure', 'profile save'],
  ['init', 'profile save'],
  ['logout', 'profile remove'],
  ['whoami', 'doctor'],
  ['status', 'doctor'],
  ['version', '--version'],
]);

/** What follows a command that takes fewer words. */
function tooMany(table: Table, own: Own, all: readonly string[], given: readonly string[]): Stop {
  if (childrenOf(table, own.command.split(' ')).length > 0) return unknown(table, all);
  return usage(`not expected: ${given.slice(own.words ?? 0).join(' ')}\nusage: switchyard ${own.usage}`);
}

/** The first word that is wrong, and the one that was meant. */
function unknown(table: Table, words: readonly string[]): Stop {
  const commands = [...table.commands, ...OWN.map(({ command }) => command)];
  for (let count = 0; count < words.length; count += 1) {
    const possible = nextWords(commands, words.slice(0, count));
    const word = words[count] as string;
    if (possible.includes(word)) continue;
    const near = (count === 0 ? ELSEWHERE.get(word) : undefined) ?? suggest(word, possible);
    const place = ['switchyard', ...words.slice(0, count + 1)].join(' ');
    if (near) return usage(`Unknown command: ${place}. Did you mean ${near}?`);
    return usage(`Unknown command: ${place}. Possible: ${possible.slice(0, 20).join(', ')}${possible.length > 20 ? ', …' : ''}.`);
  }
  const possible = nextWords(commands, words);
  return usage(`${['switchyard', ...words].join(' ')} is not a whole command. Possible: ${possible.join(', ')}.`);
}

process.on('SIGINT', () => process.exit(EXIT.interrupted));

main(process.argv.slice(2))
  .catch((error: unknown) => {
    if (error instanceof DryRun) print(error.message);
    else if (error instanceof Stop) warn(error.message);
    else
      warn(error instanceof Error ? (process.argv.includes('--verbose') ? (error.stack ?? error.message) : error.message) : String(error));
    process.exitCode = error instanceof Stop ? error.code : EXIT.refused;
  })
  .finally(() => {
    // What was written is out, on Linux. Closing the connection in order would take a few milliseconds more.
    if (process.platform === 'linux' && isWritten()) process.exit();
  });
