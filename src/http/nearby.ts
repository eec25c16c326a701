// What exists near a path that does not: a refusal that says it saves a look into the reference.
import type { Operation } from './operation.js';

type Route = Pick<Operation, 'method' | 'path'>;

const MOST = 3;
/** A segment may differ in this many letters. */
const NEAR = 2;
const LONGEST = 200;

/** The served requests whose path is closest to the given one, the closest first: `GET /2025-10-13/customers`. */
export function nearby(routes: readonly Route[], basePath: string, url: string): string[] {
  const asked = segmentsOf((url.split('?')[0] ?? '').slice(0, LONGEST).replace(new RegExp(`^${basePath}(?=/|$)`), ''));
  if (asked.length === 0) return [];
  return routes
    .map((route) => ({ route, distance: distanceOf(asked, segmentsOf(route.path)) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .slice(0, MOST)
    .map(({ route }) => `${route.method} ${basePath}${route.path}`);
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** Undefined if the paths have nothing to do with each other. A missing or further segment at the end counts as one letter too many. */
function distanceOf(asked: readonly string[], served: readonly string[]): number | undefined {
  if (Math.abs(asked.length - served.length) > 1) return undefined;
  let distance = Math.abs(asked.length - served.length) * (NEAR + 1);
  for (let i = 0; i < Math.min(asked.length, served.length); i += 1) {
    const [given = '', known = ''] = [asked[i], served[i]];
    // A parameter takes anything, and a literal that fits is closer.
    const differs = known.startsWith('{') ? 0.5 : lettersBetween(given.toLowerCase(), known.toLowerCase());
    if (differs > NEAR) return undefined;
    distance += differs;
  }
  return distance;
}

/** Letters to change, add or remove; two neighbours that changed places count once more than that. */
function lettersBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > NEAR) return NEAR + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
    }
    row = next;
  }
  return row[b.length] ?? NEAR + 1;
}
