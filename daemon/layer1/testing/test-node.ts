// A layer1_node with everything that a test does not name as in a fresh sandbox, on a free port, without a log.
import { silentLog } from "../../parts/log.ts";
import type { Part } from "../../parts/part.ts";
import { DEFAULT_PROTOCOL } from "../../tezos/protocols.ts";
import { createLayer1Node, type Layer1Options } from "../layer1-node.ts";
import { GENESIS_ACCOUNTS, ROLLUP_TIMES } from "./driven-chain.ts";

export function createTestNode(options: Partial<Layer1Options> = {}): Part {
  return createLayer1Node({
    host: "127.0.0.1",
    port: 0,
    log: silentLog,
    protocol: DEFAULT_PROTOCOL,
    blockTimeSeconds: 1,
    timing: "instant",
    strict: false,
    historyBlocks: 1000,
    ...ROLLUP_TIMES,
    autoExecuteWithdrawals: true,
    withdrawalDelayBlocks: 0,
    bootstrapAccounts: GENESIS_ACCOUNTS,
    ...options,
  });
}
