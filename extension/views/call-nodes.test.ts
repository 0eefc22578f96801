import { expect, it } from "vitest";
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import { createCallNodes } from "./call-nodes.ts";

const links = { inSources: (text: string) => Promise.resolve(text), firstPlace: () => undefined };
const CALL: CallTrace = {
  ...{ caller: "tz1a", address: "KT1a", method: "GET", path: "/", amount: "0", status: 200, gas: 1 },
  ...{ durationMs: 1, committed: true, kv: [], transfers: [], logs: [], calls: [] },
};

it("has all that a call did, in order", async () => {
  const call: CallTrace = {
    ...CALL,
    kv: [{ seq: 4, op: "set", key: "k", value: "1" }],
    transfers: [{ seq: 3, from: "KT1a", to: "tz1a", amount: "7" }],
    tickets: [{ seq: 2, from: "tz1a", to: "tz1b", amount: "9", ticketer: "KT1t" }],
    logs: [{ seq: 5, level: "INFO", text: "hello\n" }],
    calls: [{ ...CALL, seq: 1, address: "KT1b" }],
  };
  const rows = await createCallNodes(links, (address) => address).childrenOf(call, "id");
  expect(rows.map(({ label }) => label)).toEqual([
    ...["GET KT1b/", "9 tickets of KT1t from tz1a to tz1b", "7 mutez from KT1a to tz1a", "set k", "hello"],
  ]);
});
