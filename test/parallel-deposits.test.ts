// Simultaneous deposits from one account by several commands, where layer 1 accepts one of its operations per block.
import { afterEach, expect, it } from "vitest";
import { type BuiltCli, startedSandbox } from "./support/built-cli.ts";

let cli: BuiltCli;
afterEach(() => cli.dispose());

it.each([
  ["blocks by time", { timing: "interval", block_time: 0.5 }],
  ["one operation per source and block", { timing: "interval", block_time: 0.5, strict: true }],
])("all arrive with %s", async (_name, layer1_node) => {
  ({ cli } = await startedSandbox({ layer1_node }));
  await cli.functez(["account", "create", "alice"]);
  const deposit = ["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "1", "--json"];
  const results = await Promise.all([1, 2, 3].map(() => cli.functez(deposit)));
  expect(results.map(({ code, stderr }) => [code, code === 0 ? "" : stderr])).toEqual(
    results.map(() => [0, ""]),
  );
  // What distinguishes them costs nothing, so each costs the same.
  const fees = new Set(results.map(({ stdout }) => (JSON.parse(stdout) as { fee: string }).fee));
  expect([...fees]).toEqual([expect.stringMatching(/^\d{3}$/)]);
  expect((await cli.functez(["account", "balance"])).stdout).toBe("3ꜩ\n");
});
