// Streams of heads and operations, and what a node says of itself.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Block } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import { monitorJson, timestampText } from "./block-json.ts";
import { type JsonStream, openJsonStream } from "./json-stream.ts";
import { pendingJson } from "./operation-routes.ts";
import { NotFound, rpc } from "./rpc-server.ts";

const VERSION = {
  version: { major: 23, minor: 3, build: 0, additional_info: "release" },
  network_version: { chain_name: "SANDBOXED_TEZOS", distributed_db_version: 2, p2p_version: 1 },
  commit_info: null,
};

export interface Monitors {
  /** Ends all open streams. */
  closeAll(): void;
}

export function addMonitorRoutes(server: FastifyInstance, chain: Chain): Monitors {
  const open = new Set<JsonStream>();

  /** A stream of one item per block, the head first. */
  const follow = (reply: FastifyReply, item: (block: Block) => unknown): void => {
    const unsubscribe = chain.onBlock((block) => stream.send(item(block)));
    const stream = openJsonStream(reply, () => {
      unsubscribe();
      open.delete(stream);
    });
    open.add(stream);
    stream.send(item(chain.head));
  };

  const heads = (item: (block: Block) => unknown) => (request: FastifyRequest, reply: FastifyReply): void => {
    const { chain: name } = request.params as { chain?: string };
    if (name !== undefined && name !== "main" && name !== chain.chainId) throw new NotFound();
    follow(reply, item);
  };
  server.get("/monitor/heads/:chain", heads(monitorJson));
  server.get("/monitor/validated_blocks", heads((block) => ({ chain_id: chain.chainId, hash: block.hash, header: monitorJson(block), operations: [[], [], [], []] })));
  server.get("/monitor/applied_blocks", heads((block) => ({ chain_id: chain.chainId, hash: block.hash, header: monitorJson(block), operations: [[], [], [], []] })));
  server.get("/monitor/bootstrapped", (_request, reply) => {
    const stream = openJsonStream(reply, () => {});
    stream.send({ block: chain.head.hash, timestamp: timestampText(chain.head.timestamp) });
    stream.close();
  });
  server.get("/chains/:chain/mempool/monitor_operations", (request, reply) => {
    const { chain: name } = request.params as { chain: string };
    if (name !== "main" && name !== chain.chainId) throw new NotFound();
    const stream = openJsonStream(reply, () => {
      unsubscribe();
      open.delete(stream);
    });
    // As on a real node: what is pending now, then the stream ends with the next block.
    const unsubscribe = chain.onBlock(() => stream.close());
    open.add(stream);
    stream.send(chain.pending.map(pendingJson));
  });

  rpc(server, "GET", "/version", () => VERSION);
  rpc(server, "GET", "/network/version", () => VERSION.network_version);
  rpc(server, "GET", "/network/connections", () => []);
  rpc(server, "GET", "/network/peers", () => []);
  rpc(server, "GET", "/config/network/user_activated_upgrades", () => []);
  rpc(server, "GET", "/config/network/user_activated_protocol_overrides", () => []);
  rpc(server, "GET", "/config/history_mode", () => ({ history_mode: "archive" }));
  return { closeAll: () => open.forEach((stream) => stream.close()) };
}
