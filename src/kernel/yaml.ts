// YAML from callers, read as what JSON can say. The library is loaded at its first use: few processes ever read any.
import { createRequire } from 'node:module';
import { JsonProblem } from './json.js';

type Library = typeof import('yaml');

let library: Library | undefined;

/** Bounds what a small text with anchors can grow to. */
const MAX_ALIASES = 100;

/** What a text of a thousand members has, with comments. The library takes time by the square of it. */
const MAX_LEXEMES = 20_000;
const MAX_DEPTH = 64;

/** The text as JSON, for the strict reader. Numbers keep their digits. */
export function yamlToJson(text: string): string {
  library ??= createRequire(import.meta.url)('yaml') as Library;
  try {
    refuseTooMuch(library, text);
    const value: unknown = library.parse(text, {
      schema: 'core',
      intAsBigInt: true,
      maxAliasCount: MAX_ALIASES,
      logLevel: 'error',
      prettyErrors: false,
    });
    return asJson(value);
  } catch (error) {
    if (error instanceof JsonProblem) throw error;
    throw new JsonProblem(`is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** The library composes by recursion. Where the stack ends, Node.js ends the process if a regular expression is to be compiled there. */
function refuseTooMuch({ Lexer, Parser }: Library, text: string): void {
  const parser = new Parser();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > MAX_LEXEMES) throw new JsonProblem('has too many members');
    for (const _token of parser.next(lexeme));
    // The document, its collections, and the scalar that is being read.
    if (parser.stack.length > MAX_DEPTH + 2) throw new JsonProblem('nested too deeply');
  }
}

function asJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new JsonProblem('nested too deeply');
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonProblem('holds a number that JSON cannot say');
  if (Array.isArray(value)) return `[${value.map((item) => asJson(item, depth + 1)).join(',')}]`;
  if (value instanceof Map) throw new JsonProblem('has a name that is no text');
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${asJson(member, depth + 1)}`)
      .join(',')}}`;
  return JSON.stringify(value ?? null);
}
