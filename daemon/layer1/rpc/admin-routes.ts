// Admin routes: bake, pause, resume, jump, snapshots. For programs on this machine; sandboxd proxies them.
import { requestField } from "../../parts/request-field.ts";
import { snapshotIdOf } from "../../parts/snapshot-shelf.ts";
import { integerField } from "../../tezos/json-fields.ts";
import type { ChainClock } from "../chain/chain-clock.ts";
import type { Chain } from "../chain/chain.ts";
import type { Producer } from "../chain/producer.ts";
import type { Layer1Snapshots } from "../chain/snapshots.ts";
import { timestampText } from "./block-json.ts";
import { type Rpc } from "./rpc-server.ts";

/** Blocks that one request may ask for. */
const MAX_BAKE = 100_000;
/** Blocks made before other requests get a turn. */
const BATCH = 500;
/** Ten years. */
const MAX_JUMP_SECONDS = 315_360_000;

const wholeNumber = (body: unknown, field: string, least: number, most: number, fallback?: number): number =>
  requestField(body, field, (value, at) => integerField(value ?? fallback, at, { least, most }));

export interface AdminRoutesOptions {
  readonly chain: Chain;
  readonly producer: Producer;
  readonly clock: ChainClock;
  readonly snapshots: Layer1Snapshots;
}

export function addAdminRoutes(rpc: Rpc, { chain, producer, clock, snapshots }: AdminRoutesOptions): void {
  const state = (): object => ({
    level: chain.head.level,
    hash: chain.head.hash,
    timestamp: timestampText(chain.head.timestamp),
    paused: producer.isPaused,
    pending: chain.pending.length,
  });

  rpc.get("/admin/chain", state);
  rpc.post("/admin/bake", async ({ body }) => {
    const blocks = wholeNumber(body, "blocks", 1, MAX_BAKE, 1);
    for (let i = 0; i < blocks; i++) {
      producer.bake();
      if (i % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    return state();
  });
  rpc.post("/admin/pause", () => {
    producer.pause();
    return state();
  });
  rpc.post("/admin/resume", () => {
    producer.resume();
    return state();
  });
  rpc.post("/admin/jump", ({ body }) => {
    clock.jump(wholeNumber(body, "seconds", 1, MAX_JUMP_SECONDS));
    producer.bake();
    return state();
  });
  rpc.post("/admin/snapshot", ({ body }) => {
    snapshots.take(snapshotIdOf(body));
    return state();
  });
  rpc.post("/admin/restore", ({ body }) => {
    const { level } = snapshots.restore(snapshotIdOf(body));
    return { ...state(), level };
  });
}
