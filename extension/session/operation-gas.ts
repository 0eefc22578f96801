// Gas of operations, read from their traces when the view shows them: the newest first, a few at a time, so that a
// sandbox under load is not asked for every operation.
import type { OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { gasOfCall } from "../../daemon/protocol/operation-outcome.ts";

/** Operations whose gas is read: what a view shows without scrolling. */
const MOST = 30;
const AT_ONCE = 4;

export class OperationGas {
  readonly #read: (hash: string) => Promise<OperationTrace | undefined>;
  readonly #onRead: () => void;
  /** Null where nothing was called, or the trace is gone. */
  readonly #known = new Map<string, number | null>();
  #wanted: readonly string[] = [];
  #isReading = false;

  /** @param onRead called when gas of wanted operations was read */
  constructor(read: (hash: string) => Promise<OperationTrace | undefined>, onRead: () => void) {
    this.#read = read;
    this.#onRead = onRead;
  }

  of(hash: string): number | undefined {
    return this.#known.get(hash) ?? undefined;
  }

  /** @param shown hashes of the operations shown, the newest first; gas of others is forgotten */
  want(shown: readonly string[]): void {
    const kept = new Set(shown);
    for (const hash of this.#known.keys()) if (!kept.has(hash)) this.#known.delete(hash);
    this.#wanted = shown.slice(0, MOST);
    if (!this.#isReading) void this.#readWanted();
  }

  async #readWanted(): Promise<void> {
    this.#isReading = true;
    let hasRead = false;
    for (;;) {
      const next = this.#wanted.filter((hash) => !this.#known.has(hash)).slice(0, AT_ONCE);
      if (next.length === 0) break;
      const traces = await Promise.all(next.map((hash) => this.#read(hash).catch(() => undefined)));
      next.forEach((hash, i) => {
        const call = traces[i]?.trace?.call;
        this.#known.set(hash, call ? gasOfCall(call) : null);
      });
      hasRead = true;
    }
    this.#isReading = false;
    if (hasRead) this.#onRead();
  }
}
