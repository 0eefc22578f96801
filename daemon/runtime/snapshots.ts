// Snapshots of the runtime, taken and restored together with those of layer 1. The driver of both first puts the
// runtime on hold: running operations finish and new ones wait, so that nothing crosses the bridge in between.
import type { Log } from "../parts/log.ts";
import { createSnapshotShelf, MAX_PART_SNAPSHOTS } from "../parts/snapshot-shelf.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { RuntimeCore } from "./runtime-core.ts";
import type { StoreSnapshot } from "./store/committed-store.ts";

export interface SnapshotsOptions {
  readonly core: RuntimeCore;
  /** Resolves when layer 1 has accepted all withdrawals. */
  readonly outboxSettled: () => Promise<void>;
  /** Resolves when the deposits of a level of layer 1 have been processed, or on abort. */
  readonly reached: (level: number, signal: AbortSignal) => Promise<void>;
  /** The last level whose deposits have been processed; undefined without a layer 1. */
  readonly level: () => number | undefined;
  readonly log: Log;
  /** How long to wait until all jobs are finished, in ms. */
  readonly patienceMs?: number;
  /** Time limit of a hold, in ms: its caller may have disappeared. */
  readonly holdMs?: number;
}

export interface RuntimeSnapshots {
  /**
   * Waits until no job is in flight, and holds all new ones.
   * @param id a snapshot to be restored, if any
   * @throws SandboxError SNAPSHOT_UNKNOWN, SANDBOX_BUSY
   */
  hold(id: string | undefined): Promise<void>;
  /**
   * During a hold: takes a snapshot to match layer 1's at a level. Ends the hold.
   * @returns false when deposits have arrived in the meantime: start again
   * @throws SandboxError SANDBOX_BUSY
   */
  take(id: string, level: number): Promise<boolean>;
  /**
   * During a hold: restores a snapshot, while layer 1 is restored by its block of this level. Ends the hold.
   * @throws SandboxError SNAPSHOT_UNKNOWN, SANDBOX_BUSY, BAD_REQUEST for a level far from those that layer 1 has reached
   */
  restore(id: string, level: number): Promise<void>;
  /** Gives up a hold. */
  release(): void;
}

const PATIENCE_MS = 10_000;
const HOLD_MS = 30_000;
/** Levels that the runtime may lag behind layer 1 and still catch up soon. */
const MAX_LAG = 1_000;

export function createRuntimeSnapshots(options: SnapshotsOptions): RuntimeSnapshots {
  const { core, log, patienceMs = PATIENCE_MS, holdMs = HOLD_MS } = options;
  const shelf = createSnapshotShelf<StoreSnapshot>({ maxSnapshots: MAX_PART_SNAPSHOTS });
  /** The present hold: a new object for each, so that no caller continues in the hold of another. */
  let current: { atRest: boolean; readonly end: NodeJS.Timeout } | undefined;

  const noSuchLevel = (found: number): SandboxError =>
    new SandboxError("BAD_REQUEST", { at: "level", found, expected: "a level that layer 1 has reached" });
  const busy = (reason: string): SandboxError => new SandboxError("SANDBOX_BUSY", { reason });

  function release(): void {
    clearTimeout(current?.end);
    current = undefined;
    core.release();
  }

  /** Taking and restoring need everything at rest, in the caller's own hold. */
  function mustBeAtRest(hold = current): typeof current {
    if (hold === undefined || hold !== current || !core.isHeld) throw busy("the runtime is not on hold");
    if (!hold.atRest || !core.isAtRest) throw busy("operations are still under way");
    return hold;
  }

  /** @throws SandboxError SANDBOX_BUSY when it takes longer */
  async function within(reason: string, wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await atMost(patienceMs, wait))) throw busy(reason);
  }

  return {
    async hold(id) {
      if (id !== undefined) shelf.use(id);
      if (core.isHeld) throw busy("another snapshot is being taken or restored");
      core.hold();
      const end = setTimeout(() => {
        log.warn({}, "a snapshot was not finished in time; operations continue");
        release();
      }, holdMs);
      end.unref();
      const hold = { atRest: false, end };
      current = hold;
      try {
        await within(`operations are still under way after ${patienceMs / 1000} s`, (signal) =>
          core.idle(signal),
        );
        await within("layer 1 does not take withdrawals", () => options.outboxSettled());
        // Nothing has been changed yet; later, layer 1 might go back alone.
        if (!core.hasRoom) throw busy("too many deposits are waiting");
        if (hold !== current) throw busy("the hold has been given up");
        hold.atRest = true;
      } catch (error) {
        if (hold === current) release();
        throw error;
      }
    },
    async take(id, level) {
      const hold = mustBeAtRest();
      await within("deposits do not arrive from layer 1", (signal) => options.reached(level, signal));
      mustBeAtRest(hold);
      const isWhole = !core.holdsDeposits;
      if (isWhole) {
        const snapshot = core.store.snapshot();
        shelf.put(id, snapshot, snapshot.ledger.size);
      }
      release();
      return isWhole;
    },
    async restore(id, level) {
      const hold = mustBeAtRest();
      // Layer 1's restoring block may still be on its way here, but no later one: deposits up to this level are undone,
      // and an arbitrary level would undo all future ones.
      const known = options.level();
      if (known !== undefined && level > known + MAX_LAG) throw noSuchLevel(level);
      // Layer 1 has gone back already, so a runtime that lags must follow: deposits that arrive later are undone as well.
      await atMost(patienceMs / 2, (signal) => options.reached(level - 1, signal));
      mustBeAtRest(hold);
      core.restore(shelf.use(id), level);
      release();
    },
    release,
  };
}

/** Waits, with a deadline. @returns false when it is over */
async function atMost(ms: number, wait: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  const over = new Promise<void>((resolve) => limit.signal.addEventListener("abort", () => resolve()));
  try {
    await Promise.race([wait(limit.signal), over]);
    return !limit.signal.aborted;
  } finally {
    clearTimeout(timer);
  }
}
