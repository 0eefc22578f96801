// What a view has read: nothing yet, a value, or a failure. Reads end with the view, and are made again on a new key.
import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
}

/**
 * Reads when the view appears and whenever the key changes. With the same `what` the last value stays until the next is
 * there, so that a live view does not flicker.
 */
export function useRead<T>(
  what: string,
  readIt: (signal: AbortSignal) => Promise<T | undefined>,
  again: unknown = 0,
): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { what: string }>({
    what,
    value: undefined,
    failure: undefined,
    isLoading: true,
  });
  useEffect(() => {
    const end = new AbortController();
    readIt(end.signal).then(
      (value) => setState({ what, value, failure: undefined, isLoading: false }),
      (failure: unknown) => {
        if (!end.signal.aborted) setState({ what, value: undefined, failure, isLoading: false });
      },
    );
    return () => end.abort();
  }, [what, again]);
  return state.what === what ? state : { value: undefined, failure: undefined, isLoading: true };
}
