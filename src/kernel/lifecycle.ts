// State machines as one allow-table: status → statuses it may move to. Every other move is refused.

export type Moves<Status extends string, Target extends string = Status> = Readonly<Record<Status, readonly Target[]>>;

export const canMove = <Status extends string, Target extends string>(moves: Moves<Status, Target>, from: Status, to: Target): boolean =>
  moves[from].includes(to);

/** A move as the API document shows it: to which status, and what makes it. `of` where machines of several types share the statuses. */
export type ShownMove = { readonly to: string; readonly by: string; readonly of?: string };
export type ShownMoves = Readonly<Record<string, readonly ShownMove[]>>;

/** Status → event → next status, or statuses. */
export type EventTable = Readonly<Record<string, Readonly<Record<string, string | readonly string[] | undefined>>>>;

/** The moves of a table of events: status → event → next status, or statuses. An event that changes nothing is no move. */
export const movesByEvent = (table: EventTable): ShownMoves =>
  Object.fromEntries(
    Object.entries(table).map(([from, events]) => [
      from,
      Object.entries(events).flatMap(([by, targets = []]) => [targets].flat().flatMap((to) => (to === from ? [] : [{ to, by }]))),
    ]),
  );

/** The moves of an allow-table, all made by the same cause. */
export const movesBy = (by: string, table: Readonly<Record<string, readonly string[] | string | undefined>>): ShownMoves =>
  movesByEvent(Object.fromEntries(Object.entries(table).map(([from, to]) => [from, { [by]: to }])));

/** Several tables about the same statuses, without repeats. */
export function mergedMoves(...tables: readonly ShownMoves[]): ShownMoves {
  const merged: Record<string, ShownMove[]> = {};
  for (const table of tables)
    for (const [from, moves] of Object.entries(table)) {
      merged[from] ??= [];
      for (const move of moves)
        if (!merged[from].some((known) => known.to === move.to && known.by === move.by && known.of === move.of)) merged[from].push(move);
    }
  return merged;
}

/** Of moves that machines of several types share, those of one type, between the statuses that it has. */
export function movesOfType(type: string, table: ShownMoves): ShownMoves {
  const own = Object.entries(table).map(
    ([from, moves]) => [from, moves.flatMap(({ to, by, of }) => (of === type ? [{ to, by }] : []))] as const,
  );
  const reached = new Set(own.flatMap(([, moves]) => moves.map(({ to }) => to)));
  return Object.fromEntries(own.filter(([from, moves]) => moves.length > 0 || reached.has(from)));
}
