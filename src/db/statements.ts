// Splits an SQL script into statements.

/** Text in which a semicolon does not end a statement: comments, literals, quoted identifiers, dollar-quoted bodies. */
const OPAQUE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$/;
const TOKEN = new RegExp(`(?:${OPAQUE.source})|;`, 'g');
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The statements of a script, in order, without the semicolons. Nested block comments and `begin atomic` bodies are not supported. */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: token, index } of script.matchAll(TOKEN)) {
    if (token !== ';') continue;
    statements.push(script.slice(start, index));
    start = index + 1;
  }
  statements.push(script.slice(start));
  return statements.map((statement) => statement.trim()).filter((statement) => statement.replace(COMMENTS, '').trim() !== '');
}
