// How long a client waits for a receipt: the time in which a debugger holds operations does not count, within a limit, for
// any node may claim that one does.
import type { HeldOperation } from "../protocol/held-operation.ts";

export interface PatienceOptions {
  readonly timeoutMs: number;
  /** The operation that a debugger holds, if any; never rejects. */
  readonly held: () => Promise<HeldOperation | undefined>;
  /** Called once when a debugger holds operations. */
  readonly onHeld?: ((held: HeldOperation) => void) | undefined;
}

/** How often a client waits once more for a debugger: somebody may look at several calls, one after the other. */
const MOST_RENEWALS = 15;
/** How long failing requests for the receipt are waited out: a debugger holds no call longer, and others may fill the sandbox. */
const MOST_FAILING_MS = 60_000;
/** Time after which a client asks why there is no receipt. */
const LOOK_MS = 1_500;

export class ReceiptPatience {
  readonly #options: PatienceOptions;
  readonly #over = new AbortController();
  #isEnded = false;
  #renewals = 0;
  #failingSince: number | undefined;
  #timer: NodeJS.Timeout;
  readonly #look: NodeJS.Timeout | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#timer = this.#wait();
    if (options.onHeld !== undefined) this.#look = setTimeout(() => void this.#tell(), LOOK_MS).unref();
  }

  /** Aborts when the patience is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The receipt is there, or nobody waits for it. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#look);
  }

  /**
   * Whether a request for the receipt that has failed may be repeated, since a debugger holds operations. Silence is what
   * that looks like. Errors and closed connections are not: a node that has nothing else is believed for a minute.
   * @param wasSilent whether no byte came within the time of the request
   */
  async outlasts(wasSilent: boolean): Promise<boolean> {
    if (this.#over.signal.aborted) return true; // the caller says so in its own words
    const now = performance.now();
    this.#failingSince = wasSilent ? undefined : (this.#failingSince ?? now);
    if (this.#failingSince !== undefined && now - this.#failingSince >= MOST_FAILING_MS) return false;
    return (await this.#options.held()) !== undefined || this.#over.signal.aborted;
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => void this.#expire(), this.#options.timeoutMs).unref();
  }

  async #expire(): Promise<void> {
    const held = this.#renewals++ < MOST_RENEWALS ? await this.#options.held() : undefined;
    if (this.#isEnded) return;
    if (held === undefined) this.#over.abort();
    else this.#timer = this.#wait();
  }

  async #tell(): Promise<void> {
    const held = await this.#options.held();
    if (held !== undefined && !this.#isEnded) this.#options.onHeld?.(held);
  }
}
