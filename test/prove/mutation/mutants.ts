// Small faults planted in compiled JavaScript, one at a time: another operator, another number, an empty text, a refusal that is not thrown.
// The code is cut into tokens; types are gone, so every token is one of the program.

export type Mutant = {
  /** Place in the compiled file. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What it does, for people: `< → <=`. */
  readonly what: string;
};

type Token = { readonly kind: 'text' | 'number' | 'word' | 'sign' | 'template' | 'pattern'; readonly text: string; readonly start: number };

const SIGNS =
  /^(?:>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.@#])/;

/** Words after which a slash begins a pattern and not a division. */
const BEFORE_PATTERN = new Set(['return', 'typeof', 'case', 'in', 'of', 'void', 'throw', 'await']);

export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (kind: Token['kind'], length: number) => {
    tokens.push({ kind, text: code.slice(at, at + length), start: at });
    at += length;
  };
  while (at < code.length) {
    const rest = code.slice(at, at + 2_000);
    const last = tokens.at(-1);
    const [space = ''] = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(code.slice(at)) ?? [];
    if (space) {
      at += space.length;
      continue;
    }
    const [text = ''] = /^(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/.exec(rest) ?? [];
    if (text) {
      take('text', text.length);
      continue;
    }
    if (rest[0] === '`') {
      take('template', templateLength(code, at));
      continue;
    }
    const [number = ''] = /^(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)n?/.exec(rest) ?? [];
    if (number) {
      take('number', number.length);
      continue;
    }
    const [word = ''] = /^[A-Za-z_$][\w$]*/.exec(rest) ?? [];
    if (word) {
      take('word', word.length);
      continue;
    }
    const isValueBefore = last && (last.kind !== 'sign' ? !BEFORE_PATTERN.has(last.text) : /^[)\]}]$/.test(last.text));
    const [pattern = ''] = isValueBefore ? [] : (/^\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/.exec(rest) ?? []);
    if (pattern) {
      take('pattern', pattern.length);
      continue;
    }
    take('sign', SIGNS.exec(rest)?.[0].length ?? 1);
  }
  return tokens;
}

/** A template with everything in its placeholders. */
function templateLength(code: string, from: number): number {
  let at = from + 1;
  while (code[at] !== '`') {
    if (code[at] === '\\') at += 1;
    if (code.startsWith('${', at)) {
      let depth = 1;
      at += 2;
      for (; depth > 0; at += 1) {
        if (code[at] === '{') depth += 1;
        else if (code[at] === '}') depth -= 1;
        else if (code[at] === '`') at += templateLength(code, at) - 1;
      }
    } else at += 1;
    if (at >= code.length) throw new Error('a template that does not end');
  }
  return at + 1 - from;
}

const SWAPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '??': '&&',
};
const SWAPPED_WORDS: Readonly<Record<string, string>> = { true: 'false', false: 'true' };
const SWAPPED_METHODS: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };

/** Every fault of a compiled file. */
export function mutantsOf(code: string): Mutant[] {
  const tokens = tokensOf(code);
  const mutants: Mutant[] = [];
  const begin = firstStatement(code);
  const replace = ({ start, text }: Token, by: string) =>
    mutants.push({ start, end: start + text.length, text: by, what: `${text} → ${by}` });
  tokens.forEach((token, i) => {
    const [before, after] = [tokens[i - 1], tokens[i + 1]];
    if (token.start < begin) return;
    const isBinary =
      before && (before.kind !== 'sign' || /^[)\]]$/.test(before.text)) && !(before.kind === 'word' && BEFORE_PATTERN.has(before.text));
    if (token.kind === 'sign' && token.text in SWAPPED && (isBinary || !/^[+-]$/.test(token.text)))
      replace(token, SWAPPED[token.text] as string);
    if (token.kind === 'sign' && token.text === '!') replace(token, '!!');
    if (token.kind === 'word' && before?.text !== '.') {
      if (token.text in SWAPPED_WORDS) replace(token, SWAPPED_WORDS[token.text] as string);
      // The expression is evaluated and not thrown.
      if (token.text === 'throw') replace(token, 'void');
      if (token.text === 'if' && after?.text === '(') {
        const end = closing(tokens, i + 1);
        const condition = code.slice(after.start, end);
        for (const fixed of ['true', 'false'])
          mutants.push({ start: after.start, end, text: `(${fixed})`, what: `if ${condition.slice(0, 60)} → if (${fixed})` });
      }
    }
    if (token.kind === 'word' && before?.text === '.' && after?.text === '(' && token.text in SWAPPED_METHODS)
      replace(token, SWAPPED_METHODS[token.text] as string);
    if (token.kind === 'number' && !/[.eExX]/.test(token.text)) {
      const isBig = token.text.endsWith('n');
      replace(token, `${BigInt(token.text.replace(/_|n$/g, '')) + 1n}${isBig ? 'n' : ''}`);
    }
    // Codes and values. The name of a member is no value, and words for people are no rule. Between ? and : stands a value.
    if (token.kind === 'text' && (after?.text !== ':' || before?.text === '?') && /^'[\w.-]+'$/.test(token.text)) replace(token, "''");
  });
  return mutants;
}

/** Imports are no part of the rules. */
function firstStatement(code: string): number {
  const imports = [...code.matchAll(/^import [\s\S]*?;\n/gm)];
  const last = imports.at(-1);
  return last ? last.index + last[0].length : 0;
}

function closing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i += 1) {
    const { kind, text, start } = tokens[i] as Token;
    if (kind !== 'sign') continue;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth === 0) return start + 1;
  }
  throw new Error('a bracket that does not close');
}

export const applied = (code: string, { start, end, text }: Mutant): string => code.slice(0, start) + text + code.slice(end);
