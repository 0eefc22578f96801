import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { createServer } from "../../http/server.ts";
import { afterABreath } from "../../parts/breath.ts";
import { silentLog } from "../../parts/log.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../tezos/protocols.ts";
import type { Producer } from "../chain/producer.ts";
import { BOB, driveChain } from "../testing/driven-chain.ts";
import { Turns } from "../turns.ts";
import { addBlockRoutes } from "./block-routes.ts";
import { accessOf, prepareRpc } from "./rpc-server.ts";

const driven = driveChain();
const headSeen = vi.fn();
const server = createServer({ name: "test", log: silentLog, access: accessOf, adminSecret: undefined });
await server.register((scope, _options, done) => {
  const turns = new Turns({ now: () => performance.now(), nextTurn: afterABreath });
  const rpc = prepareRpc(scope, silentLog, turns, protocolOf(DEFAULT_PROTOCOL));
  addBlockRoutes(rpc, driven.chain, { headSeen } as unknown as Producer);
  done();
});
await driven.chain.inject(
  driven.sign(driven.fill([{ kind: "transaction", destination: BOB.address, amount: "1" }])),
);
const { level, hash } = driven.chain.bake();
beforeEach(() => headSeen.mockClear());
afterAll(() => server.close());

const read = async (path: string): Promise<number> =>
  (await server.inject({ method: "GET", url: `/chains/main/blocks/${path}`, headers: { host: "localhost" } }))
    .statusCode;

// The next block may come at once after that: an operation later waits for nobody.
it.each(["head", hash, "head/operations", "head/operations/3", "head/operations/3/0"])(
  "shows clients their operation: %s",
  async (path) => {
    expect(await read(path)).toBe(200);
    expect(headSeen).toHaveBeenCalledOnce();
  },
);

it.each([`${level}/operations`, `${level}/operations/3`, `${level}/operations/3/0`])(
  "shows clients their operation, by level: %s",
  async (path) => {
    expect(await read(path)).toBe(200);
    expect(headSeen).toHaveBeenCalledOnce();
  },
);

// The first is what those read who follow the chain, our indexer among them.
it.each([`${level}`, "head~1", "head/hash", "head/header", `${level}/operation_hashes/3`])(
  "shows nobody an operation of theirs: %s",
  async (path) => {
    expect(await read(path)).toBe(200);
    expect(headSeen).not.toHaveBeenCalled();
  },
);
