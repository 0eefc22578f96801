import { beforeEach, describe, expect, it } from "vitest";
import type { CallTrace } from "../../protocol/call-trace.ts";
import { INJECTOR } from "../../protocol/constants.ts";
import { parseExact } from "../../protocol/exact-json.ts";
import misc from "../../protocol/fixtures/inbox-receipts-misc.json" with { type: "json" };
import { type Address, addressOf } from "../../tezos/address.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import { testEngine } from "../engine/test-engine.ts";
import { ticketHash } from "../inbox/ticket.ts";
import { ENTRY_CHARACTERS } from "../ledger/ledger.ts";
import { Bench } from "./executor-bench.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

const TICKET = { ticketer: addressOf("KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni"), id: 0n, content: null };
const HASH = ticketHash(TICKET);

let bench: Bench;
beforeEach(async () => {
  bench = new Bench(adaptEngine(await testEngine(), { realTime: false }));
}, BUILD_MS);

function deposit(receiver: Address, proxy: Address | null, amount = 10n): unknown {
  bench.depositTicket({ receiver, proxy, amount, ticketHash: HASH, source: bench.address("source") });
  return (parseExact(bench.last.receipt) as { result: { inner: unknown } }).result.inner;
}

describe("deposits of tickets", () => {
  it("without a proxy belong to the receiver", () => {
    const receiver = bench.address("alice");
    deposit(receiver, null);
    expect(deposit(receiver, null)).toEqual({
      _type: "FaDeposit",
      receiver,
      ticketBalance: 20,
      runFunction: null,
    });
  });

  it("have no limit of their sum", () => {
    const receiver = bench.address("alice");
    const most = 2n ** 64n - 1n;
    expect(deposit(receiver, null, most)).toMatchObject({ ticketBalance: most });
    expect(deposit(receiver, null, most)).toMatchObject({ ticketBalance: 2n * most });
    const proxy = bench.deploy("alice", `export default () => { throw new Error("no"); }`);
    expect(deposit(receiver, proxy, most)).toMatchObject({ receiver, ticketBalance: 3n * most });
  });

  it("belong to the receiver when the proxy's writes no longer fit", async () => {
    bench = new Bench(adaptEngine(await testEngine(), { realTime: false }), {
      maxCharacters: 500 + 3 * ENTRY_CHARACTERS,
    });
    const proxy = bench.deploy(
      "alice",
      `export default () => { Kv.set("a", "x".repeat(1000)); return new Response(); }`,
    );
    const receiver = bench.address("bob");
    expect(deposit(receiver, proxy)).toMatchObject({
      receiver,
      ticketBalance: 10,
      runFunction: { statusCode: 500 },
    });
    expect([bench.ledger.ticket(HASH, receiver), bench.ledger.ticket(HASH, proxy)]).toEqual([10n, 0n]);
    expect(bench.ledger.value(proxy, "a")).toBeUndefined();
  });

  it("with a proxy call it as the null address, and belong to it when it accepts", () => {
    const proxy = bench.deploy(
      "alice",
      `export default async (request) => Response.json([request.url, request.method, request.headers.get("referer"),
        request.headers.get("content-type"), await request.json()])`,
    );
    const receiver = bench.address("bob");
    const inner = deposit(receiver, proxy) as {
      receiver: string;
      runFunction: { statusCode: number; body: string };
    };
    expect(inner).toMatchObject({ receiver: proxy, ticketBalance: 10, runFunction: { statusCode: 200 } });
    expect(JSON.parse(Buffer.from(inner.runFunction.body, "base64").toString())).toEqual([
      `jstz://${proxy}/-/deposit`,
      "POST",
      INJECTOR.address,
      "application/json; charset=utf-8",
      { receiver, amount: 10, ticketHash: HASH, source: bench.address("source") },
    ]);
    expect(Object.keys(misc.faDepositCallbackBody.json)).toEqual([
      "receiver",
      "amount",
      "ticketHash",
      "source",
    ]);
    expect(bench.ledger.ticket(HASH, proxy)).toBe(10n);
  });

  it.each([`throw new Error("no")`, `return new Response(null, { status: 400 })`])(
    "belong to the receiver when the proxy does not accept: %s",
    (end) => {
      const proxy = bench.deploy("alice", `export default () => { Kv.set("x", 1); ${end} }`);
      const receiver = bench.address("bob");
      expect(deposit(receiver, proxy)).toMatchObject({ receiver, ticketBalance: 10 });
      expect(bench.ledger.value(proxy, "x")).toBeUndefined();
    },
  );
});

describe("withdrawals of tickets", () => {
  const withdrawal = (amount: number): string =>
    JSON.stringify({
      amount,
      routingInfo: {
        receiver: bench.address("bob"),
        proxyL1Contract: "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ",
      },
      ticketInfo: { id: 0, content: null, ticketer: TICKET.ticketer },
    });

  it("debit the caller and send the tickets to the contract on layer 1", () => {
    deposit(bench.address("alice"), null);
    const result = bench.run("alice", "jstz://jstz/fa-withdraw", { method: "POST", body: withdrawal(4) });
    expect(JSON.parse(result.body ?? "")).toMatchObject({ source: bench.address("alice"), amount: 4 });
    expect(bench.ledger.ticket(HASH, bench.address("alice"))).toBe(6n);
    expect(Buffer.from(bench.last.outbox[0]!).toString("latin1")).toContain("withdraw");
    const { call } = JSON.parse(bench.last.trace!) as { call: CallTrace };
    expect(call.tickets).toMatchObject([
      { from: bench.address("alice"), amount: "4", ticketer: TICKET.ticketer },
    ]);
  });

  it("beyond the caller's balance fail", () => {
    deposit(bench.address("alice"), null);
    const outcome = bench.submitRun("alice", "jstz://jstz/fa-withdraw", {
      method: "POST",
      body: withdrawal(11),
    });
    expect(outcome.failure).toBe("InsufficientFunds");
    expect(bench.ledger.ticket(HASH, bench.address("alice"))).toBe(10n);
  });

  it.each([
    ["withdraw", "{}"],
    ["withdraw", "no JSON"],
    ["withdraw", '{"amount":0,"receiver":"tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg"}'],
    ["withdraw", '{"amount":1,"receiver":"sr1PuFMgaRUN12rKQ3J2ae5psNtwCxPNmGNK"}'],
    ["fa-withdraw", '{"amount":1}'],
  ])("%s with the body %s are bad requests", (path, body) => {
    const result = bench.run("alice", `jstz://jstz/${path}`, { method: "POST", body });
    expect(result.statusCode).toBe(400);
  });
});
