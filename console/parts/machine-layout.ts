// Where the states of a machine stand and how its moves run between them. Moves never cross a state: those to the next rank run through
// the gap between the two, all others along a lane of their own above or below the states.
import type { Transition } from '../document.ts';

export const BOX_HEIGHT = 28;
const GAP_X = 56;
const GAP_Y = 14;
const LANE = 9;
const LETTER = 7.2;
const ROUND = 6;
/** Room for the line around a box. */
const EDGE = 2;

export type Placed = { readonly name: string; readonly column: number; readonly x: number; readonly y: number };
export type Drawn = { readonly from: string; readonly to: string; readonly path: string };
export type Layout = {
  readonly states: readonly Placed[];
  readonly moves: readonly Drawn[];
  readonly boxWidth: number;
  readonly width: number;
  readonly height: number;
};

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

type Point = readonly [x: number, y: number];

/** Straight pieces with round corners. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const pieces = rest.map(([x, y], at) => {
    const next = rest[at + 1];
    if (!next) return `L${x} ${y}`;
    const [px, py] = points[at] as Point;
    const toward = ([tx, ty]: Point): string => {
      const length = Math.hypot(tx - x, ty - y) || 1;
      const by = Math.min(ROUND, length / 2) / length;
      return `${x + (tx - x) * by} ${y + (ty - y) * by}`;
    };
    return `L${toward([px, py])} Q${x} ${y} ${toward(next)}`;
  });
  return `M${first[0]} ${first[1]} ${pieces.join(' ')}`;
}

type Run = { readonly from: Placed; readonly to: Placed; readonly boxWidth: number };

/** Forward moves leave and arrive a little above the middle of a box, backward moves a little below it. */
const sideOf = ({ x, y }: Placed, isRight: boolean, isForward: boolean, boxWidth: number): Point => [
  isRight ? x + boxWidth : x,
  y + BOX_HEIGHT / 2 + (isForward ? -4 : 4),
];

/** The head of the arrow ends at the edge of the box. */
const HEAD = 4;

/** `lane` is the height of the lane, and `shift` keeps moves apart that pass through the same gap. */
function pathOf({ from, to, boxWidth }: Run, lane: number | undefined, shift: number): string {
  const isForward = to.column > from.column;
  if (from.column === to.column) {
    const [x, y] = sideOf(from, true, true, boxWidth);
    const [, end] = sideOf(to, true, false, boxWidth);
    return rounded([
      [x, y],
      [x + 14 + shift, y],
      [x + 14 + shift, end],
      [x + HEAD, end],
    ]);
  }
  const [x1, y1] = sideOf(from, isForward, isForward, boxWidth);
  const [x2, y2] = sideOf(to, !isForward, isForward, boxWidth);
  const end = x2 + (isForward ? -HEAD : HEAD);
  if (lane === undefined) return `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${end} ${y2}`;
  const [a, b] = isForward ? [x1 + 12 + shift, x2 - 16 - shift] : [x1 - 12 - shift, x2 + 16 + shift];
  return rounded([
    [x1, y1],
    [a, y1],
    [a, lane],
    [b, lane],
    [b, y2],
    [end, y2],
  ]);
}

export function layoutOf(transitions: readonly Transition[]): Layout {
  const unique = [...new Map(transitions.map((move) => [`${move.from} ${move.to}`, move])).values()].filter(({ from, to }) => from !== to);
  const ranks = ranksOf(unique);
  const columnOf = new Map(ranks.flatMap((rank, column) => rank.map((name): [string, number] => [name, column])));
  const spanOf = ({ from, to }: Transition): number => (columnOf.get(to) ?? 0) - (columnOf.get(from) ?? 0);
  const above = unique.filter((move) => spanOf(move) < -1);
  const below = unique.filter((move) => spanOf(move) > 1);
  const boxWidth = Math.max(...ranks.flat().map((name) => name.length)) * LETTER + 24;
  const tallest = Math.max(...ranks.map((rank) => rank.length));
  const top = above.length * LANE + EDGE;
  const bottom = top + tallest * (BOX_HEIGHT + GAP_Y) - GAP_Y;
  const states = ranks.flatMap((rank, column) =>
    rank.map(
      (name, row): Placed => ({
        name,
        column,
        x: column * (boxWidth + GAP_X) + EDGE,
        y: top + (row + (tallest - rank.length) / 2) * (BOX_HEIGHT + GAP_Y),
      }),
    ),
  );
  const placed = new Map(states.map((state) => [state.name, state]));
  const moves = unique.flatMap((move): Drawn[] => {
    const [from, to] = [placed.get(move.from), placed.get(move.to)];
    if (!from || !to) return [];
    const [up, down] = [above.indexOf(move), below.indexOf(move)];
    const lane = up >= 0 ? top - (up + 1) * LANE : down >= 0 ? bottom + (down + 1) * LANE : undefined;
    const shift = (Math.max(up, down, 0) % 4) * 5;
    return [{ from: move.from, to: move.to, path: pathOf({ from, to, boxWidth }, lane, shift) }];
  });
  // A loop within the last rank stands out at its right.
  const width = ranks.length * (boxWidth + GAP_X) - GAP_X + 2 * EDGE + 24;
  return { states, moves, boxWidth, width, height: bottom + below.length * LANE + EDGE + 4 };
}
