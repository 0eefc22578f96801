// The snapshots that a part keeps: by id, bounded in number and size. What was used least recently goes first, so
// that the one every test goes back to stays however many are taken beside it.
import { SandboxError } from "../protocol/errors.ts";
import { SNAPSHOT_ID } from "../protocol/snapshot-name.ts";
import { textField } from "../tezos/json-fields.ts";
import { requestField } from "./request-field.ts";

/** Snapshots kept at once. */
export const MAX_SNAPSHOTS = 16;
/** That a part keeps: one more, which cannot be restored any more, or not yet. */
export const MAX_PART_SNAPSHOTS = MAX_SNAPSHOTS + 1;
/** Entries of all kept snapshots together. An entry costs about 100 bytes: its contents are shared with the state. */
const MAX_ENTRIES = 2_000_000;

export interface SnapshotShelf<Snapshot> {
  /** @param entries how large the snapshot is. The newest is kept whatever its size. */
  put(id: string, snapshot: Snapshot, entries: number): void;
  /** @throws SandboxError SNAPSHOT_UNKNOWN */
  use(id: string): Snapshot;
  /** What is kept, used least recently first. */
  kept(): readonly Snapshot[];
}

export function createSnapshotShelf<Snapshot>({
  maxEntries = MAX_ENTRIES,
  maxSnapshots = MAX_SNAPSHOTS,
} = {}): SnapshotShelf<Snapshot> {
  /** In the order of their last use. */
  const kept = new Map<string, { readonly snapshot: Snapshot; readonly entries: number }>();
  let total = 0;

  function remove(id: string): void {
    total -= kept.get(id)?.entries ?? 0;
    kept.delete(id);
  }

  return {
    put(id, snapshot, entries) {
      remove(id);
      kept.set(id, { snapshot, entries });
      total += entries;
      for (const oldest of kept.keys()) {
        if (oldest === id || (kept.size <= maxSnapshots && total <= maxEntries)) return;
        remove(oldest);
      }
    },
    kept: () => [...kept.values()].map(({ snapshot }) => snapshot),
    use(id) {
      const found = kept.get(id);
      if (found === undefined) throw new SandboxError("SNAPSHOT_UNKNOWN", { found: id });
      kept.delete(id);
      kept.set(id, found);
      return found.snapshot;
    },
  };
}

/** The id of a snapshot in the body of a request. @throws SandboxError BAD_REQUEST */
export function snapshotIdOf(body: unknown): string {
  const expected = "the id of a snapshot: at most 64 letters, digits, hyphens";
  return requestField(body, "id", (value, at) =>
    textField(value, at, expected, (text) => SNAPSHOT_ID.test(text)),
  );
}
