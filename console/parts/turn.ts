// One call at a time of a page that has buttons for several: the answers of two could arrive in either order.
import { useState } from 'preact/hooks';

export type Turn = {
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly run: (call: () => Promise<void>) => Promise<void>;
};

export function useTurn(): Turn {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (call: () => Promise<void>) => {
    setBusy(true);
    try {
      await call();
      setError(undefined);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, run };
}
