// The state machine of an object as a picture, drawn from the transitions that the service serves: ranks from left to right, the present
// state filled, states that the object has been in grey, states that can follow outlined, the rest faint. A state that an action leads to
// opens it. The same as a list for screen readers.
import { useEffect, useState } from 'preact/hooks';
import { loadTransitions, type Transition } from '../document.ts';
import type { Action } from '../resources/types.ts';
import { opened } from './form.tsx';

const STATE = { height: 28, gapX: 48, gapY: 14 } as const;
const LETTER = 7.2;

type Placed = { readonly name: string; readonly x: number; readonly y: number };

/** Each state one rank after the first state that leads to it; states that nothing follows are last. */
export function ranksOf(transitions: readonly Transition[]): readonly (readonly string[])[] {
  const names = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))];
  const entered = new Set(transitions.map(({ to }) => to));
  const rank = new Map(names.filter((name) => !entered.has(name)).map((name) => [name, 0]));
  // A circle that nothing leads into begins anywhere.
  for (let left = names; left.length > 0; left = names.filter((name) => !rank.has(name))) {
    spread(transitions, rank);
    const start = names.find((name) => !rank.has(name));
    if (start !== undefined) rank.set(start, 0);
  }
  const leaves = new Set(transitions.map(({ from }) => from));
  const inner = Math.max(0, ...names.filter((name) => leaves.has(name)).map((name) => rank.get(name) ?? 0));
  for (const name of names) if (!leaves.has(name)) rank.set(name, inner + 1);
  const columns = Array.from({ length: inner + 2 }, (_, at) => names.filter((name) => rank.get(name) === at));
  return columns.filter((column) => column.length > 0);
}

function spread(transitions: readonly Transition[], rank: Map<string, number>): void {
  for (let isGrowing = true; isGrowing; ) {
    const next = transitions.filter(({ from, to }) => rank.has(from) && !rank.has(to));
    const reached = next.map(({ from, to }): [string, number] => [to, (rank.get(from) ?? 0) + 1]);
    for (const [to, at] of reached) if (!rank.has(to)) rank.set(to, at);
    isGrowing = next.length > 0;
  }
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ').toLowerCase();

function arrow(from: Placed, to: Placed, width: number): string {
  const isForward = to.x > from.x;
  const [x1, y1] = [isForward ? from.x + width : from.x + width / 2, isForward ? from.y + STATE.height / 2 : from.y + STATE.height];
  const [x2, y2] = [isForward ? to.x : to.x + width / 2, isForward ? to.y + STATE.height / 2 : to.y + STATE.height];
  if (isForward) return `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2 - 4} ${y2}`;
  const below = Math.max(y1, y2) + 18;
  return from.x === to.x
    ? `M${from.x + width} ${from.y + STATE.height / 2} h14 V${to.y + STATE.height / 2} h-10`
    : `M${x1} ${y1} C${x1} ${below} ${x2} ${below} ${x2} ${y2 + 4}`;
}

type Props = {
  readonly name: string;
  readonly type: string;
  readonly now: string;
  /** Words of the states that the object has been in: statuses, and types of events that end with one. */
  readonly history: readonly string[];
  /** The action that leads to a state, if the reader may take it now. */
  readonly actionTo: (state: string) => Action | undefined;
  readonly onReady: () => void;
};

/** The longest state that a word ends with, so that PARTIALLY_SETTLED is not taken for SETTLED. */
export const stateIn = (word: string, states: readonly string[]): string | undefined =>
  states
    .filter((state) => word === state || word.endsWith(`_${state}`) || word.endsWith(`.${state}`))
    .sort((a, b) => b.length - a.length)[0];

export function Machine({ name, type, now, history, actionTo, onReady }: Props) {
  const [transitions, setTransitions] = useState<readonly Transition[]>([]);
  useEffect(() => {
    loadTransitions(name, type)
      .then(setTransitions, () => setTransitions([]))
      .finally(onReady);
  }, [name, type]);
  if (transitions.length === 0) return null;
  const moves = [...new Map(transitions.map((move) => [`${move.from} ${move.to}`, move])).values()];
  const ranks = ranksOf(moves);
  const tallest = Math.max(...ranks.map((rank) => rank.length));
  const box = Math.max(...ranks.flat().map((state) => state.length)) * LETTER + 24;
  const places = new Map<string, Placed>(
    ranks.flatMap((rank, column) =>
      rank.map((state, row): [string, Placed] => [
        state,
        {
          name: state,
          x: column * (box + STATE.gapX) + 2,
          y: (row + (tallest - rank.length) / 2) * (STATE.height + STATE.gapY) + 2,
        },
      ]),
    ),
  );
  const next = new Set(transitions.filter(({ from }) => from === now).map(({ to }) => to));
  const visited = new Set(history.map((word) => stateIn(word, [...places.keys()])));
  const open = (action: Action) => {
    opened.value = action;
  };
  const width = ranks.length * (box + STATE.gapX) - STATE.gapX + 24;
  const height = tallest * (STATE.height + STATE.gapY) + 20;
  return (
    <figure class="machine">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <div class="scroll-x" tabIndex={0}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0 L8 4 L0 8 z" />
            </marker>
          </defs>
          {moves.map(({ from, to }) => {
            const [a, b] = [places.get(from), places.get(to)];
            return (
              a &&
              b && <path key={`${from} ${to}`} class={from === now ? 'move legal' : 'move'} d={arrow(a, b, box)} marker-end="url(#arrow)" />
            );
          })}
          {[...places.values()].map(({ name: state, x, y }) => {
            const action = next.has(state) ? actionTo(state) : undefined;
            const looks = [state === now && 'now', visited.has(state) && 'visited', next.has(state) && 'legal', action && 'open'];
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the picture is hidden from screen readers; the head of the page has the same button.
              <g key={state} class={`state ${looks.filter(Boolean).join(' ')}`} onClick={action && (() => open(action))}>
                <rect x={x} y={y} width={box} height={STATE.height} rx="6" />
                <text x={x + box / 2} y={y + 18}>
                  {wordsOf(state)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption>
        Now {wordsOf(now)}. {next.size === 0 ? 'Nothing follows.' : `What can follow: ${[...next].map(wordsOf).join(', ')}.`}
        <ul class="unseen" aria-label="States">
          {[...places.keys()].map((state) => {
            const action = next.has(state) ? actionTo(state) : undefined;
            const word = state === now ? 'now' : next.has(state) ? 'can follow' : visited.has(state) ? 'was before' : 'not now';
            return (
              <li key={state}>
                {wordsOf(state)}: {word}
                {action && `, by ${action.label}`}
              </li>
            );
          })}
        </ul>
      </figcaption>
    </figure>
  );
}
