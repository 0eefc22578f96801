// One started runtime_node for all tests of a file, with a layer 1 that they bake, and the function that most of them run.
import { afterAll, beforeAll } from "vitest";
import { FakeRollup, startNode, type StartedNode } from "./test-node.ts";

/** Includes the time to build the engine when it is missing. */
const START_MS = 60_000;

export interface SharedNode {
  readonly rollup: FakeRollup;
  /** Set before the first test runs. */
  readonly node: StartedNode;
}

/** Call it at the top of a file. */
export function shareNode(): SharedNode {
  const rollup = new FakeRollup();
  let node: StartedNode;
  beforeAll(async () => {
    await rollup.start();
    node = await startNode({ rollupEndpoint: () => rollup.endpoint });
  }, START_MS);
  afterAll(async () => {
    await node.stop();
    await rollup.stop();
  });
  return {
    rollup,
    get node() {
      return node;
    },
  };
}

/** Counts its calls, logs and returns the number; a DELETE request resets it. */
export const COUNTER = `export default (request) => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  if (request.method === "DELETE") Kv.delete("count");
  console.log("count", count);
  return new Response(String(count));
};`;
