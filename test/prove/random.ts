// Reproducible random choices: the same seed makes the same choices.
import { createHash } from 'node:crypto';

export type Random = {
  readonly seed: string;
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number, both ends included. */
  int(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Picks by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
  bytes(length: number): Buffer;
  /** An independent stream, so that the number of choices in one part does not affect another part. */
  fork(label: string | number): Random;
};

/** xoshiro128**, seeded by the hash of a text. */
export function randomOf(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest();
  const state = new Uint32Array([digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12)]);
  const rotate = (x: number, k: number) => (x << k) | (x >>> (32 - k));
  const next32 = (): number => {
    const [s0, s1, s2, s3] = state as unknown as [number, number, number, number];
    const result = Math.imul(rotate(Math.imul(s1, 5), 7), 9) >>> 0;
    state[2] = s2 ^ s0;
    state[3] = s3 ^ s1;
    state[1] = s1 ^ state[2];
    state[0] = s0 ^ state[3];
    state[2] ^= s1 << 9;
    state[3] = rotate(state[3], 11);
    return result;
  };
  const random: Random = {
    seed,
    next: () => next32() / 2 ** 32,
    int: (least, most) => least + Math.floor(random.next() * (most - least + 1)),
    chance: (share) => random.next() < share,
    pick: (list) => {
      if (list.length === 0) throw new Error('the list is empty');
      return list[random.int(0, list.length - 1)] as (typeof list)[number];
    },
    weighted: (weights) => {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let at = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        at -= weight;
        if (at < 0) return name;
      }
      return (entries.at(-1) as [keyof typeof weights, number])[0];
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => random.int(0, 255))),
    fork: (label) => randomOf(`${seed}/${label}`),
  };
  return random;
}

/** A new seed. `npm run prove` takes one for each run, unless it is given. */
export const newSeed = (): string => Math.random().toString(36).slice(2, 10);

/** The seed of a test: always the same in `npm test`, so that its result does not depend on chance. `npm run prove` sets others. */
export const testSeed = (): string => process.env['PROVE_SEED'] ?? 'switchyard';
