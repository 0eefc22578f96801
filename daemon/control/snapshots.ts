// Snapshots of the whole sandbox: layer 1 and runtime together, over their admin routes. The runtime is on hold
// meanwhile, so that no tez are in transit.
import { createSnapshotShelf } from "../parts/snapshot-shelf.ts";
import { isError, SandboxError } from "../protocol/errors.ts";
import type { SandboxEvents, SnapshotList, SnapshotReport } from "../protocol/sandbox-api.ts";
import { askPart, type RuledPart } from "./ruled-part.ts";

export interface SnapshotsOptions {
  readonly layer1: RuledPart;
  readonly runtime: RuledPart;
  /** Called when layer 1 has gone back. */
  readonly onRestored?: (restored: RestoredSnapshot) => void;
  /** Called at the end of each snapshot and each restore. */
  readonly onDone?: (event: SandboxEvents["snapshot"]) => void;
}

export interface RestoredSnapshot {
  /** Level whose state came back. */
  readonly level: number;
  /** Level of the first block with that state. */
  readonly at: number;
}

export interface Snapshots {
  /**
   * @param name id of the snapshot; by default a number
   * @throws SandboxError SNAPSHOT_EXISTS, SANDBOX_BUSY, SNAPSHOT_UNSUPPORTED, NETWORK_UNREACHABLE
   */
  take(name?: string, options?: { readonly replace: boolean }): Promise<SnapshotReport>;
  /** @throws SandboxError SNAPSHOT_UNKNOWN and as above */
  restore(id: string): Promise<SnapshotReport>;
  /** Snapshots kept, as far as known here: a part drops the oldest when they are too large together. */
  list(): SnapshotList;
}

interface Taken {
  readonly turn: number;
  /** Its id in the parts. A new one each time: a snapshot that fails must not change the half of another. */
  readonly partId: string;
  readonly entry: SnapshotList["snapshots"][number];
}

/** Attempts at a snapshot: a deposit that arrives in between forces a new one. */
const ATTEMPTS = 10;

export function createSnapshots(parts: SnapshotsOptions): Snapshots {
  let count = 0;
  let partCount = 0;
  /**
   * Ids by which the parts have what nobody can restore: a state of one part only, or one that was replaced. The next
   * snapshot takes its place, so that there is never more than one.
   */
  let spare: string | undefined;
  /** Uses the same rule as the shelves of the parts. */
  const taken = createSnapshotShelf<Taken>();
  let turns = 0;
  const byAge = () => [...taken.kept()].sort((one, other) => one.turn - other.turn).map(({ entry }) => entry);
  /** Serializes snapshots and restores. */
  let last: Promise<unknown> = Promise.resolve();

  const layer1 = (action: string, body: object) =>
    askPart<{ level: number }>("layer1_node", parts.layer1, action, body, "SNAPSHOT_UNSUPPORTED");
  const runtime = <Answer>(action: string, body: object) =>
    askPart<Answer>("runtime_node", parts.runtime, action, body, "SNAPSHOT_UNSUPPORTED");

  /** `work` must release the hold itself when it succeeds. */
  async function onHold<Result>(id: string | undefined, work: () => Promise<Result>): Promise<Result> {
    await runtime("hold", id === undefined ? {} : { id });
    try {
      return await work();
    } catch (error) {
      await runtime("release", {});
      throw error;
    }
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  return {
    list: () => ({ snapshots: byAge() }),
    take: (name, { replace } = { replace: false }) =>
      inTurn(async () => {
        if (name !== undefined && !replace && byAge().some(({ id }) => id === name))
          throw new SandboxError("SNAPSHOT_EXISTS", { found: name });
        const id = name ?? String(++count);
        const partId = (spare ??= `s${++partCount}`);
        for (let i = 0; i < ATTEMPTS; i++) {
          const level = await onHold(undefined, async () => {
            const head = await layer1("snapshot", { id: partId });
            const { taken: isTaken } = await runtime<{ taken: boolean }>("snapshot", {
              id: partId,
              level: head.level,
            });
            return isTaken ? head.level : undefined;
          });
          if (level === undefined) continue;
          spare = taken.kept().find(({ entry }) => entry.id === id)?.partId;
          const entry = { id, level, takenAt: new Date().toISOString() };
          taken.put(id, { turn: ++turns, partId, entry }, 0);
          parts.onDone?.({ action: "taken", id, level });
          return { id, level };
        }
        throw new SandboxError("SANDBOX_BUSY", { reason: "deposits keep arriving" });
      }),
    restore: (id) =>
      inTurn(async () => {
        const { partId, entry } = taken.use(id);
        try {
          return await onHold(partId, async () => {
            const { level } = await layer1("restore", { id: partId });
            parts.onRestored?.({ level: entry.level, at: level });
            await runtime("restore", { id: partId, level });
            parts.onDone?.({ action: "restored", id, level });
            return { id, level };
          });
        } catch (error) {
          // Dropped by a part, which knows it by another id.
          if (isError(error, "SNAPSHOT_UNKNOWN")) throw new SandboxError("SNAPSHOT_UNKNOWN", { found: id });
          throw error;
        }
      }),
  };
}
