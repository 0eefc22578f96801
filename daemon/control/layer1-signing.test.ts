import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../protocol/constants.ts";
import type { SandboxError } from "../protocol/errors.ts";
import { createLayer1Signing, tezOfFloat } from "./layer1-signing.ts";

it.each([
  [1, 1_000_000n],
  [0.3, 300_000n],
  [0.000001, 1n],
  [1234567.654321, 1_234_567_654_321n],
  [0, 0n],
  [999_999_999.999999, 999_999_999_999_999n],
])("converts %d tez exactly", (tez, mutez) => {
  expect(tezOfFloat(tez)).toBe(mutez);
});

it.each([1.0000009, 0.0000015, 2.00000049, 0.1 + 0.2, 1e-7, 1e9, 9_007_199_254.740993, 1e21, -1, NaN])(
  "rounds nothing: %d",
  (tez) => {
    expect(() => tezOfFloat(tez)).toThrow(expect.objectContaining({ code: "BAD_AMOUNT" }) as Error);
  },
);

const signing = createLayer1Signing({
  accounts: BOOTSTRAP_ACCOUNTS,
  layer1Endpoint: () => expect.unreachable("nothing is sent"),
});

it.each([
  ["nothing", ""],
  ["an open bracket", "Pair 1 ("],
  ["a misused macro", "{ CMPEQ 1 }"],
  ["an open text", '"open'],
  ["nesting without end", "{".repeat(5_000)],
  ["macros for more than an operation holds", `{${`SET_C${"A".repeat(80)}R;`.repeat(1_000)}}`],
  ["more text than an operation holds", `"${"a".repeat(200_000)}"`],
])("an argument that is not Michelson is rejected before anything is sent: %s", async (_, arg) => {
  const call = { from: "bootstrap1", contract: BRIDGE_ADDRESS, amount: 0, entrypoint: "default", arg };
  await expect(signing.callContract(call, () => {})).rejects.toMatchObject({
    code: "BAD_REQUEST",
    data: { at: "body/arg" },
  });
});

it("a destination that is no address is rejected with its place", async () => {
  const call = { from: "bootstrap1", contract: "KT1", amount: 0, entrypoint: "default", arg: "Unit" };
  await expect(signing.callContract(call, () => {})).rejects.toMatchObject({
    code: "BAD_REQUEST",
    data: { at: "body/contract" },
  });
  const content = { kind: "transaction", destination: "bootstrap2", amount: "0" };
  await expect(signing.send({ from: "bootstrap1", contents: [content] })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    data: { at: "body/contents/0/destination" },
  });
});

it.each([
  [
    {
      kind: "transaction",
      destination: BRIDGE_ADDRESS,
      amount: "0",
      parameters: { entrypoint: "a", value: 1 },
    },
    "parameters/value",
  ],
  [{ kind: "origination", script: { code: [], storage: { prim: 5 } } }, "script/storage"],
  [{ kind: "origination", script: { code: { prim: "a", x: 1 }, storage: [] } }, "script/code"],
])("contents with invalid Micheline are rejected with their place", async (content, place) => {
  await expect(signing.send({ from: "bootstrap1", contents: [content] })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    data: { at: `body/contents/0/${place}` },
  });
});

it.each([1_001, 3_500, 20_000])(
  "Micheline that is nested %d deep is refused with a code, however deep",
  async (depth) => {
    let value: unknown = [];
    for (let i = 1; i <= depth; i++) value = [value];
    const content = {
      kind: "transaction",
      destination: BRIDGE_ADDRESS,
      amount: "0",
      parameters: { entrypoint: "default", value },
    };
    const refused = await signing.send({ from: "bootstrap1", contents: [content] }).then(
      () => expect.unreachable(),
      (error: unknown) => error as SandboxError,
    );
    expect(refused).toMatchObject({ code: "BAD_REQUEST", data: { at: "body/contents/0/parameters/value" } });
    expect(JSON.stringify(refused.toBody()).length).toBeLessThan(5_000);
  },
);
