// State machines as one allow-table: status → statuses it may move to. Every other move is refused.

export type Moves<Status extends string, Target extends string = Status> = Readonly<Record<Status, readonly Target[]>>;

export const canMove = <Status extends string, Target extends string>(moves: Moves<Status, Target>, from: Status, to: Target): boolean =>
  moves[from].includes(to);
