// The timeline of an object: requests, changes, signatures, ledger entries and events, merged into one order. Types and pure functions.

/** In the order in which they follow from each other: a request makes changes, and changes make events. */
export const TIMELINE_KINDS = ['REQUEST', 'SIGNATURE', 'PROOF', 'CHANGE', 'LEDGER_ENTRY', 'EVENT'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export type TimelineItem = {
  readonly kind: TimelineKind;
  /** The place in the order of its kind, as a cursor holds it. */
  readonly key: string;
  /** Milliseconds of the real time: the clock of a sandbox platform can stand still and go back. */
  readonly at: number;
  /** The time of the platform's clock. */
  readonly timestamp: Date;
  readonly cause: { readonly requestId?: string; readonly job?: string } | null;
  /** What the wire shows beside the common members. */
  readonly facts: Readonly<Record<string, unknown>>;
};

/** The key of the last item of each kind that was shown. A kind that is absent begins at its newest item. */
export type TimelinePosition = Partial<Record<TimelineKind, string>>;

const rank = ({ kind }: TimelineItem): number => TIMELINE_KINDS.indexOf(kind);
const isLater = (one: TimelineItem, other: TimelineItem): boolean => one.at > other.at || (one.at === other.at && rank(one) > rank(other));

export type TimelinePage = { readonly items: readonly TimelineItem[]; readonly next: TimelinePosition | undefined };

/**
 * Merges lists that are each newest first. Every list keeps its own order and its own place in the cursor, so no item is left out or
 * repeated, even where the times of two lists disagree.
 */
export function mergeTimeline(lists: readonly (readonly TimelineItem[])[], limit: number, from: TimelinePosition): TimelinePage {
  const heads = lists.map(() => 0);
  const items: TimelineItem[] = [];
  const position: TimelinePosition = { ...from };
  const newest = (): number => {
    let found = -1;
    for (const [i, list] of lists.entries()) {
      const item = list[heads[i] ?? 0];
      const best = found < 0 ? undefined : lists[found]?.[heads[found] ?? 0];
      if (item && (!best || isLater(item, best))) found = i;
    }
    return found;
  };
  for (let i = newest(); i >= 0; i = newest()) {
    if (items.length === limit) return { items, next: position };
    const item = lists[i]?.[heads[i] ?? 0];
    if (!item) break;
    heads[i] = (heads[i] ?? 0) + 1;
    items.push(item);
    position[item.kind] = item.key;
  }
  return { items, next: undefined };
}
