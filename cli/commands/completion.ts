// Completion of commands, flags, values and ids. The scripts ask `switchyard __complete` for each word, so they never age.
import { GLOBAL } from '../arguments.js';
import { usage } from '../exit.js';
import type { Context } from '../operation-command.js';
import { findOwn, OWN } from '../own.js';
import { readState } from '../settings.js';
import { expand, findOperation, flagsOf, nextWords, type Table } from '../table.js';
import { write } from '../terminal.js';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_switchyard() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}"
  # Bash splits words at colons, which ids contain.
  if declare -F __ltrim_colon_completions >/dev/null; then _get_comp_words_by_ref -n : -w COMP_WORDS -i COMP_CWORD -c word; fi
  COMPREPLY=($(switchyard __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$word" 2>/dev/null))
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$word"; fi
}
# Bash before 4.4 sorts the words.
complete -o nosort -F _switchyard switchyard 2>/dev/null || complete -F _switchyard switchyard
`,
  zsh: `#compdef switchyard
_switchyard() {
  local -a found
  found=(\${(f)"$(switchyard __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- $found
}
if [ "$funcstack[1]" = "_switchyard" ]; then _switchyard "$@"; else compdef _switchyard switchyard; fi
`,
  fish: `complete -c switchyard -f -a '(switchyard __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export async function completion({ output }: Context, [shell = '']: readonly string[]): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script) throw usage('usage: switchyard completion bash|zsh|fish');
  output.write(script);
}

/** What the last word may become, one a line. */
export function complete(table: Table, args: readonly string[]): void {
  const word = args.at(-1) ?? '';
  const found = candidates(table, args.slice(0, -1), word).filter((candidate) => candidate.startsWith(word));
  write(1, found.map((candidate) => `${candidate}\n`).join(''));
}

export function candidates(table: Table, before: readonly string[], word: string): string[] {
  const words = expand(before.filter((arg) => !arg.startsWith('-')));
  const operation = findOperation(table, words)?.operation;
  const own = findOwn(words)?.own;
  const flags = operation ? [...flagsOf(table, operation.query), ...flagsOf(table, operation.body)] : [];
  const previous = before.at(-1);
  if (previous?.startsWith('--')) {
    const flag = flags.find(({ name }) => `--${name}` === previous);
    const values = flag?.schema.enum ?? flag?.schema.items?.enum;
    if (values) return values.map(String);
    if (flag && [flag.schema.type].flat().includes('boolean')) return ['true', 'false'];
    if (flag && /(^|[a-z.-])(id|source)$/.test(flag.name)) return readState<string[]>('ids') ?? [];
  }
  if (word.startsWith('-')) {
    const names = [...flags.map(({ name }) => name), ...Object.keys(own?.flags ?? {}), ...Object.keys(GLOBAL)];
    return names.map((name) => `--${name}`);
  }
  const commands = [...table.commands, ...OWN.map(({ command }) => command)];
  const short = words.length === 0 ? ['events', 'clock', 'keys', 'simulate'] : [];
  return [
    ...nextWords(commands, words),
    ...short,
    ...(operation && word !== ''
      ? (readState<string[]>('ids') ?? [])
      : operation?.path.includes('{')
        ? (readState<string[]>('ids') ?? [])
        : []),
  ];
}
