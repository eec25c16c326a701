// The state machine of an object as a picture, drawn from the transitions that the service serves: ranks from left to right, the present
// state filled, states that can follow outlined, the rest faint. The same as a list for screen readers.
import { useEffect, useState } from 'preact/hooks';
import { loadTransitions, type Transition } from '../transitions.ts';

const STATE = { width: 132, height: 28, gapX: 44, gapY: 14 } as const;

type Placed = { readonly name: string; readonly x: number; readonly y: number };

/** Each state one rank after the first state that leads to it. */
export function ranksOf(transitions: readonly Transition[]): readonly (readonly string[])[] {
  const names = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))].filter((name) => name !== '');
  const entered = new Set(transitions.filter(({ from, to }) => from !== to && from !== '').map(({ to }) => to));
  const starts = transitions.filter(({ from }) => from === '').map(({ to }) => to);
  const first = starts.length > 0 ? starts : names.filter((name) => !entered.has(name));
  const ranks: string[][] = [[...new Set(first.length > 0 ? first : names.slice(0, 1))]];
  const placed = new Set(ranks[0]);
  for (let rank = ranks[0] ?? []; rank.length > 0; ) {
    const next = [...new Set(transitions.filter(({ from, to }) => rank.includes(from) && !placed.has(to)).map(({ to }) => to))];
    for (const name of next) placed.add(name);
    if (next.length > 0) ranks.push(next);
    rank = next;
  }
  const rest = names.filter((name) => !placed.has(name));
  return rest.length > 0 ? [...ranks, rest] : ranks;
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ').toLowerCase();

function arrow(from: Placed, to: Placed): string {
  const isForward = to.x > from.x;
  const [x1, y1] = [
    isForward ? from.x + STATE.width : from.x + STATE.width / 2,
    isForward ? from.y + STATE.height / 2 : from.y + STATE.height,
  ];
  const [x2, y2] = [isForward ? to.x : to.x + STATE.width / 2, isForward ? to.y + STATE.height / 2 : to.y + STATE.height];
  if (isForward) return `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2 - 4} ${y2}`;
  const below = Math.max(y1, y2) + 18;
  return from.x === to.x
    ? `M${from.x + STATE.width} ${from.y + STATE.height / 2} h14 V${to.y + STATE.height / 2} h-10`
    : `M${x1} ${y1} C${x1} ${below} ${x2} ${below} ${x2} ${y2 + 4}`;
}

type Props = { readonly name: string; readonly type: string; readonly now: string; readonly onReady: () => void };

export function Machine({ name, type, now, onReady }: Props) {
  const [transitions, setTransitions] = useState<readonly Transition[]>([]);
  useEffect(() => {
    loadTransitions(name, type)
      .then(setTransitions, () => setTransitions([]))
      .finally(onReady);
  }, [name, type]);
  if (transitions.length === 0) return null;
  const ranks = ranksOf(transitions);
  const tallest = Math.max(...ranks.map((rank) => rank.length));
  const places = new Map<string, Placed>(
    ranks.flatMap((rank, column) =>
      rank.map((state, row): [string, Placed] => [
        state,
        {
          name: state,
          x: column * (STATE.width + STATE.gapX) + 2,
          y: (row + (tallest - rank.length) / 2) * (STATE.height + STATE.gapY) + 2,
        },
      ]),
    ),
  );
  const next = new Set(transitions.filter(({ from }) => from === now).map(({ to }) => to));
  const width = ranks.length * (STATE.width + STATE.gapX) - STATE.gapX + 24;
  const height = tallest * (STATE.height + STATE.gapY) + 20;
  return (
    <figure class="machine">
      <div class="scroll-x">
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0 L8 4 L0 8 z" />
            </marker>
          </defs>
          {transitions
            .filter(({ from, to }) => from !== '' && from !== to)
            .map(({ from, to }) => {
              const [a, b] = [places.get(from), places.get(to)];
              return (
                a &&
                b && <path key={`${from} ${to}`} class={from === now ? 'move legal' : 'move'} d={arrow(a, b)} marker-end="url(#arrow)" />
              );
            })}
          {[...places.values()].map(({ name: state, x, y }) => (
            <g key={state} class={state === now ? 'state now' : next.has(state) ? 'state legal' : 'state'}>
              <rect x={x} y={y} width={STATE.width} height={STATE.height} rx="6" />
              <text x={x + STATE.width / 2} y={y + 18}>
                {wordsOf(state)}
              </text>
            </g>
          ))}
        </svg>
      </div>
      <figcaption>
        Now {wordsOf(now)}. {next.size === 0 ? 'Nothing follows.' : `What can follow: ${[...next].map(wordsOf).join(', ')}.`}
      </figcaption>
    </figure>
  );
}
