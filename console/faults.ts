// Refusals on purpose: a fault of the sandbox that refuses the next request of an operation. Requests of the console meet no faults.
import { call, type Item } from './api.ts';

const PATH = '/sandbox/faults';

export type Fault = Item;

const dataOf = ({ data }: Item): readonly Fault[] => data as readonly Fault[];

export const readFaults = async (): Promise<readonly Fault[]> => dataOf(await call('GET', PATH));

/** Faults as they are set again: what is left of a count, and nothing of those that have happened. */
const kept = (faults: readonly Fault[]): readonly Fault[] =>
  faults.flatMap(({ remaining, ...fault }) =>
    remaining === undefined ? [fault] : Number(remaining) > 0 ? [{ ...fault, count: remaining }] : [],
  );

/** Refuses the next request to an operation with a code. Faults that are set already stay. */
export async function refuseNext(operation: string, code: string): Promise<readonly Fault[]> {
  const faults = [...kept(await readFaults()), { kind: 'ANSWER', operation, code, count: 1 }];
  return dataOf(await call('PUT', PATH, { faults }));
}

export const clearFaults = async (): Promise<readonly Fault[]> => dataOf(await call('PUT', PATH, { faults: [] }));
