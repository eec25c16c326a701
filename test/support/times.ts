// Times for tests of rules.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A moment, and the moments around it. */
export const around = (text: string): { readonly now: Date; at(ms: number): Date } => {
  const now = new Date(text);
  return { now, at: (ms) => new Date(now.getTime() + ms) };
};
