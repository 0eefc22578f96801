// Snapshots of layer 1: the chain's state and the contents of the rollup's outbox. Restoring one makes a new block with
// that state on top of the head, so that followers of the chain never see it go back.
import { createSnapshotShelf, MAX_PART_SNAPSHOTS } from "../../parts/snapshot-shelf.ts";
import { SandboxError } from "../../protocol/errors.ts";
import type { Operator } from "../rollup/operator.ts";
import type { Outbox } from "../rollup/outbox.ts";
import type { Block } from "./block.ts";
import type { Chain } from "./chain.ts";
import type { Producer } from "./producer.ts";

export interface Layer1Snapshots {
  /** Takes a snapshot after putting the pending operations into a block. @returns the head that it represents */
  take(id: string): Block;
  /** @returns the block that restores. @throws SandboxError SNAPSHOT_UNKNOWN, SANDBOX_BUSY */
  restore(id: string): Block;
}

export function createLayer1Snapshots(
  chain: Chain,
  producer: Producer,
  outbox: Outbox,
  operator: Operator,
): Layer1Snapshots {
  const copy = () => ({ state: chain.copyState(), outbox: outbox.copy(), waiting: operator.copy() });
  const shelf = createSnapshotShelf<ReturnType<typeof copy>>({ maxSnapshots: MAX_PART_SNAPSHOTS });
  return {
    take(id) {
      producer.settle();
      const snapshot = copy();
      shelf.put(id, snapshot, snapshot.state.size + 2 * snapshot.outbox.byId.size);
      return chain.head;
    },
    restore(id) {
      const snapshot = shelf.use(id);
      producer.settle(); // so that waiting clients find their operation in a block
      if (chain.pending.length > 0)
        throw new SandboxError("SANDBOX_BUSY", { reason: "operations are pending" });
      outbox.restore(snapshot.outbox);
      operator.restore(snapshot.waiting);
      return producer.bake(() => chain.bakeState(snapshot.state));
    },
  };
}
