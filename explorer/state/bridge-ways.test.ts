import { describe, expect, it } from "vitest";
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import { type Deposit, type Way, waysOf } from "./bridge-ways.ts";
import type { Layer1Row } from "./layer1.ts";
import type { Operation } from "./trace.ts";

const TIME = "2026-01-01T00:00:10Z";
const NOTHING = {
  sent: [],
  toInbox: [],
  credited: [],
  traces: [],
  executed: [],
  exchanger: "KT1x",
  cemented: 3,
  head: 9,
};

const row = (over: Partial<Layer1Row>): Layer1Row => ({
  ...{ type: "transaction", id: 1, level: 8, timestamp: TIME, hash: "oo1", status: "applied" },
  ...over,
});
const message = (side: "Left" | "Right", amount: string, id = 1): Layer1Row => {
  const ticket = {
    prim: "Pair",
    args: [{ bytes: "01" }, { prim: "Pair", args: [{ int: "7" }, { int: amount }] }],
  };
  const value = { prim: side, args: [{ prim: "Pair", args: [{ bytes: "00" }, ticket] }] };
  return row({
    id,
    initiator: { address: "tz1user" },
    sender: { address: "KT1b" },
    parameter: { entrypoint: "default", value },
  });
};
const deposit = (over: Partial<Deposit>): Deposit => ({
  ...{
    hash: "dd1",
    level: 8,
    index: 2,
    at: TIME,
    kind: "tez",
    source: "tz1user",
    receiver: "tz1a",
    amount: "5",
  },
  receipt: { hash: [], result: { _type: "Success", inner: { _type: "Other", kind: "Deposit" } } },
  ...over,
});
const withdrawal = (call: Partial<CallTrace>): Operation => ({
  ...{ hash: "rr1", at: TIME, operation: "RunFunction", sender: "tz1a", success: true, failure: null },
  ...{ statusCode: 200, deployed: null, target: "jstz", request: null },
  trace: {
    truncated: false,
    call: {
      ...{ caller: "tz1a", address: "jstz", method: "POST", path: "/withdraw", amount: "0", status: 200 },
      ...{ gas: 0, durationMs: 0, committed: true, kv: [], transfers: [], logs: [], calls: [] },
      ...call,
    },
  },
});
/** An executed outbox message. */
const burnRow = (
  receiver: string,
  amount: string,
  ticketer: string,
  over: Partial<Layer1Row> = {},
): Layer1Row =>
  row({
    parameter: { entrypoint: "burn", value: { address: receiver, ticket: { address: ticketer, amount } } },
    ...over,
  });
const states = ({ steps }: Way): string[] => steps.map(({ name, state }) => `${name} ${state}`);

describe("deposits of tez", () => {
  const sent = row({
    amount: "5",
    parameter: { entrypoint: "deposit", value: "tz1a" },
    sender: { address: "tz1user" },
  });

  it("wait for the runtime, then arrive", () => {
    const [waiting] = waysOf({ ...NOTHING, sent: [sent] }).deposits;
    expect(states(waiting!)).toEqual(["Layer 1 done", "Inbox done", "Runtime waiting"]);
    expect(waiting!.waitsFor).toContain("level 8");
    const [arrived] = waysOf({ ...NOTHING, sent: [sent], credited: [deposit({})] }).deposits;
    expect(states(arrived!)).toEqual(["Layer 1 done", "Inbox done", "Runtime done"]);
    expect(arrived!.waitsFor).toBeUndefined();
  });

  it("that layer 1 rejected end there", () => {
    const refused = { ...sent, status: "failed", errors: [{ type: "balance_too_low" }] };
    const [way] = waysOf({ ...NOTHING, sent: [refused] }).deposits;
    expect(states(way!)).toEqual(["Layer 1 failed", "Inbox ahead", "Runtime ahead"]);
  });
});

describe("deposits of tokens", () => {
  const fa = (over: Partial<Deposit> = {}) => deposit({ kind: "fa", amount: "30", ...over });

  it("begin with the inbox message, and have a receiver once the runtime credits them", () => {
    const told = { ...NOTHING, toInbox: [message("Right", "30"), message("Left", "5", 2)] };
    const { deposits } = waysOf(told);
    expect(deposits).toMatchObject([{ from: "tz1user", to: undefined, tokens: "30" }]);
    expect(states(deposits[0]!)).toEqual(["Layer 1 done", "Inbox done", "Runtime waiting"]);
    const arrived = waysOf({ ...told, credited: [fa()] }).deposits;
    expect(arrived).toMatchObject([{ to: "tz1a", steps: [{ layer1: "oo1" }, {}, { operation: "dd1" }] }]);
  });

  it("of equal amounts in one block keep their order", () => {
    const toInbox = [message("Right", "30", 2), message("Right", "30", 1)];
    const credited = [fa({ hash: "dd2", receiver: "tz1second" }), fa({ receiver: "tz1first" })];
    const { deposits } = waysOf({ ...NOTHING, toInbox, credited });
    expect(deposits.map(({ id, to }) => `${id} ${to}`)).toEqual(["oo1/1 tz1first", "oo1/2 tz1second"]);
  });

  it("whose operation has left the history begin in the inbox", () => {
    const { deposits } = waysOf({ ...NOTHING, credited: [fa()] });
    expect(deposits.map(states)).toEqual([["Inbox done", "Runtime done"]]);
  });
});

describe("withdrawals", () => {
  const tez = withdrawal({ transfers: [{ from: "tz1a", to: "tz1b", amount: "4" }] });
  const tokens = withdrawal({
    path: "/fa-withdraw",
    tickets: [{ from: "tz1a", to: "tz1b", amount: "4", ticketer: "KT1t" }],
  });

  it("wait until their level is cemented, then are paid", () => {
    const [waiting] = waysOf({ ...NOTHING, traces: [tez] }).withdrawals;
    expect(states(waiting!)).toEqual(["Runtime done", "Outbox waiting", "Layer 1 ahead"]);
    expect(waiting!.waitsFor).toContain("level 3 is the latest");
    const [done] = waysOf({
      ...NOTHING,
      traces: [tez],
      executed: [burnRow("tz1b", "4", "KT1x")],
    }).withdrawals;
    expect(states(done!)).toEqual(["Runtime done", "Outbox done", "Layer 1 done"]);
  });

  it("of tokens are distinguished from those of tez, and by ticketer", () => {
    const executed = [burnRow("tz1b", "4", "KT1t", { id: 2, hash: "oo2" }), burnRow("tz1b", "4", "KT1x")];
    const { withdrawals } = waysOf({ ...NOTHING, traces: [tokens], executed });
    expect(withdrawals).toMatchObject([{ tokens: "4", to: "tz1b" }]);
    expect(withdrawals[0]!.steps[2]).toMatchObject({ layer1: "oo2", state: "done" });
    expect(withdrawals[0]!.tez).toBeUndefined();
  });

  it("that layer 1 rejected say why", () => {
    const refused = burnRow("tz1b", "4", "KT1x", { status: "failed", errors: [{ type: "script_rejected" }] });
    const [way] = waysOf({ ...NOTHING, traces: [tez], executed: [refused] }).withdrawals;
    expect(states(way!)).toEqual(["Runtime done", "Outbox done", "Layer 1 failed"]);
    expect(way!.waitsFor).toContain("Stopped on layer 1");
  });

  it("of rolled back calls do not count", () => {
    const undone = withdrawal({ committed: false, transfers: [{ from: "tz1a", to: "tz1b", amount: "4" }] });
    expect(waysOf({ ...NOTHING, traces: [undone] }).withdrawals).toEqual([]);
  });
});
