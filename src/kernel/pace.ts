// How often a question is put to the database that is mostly answered with nothing.

/**
 * The pause after a question, so that questions take at most `share` of the time, and between `leastMs` and `mostMs`. The fastest of the last
 * questions counts: a slow one shows a busy machine, not the cost of the question.
 */
export function createPace({ leastMs, mostMs, share }: { readonly leastMs: number; readonly mostMs: number; readonly share: number }) {
  const lasted: number[] = [];
  return (questionMs: number): number => {
    lasted.push(questionMs);
    if (lasted.length > 5) lasted.shift();
    return Math.min(mostMs, Math.max(leastMs, Math.min(...lasted) / share));
  };
}
