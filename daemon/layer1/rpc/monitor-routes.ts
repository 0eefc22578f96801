// Streams of heads and operations, and the node's version and status.
import type { FastifyReply } from "fastify";
import type { Block } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import { GENESIS_PROTOCOL, monitorJson, timestampText } from "./block-json.ts";
import { openJsonStream } from "./json-stream.ts";
import { pendingJson } from "./operation-routes.ts";
import { type Call, NotFound, type Rpc } from "./rpc-server.ts";

const VERSION = {
  version: { major: 23, minor: 3, build: 0, additional_info: "release" },
  network_version: { chain_name: "SANDBOXED_TEZOS", distributed_db_version: 2, p2p_version: 1 },
  commit_info: null,
};

export function addMonitorRoutes(rpc: Rpc, chain: Chain): void {
  /** Streams one item per block, starting with the head. */
  const follow = (reply: FastifyReply, item: (block: Block) => unknown): void => {
    const stream = openJsonStream(reply);
    void stream.closed.then(chain.onBlock((block) => stream.send(item(block))));
    stream.send(item(chain.head));
  };

  const checkName = ({ params }: Call): void => {
    const name = params["chain"];
    if (name !== undefined && name !== "main" && name !== chain.chainId) throw new NotFound();
  };
  const heads = (path: string, item: (block: Block) => unknown): void =>
    rpc.stream(path, (call, reply) => {
      checkName(call);
      follow(reply, item);
    });
  const withHeader = (block: Block): object => ({
    chain_id: chain.chainId,
    hash: block.hash,
    header: monitorJson(block),
    operations: [[], [], [], []],
  });
  heads("/monitor/heads/:chain", monitorJson);
  heads("/monitor/validated_blocks", withHeader);
  heads("/monitor/applied_blocks", withHeader);
  rpc.stream("/monitor/bootstrapped", (_call, reply) => {
    const stream = openJsonStream(reply);
    stream.send({ block: chain.head.hash, timestamp: timestampText(chain.head.timestamp) });
    stream.close();
  });
  rpc.stream("/chains/:chain/mempool/monitor_operations", (call, reply) => {
    checkName(call);
    const stream = openJsonStream(reply);
    // As on a real node: first the pending operations, then each accepted one; the next block ends the stream.
    const unsubscribe = [
      chain.onBlock(() => stream.close()),
      chain.onAccepted((accepted) => stream.send([pendingJson(accepted, chain.protocol.hash)])),
    ];
    void stream.closed.then(() => {
      for (const end of unsubscribe) end();
    });
    stream.send(chain.pending.map((accepted) => pendingJson(accepted, chain.protocol.hash)));
  });

  rpc.get("/version", () => VERSION);
  rpc.get("/health/ready", () => ({ ready: true }));
  rpc.get("/network/version", () => VERSION.network_version);
  rpc.get("/network/connections", () => []);
  rpc.get("/network/stat", () => ({
    total_sent: "0",
    total_recv: "0",
    current_inflow: 0,
    current_outflow: 0,
  }));
  rpc.get("/protocols", () => [GENESIS_PROTOCOL, chain.protocol.hash]);
  rpc.get("/network/peers", () => []);
  rpc.get("/config/network/user_activated_upgrades", () => []);
  rpc.get("/config/network/user_activated_protocol_overrides", () => []);
  rpc.get("/config/history_mode", () => ({ history_mode: "archive" }));
}
