// Reads data for a view: nothing yet, a value, or a failure. Reads are aborted with the view and repeated when the sandbox
// changes, one at a time and with a pause between them.
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../daemon/protocol/wait.ts";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
}

/** Milliseconds between the end of a read and the next. */
const PACE_MS = 500;

/**
 * Reads when the view appears and whenever `again` changes. While `what` stays the same, the last value is shown until the
 * next arrives, so that live views do not flicker.
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
  const reader = useRef<Reader | undefined>(undefined);
  const latest = useRef(readIt);
  latest.current = readIt;
  useEffect(() => {
    const created = createReader(async (signal) => {
      try {
        const value = await latest.current(signal);
        if (!signal.aborted) setState({ what, value, failure: undefined, isLoading: false });
      } catch (failure) {
        if (!signal.aborted) setState({ what, value: undefined, failure, isLoading: false });
      }
    });
    reader.current = created;
    return () => created.end();
  }, [what]);
  useEffect(() => reader.current?.request(), [what, again]);
  return state.what === what ? state : { value: undefined, failure: undefined, isLoading: true };
}

interface Reader {
  /** Reads now, or once more after the read in flight. */
  request(): void;
  end(): void;
}

export function createReader(readOnce: (signal: AbortSignal) => Promise<void>, paceMs = PACE_MS): Reader {
  const gone = new AbortController();
  let isWanted = false;
  let isBusy = false;
  const run = async (): Promise<void> => {
    isBusy = true;
    while (isWanted && !gone.signal.aborted) {
      isWanted = false;
      await readOnce(gone.signal);
      await pause(paceMs, gone.signal);
    }
    isBusy = false;
  };
  return {
    request() {
      isWanted = true;
      if (!isBusy) void run();
    },
    end: () => gone.abort(),
  };
}
