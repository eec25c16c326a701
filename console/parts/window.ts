// Which rows of a long list are drawn: those around what is seen, and the one that has the focus. Empty rows stand for the others, so
// that the list is as high as it would be with all of them.

/** A list of up to this many rows is drawn whole. */
export const WHOLE = 100;
/** Rows that are drawn before and after those that are seen, and the step by which the window moves. */
const MARGIN = 4;
const STEP = 4;
/** The height of a row until one is measured. */
const HEIGHT = 36;

export type Window = { readonly first: number; readonly count: number; readonly height: number };

/** Rows from one place to another, the last not included. `isGap`: an empty row stands for them. */
export type Stretch = { readonly from: number; readonly to: number; readonly isGap: boolean };

/** The window for what is seen between two places, in pixels from the top of the first row. */
export function windowAt(from: number, to: number, height = HEIGHT): Window {
  const seen = Math.floor(Math.max(0, from) / height);
  return {
    first: Math.max(0, Math.floor((seen - MARGIN) / STEP) * STEP),
    count: Math.ceil(Math.max(0, to - from) / height) + 2 * MARGIN + STEP,
    height,
  };
}

/** All rows in order, drawn and not. */
export function stretchesOf(total: number, { first, count }: Window, focused: number | undefined): readonly Stretch[] {
  if (total <= WHOLE) return [{ from: 0, to: total, isGap: false }];
  const from = Math.max(0, Math.min(first, total - count));
  const drawn = [{ from, to: Math.min(total, from + count) }];
  if (focused !== undefined && focused < total && (focused < from || focused >= from + count))
    drawn.splice(focused < from ? 0 : 1, 0, { from: focused, to: focused + 1 });
  const stretches: Stretch[] = [];
  let at = 0;
  for (const next of [...drawn, { from: total, to: total }]) {
    if (next.from > at) stretches.push({ from: at, to: next.from, isGap: true });
    if (next.to > next.from) stretches.push({ ...next, isGap: false });
    at = next.to;
  }
  return stretches;
}
