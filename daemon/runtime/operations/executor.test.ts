import { beforeEach, describe, expect, it } from "vitest";
import { smartFunctionAddress } from "../../protocol/runtime-operation.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import { testEngine } from "../engine/test-engine.ts";
import { ENTRY_CHARACTERS } from "../ledger/ledger.ts";
import { Bench } from "./executor-bench.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let bench: Bench;
beforeEach(async () => {
  bench = new Bench(adaptEngine(await testEngine(), { realTime: false }));
}, BUILD_MS);

const COUNTER = `export default (request) => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  return new Response(String(count));
};`;

describe("a full ledger", () => {
  const STORE = `export default async (request) => {
    const { set, value } = await request.json();
    if (value === undefined) Kv.delete(set); else Kv.set(set, value);
    return new Response("ok");
  };`;
  const store = (address: string, set: string, characters?: number): string | null => {
    const value = characters === undefined ? undefined : "x".repeat(characters);
    return bench.submitRun("alice", `jstz://${address}/`, {
      method: "POST",
      body: JSON.stringify({ set, value }),
    }).failure;
  };

  it("rejects what would enlarge it, deploys too, and accepts everything else", async () => {
    bench = new Bench(adaptEngine(await testEngine(), { realTime: false }), {
      maxCharacters: 2_000 + 3 * ENTRY_CHARACTERS,
    });
    const address = bench.deploy("alice", STORE);
    expect(store(address, "a", 1_000)).toBeNull();
    expect(store(address, "b", 1_000)).toMatch(/^StorageLimitExceeded/);
    expect(bench.ledger.value(address, "b")).toBeUndefined();
    expect(store(address, "a", 900)).toBeNull();
    expect(
      bench.submit("bob", { code: `export default () => new Response(); //${"x".repeat(1_000)}` }).failure,
    ).toMatch(/^StorageLimitExceeded/);
    bench.deposit("alice", 5n);
    expect(bench.balances("alice")).toEqual([5n]);
    // Their tez have left layer 1 already: deposits are never rejected, even for new accounts.
    bench.deposit("carol", 7n);
    expect(bench.balances("carol")).toEqual([7n]);
    expect(store(address, "a")).toBeNull();
    expect(store(address, "b", 1_000)).toBeNull();
  });
});

describe("operations", () => {
  it("deploys a function and runs it with persistent state", () => {
    const counter = bench.deploy("alice", COUNTER);
    expect(counter).toMatch(/^KT1/);
    expect(bench.run("alice", `jstz://${counter}/`)).toMatchObject({ statusCode: 200, body: "1" });
    expect(bench.run("alice", `jstz://${counter}/`)).toMatchObject({ statusCode: 200, body: "2" });
    expect(bench.ledger.value(counter, "count")).toBe("2");
  });

  it("uses up the nonce of a failed operation too, and accepts only the right nonce", () => {
    expect(bench.submit("alice", { nonce: 1n }).failure).toBe("InvalidNonce");
    expect(bench.submit("alice", { nonce: 0n, code: "nonsense(" }).failure).toMatch(/^SyntaxError/);
    expect(bench.submit("alice", { nonce: 0n }).failure).toBe("NoncePassed");
    expect(bench.ledger.account(bench.address("alice"))?.nonce).toBe(1n);
  });

  it("does not use up the nonce of an operation with a bad signature", () => {
    expect(bench.submit("alice", { nonce: 0n, refusal: "InvalidSignature" }).failure).toBe(
      "InvalidSignature",
    );
    expect(bench.ledger.account(bench.address("alice"))).toBeUndefined();
  });

  it("rejects a deploy that the deployer cannot pay", () => {
    expect(bench.submit("alice", { code: COUNTER, credit: 5n }).failure).toBe("InsufficientFunds");
    bench.deposit("alice", 5n);
    const receipt = bench.submit("alice", { code: COUNTER, credit: 5n });
    expect(bench.ledger.account(receipt.deployed ?? "")?.amount).toBe(5n);
  });

  it("rejects a deploy to an address that already has an account", () => {
    const code = "export default () => new Response()";
    const address = smartFunctionAddress(bench.address("alice"), code, 1n);
    bench.deposit(address, 1n);
    expect(bench.submit("alice", { code }).failure).toBe("AccountExists");
    expect(bench.balances(address)).toEqual([1n]);
  });

  it("credits deposits beyond 2^53", () => {
    bench.deposit("alice", 9_007_199_254_740_993n);
    expect(bench.last.receipt).toContain('"updatedBalance":9007199254740993');
  });
});

describe("transfers", () => {
  const EARN = `export default (request) => new Response(request.headers.get("x-jstz-amount"), {
    headers: { "x-jstz-transfer": "30" } });`;

  it("move tez with the request and with the response", () => {
    bench.deposit("alice", 100n);
    const shop = bench.deploy("alice", EARN);
    const result = bench.run("alice", `jstz://${shop}/`, { headers: { "x-jstz-transfer": "50" } });
    expect(result).toMatchObject({ statusCode: 200, body: "50" });
    expect(result.headers["x-jstz-amount"]).toBe("30");
    expect(bench.balances("alice", shop)).toEqual([80n, 20n]);
  });

  it("are undone when the function throws", () => {
    bench.deposit("alice", 100n);
    const bad = bench.deploy("alice", `export default () => { throw new Error("boom") }`);
    const result = bench.run("alice", `jstz://${bad}/`, { headers: { "x-jstz-transfer": "50" } });
    expect(result.statusCode).toBe(500);
    expect(JSON.parse(result.body ?? "")).toMatchObject({ class: "RuntimeError" });
    expect(result.body).toContain("Error: boom");
    expect(bench.balances("alice", bad)).toEqual([100n, 0n]);
  });

  it("go through a function to another and back to the caller", () => {
    bench.deposit("alice", 100n);
    const refund = bench.deploy(
      "alice",
      `export default (request) => request.headers.get("X-JSTZ-AMOUNT") === "20"
        ? Response.withTransfer(null, 10) : new Response()`,
    );
    const forward = bench.deploy(
      "alice",
      `export default async (request) => {
        const response = await fetch(Request.withTransfer("jstz://${refund}", 20));
        if (!response.ok) return Response.error();
        return new Response(null, { headers: { "X-JSTZ-TRANSFER": response.headers.get("X-JSTZ-AMOUNT") } });
      }`,
    );
    const paid = bench.run("alice", `jstz://${forward}/`, { headers: { "x-jstz-transfer": "20" } });
    expect(paid).toMatchObject({ statusCode: 200, headers: { "x-jstz-amount": "10" } });
    expect(bench.balances("alice", forward, refund)).toEqual([90n, 0n, 10n]);
    // The inner transfer fails without tez, so the function answers with an error.
    expect(bench.run("alice", `jstz://${forward}/`).statusCode).toBe(400);
    expect(bench.balances("alice", forward, refund)).toEqual([90n, 0n, 10n]);
  });

  it("to many users in a row need no live call", () => {
    bench.deposit("alice", 100n);
    const payout = bench.deploy(
      "alice",
      `export default async () => {
        for (let i = 0; i < 12; i++) await fetch("jstz://${bench.address("bob")}/", { headers: { "x-jstz-transfer": "1" } });
        return new Response();
      }`,
      { credit: 50n },
    );
    expect(bench.run("alice", `jstz://${payout}/`).statusCode).toBe(200);
    expect(bench.balances("bob", payout)).toEqual([12n, 38n]);
  });

  it("without the funds answer 500 InsufficientFunds", () => {
    const result = bench.run("alice", `jstz://${bench.address("bob")}/`, {
      headers: { "x-jstz-transfer": "1" },
    });
    expect(result.statusCode).toBe(500);
    expect(JSON.parse(result.body ?? "")).toEqual({ class: "RuntimeError", message: "InsufficientFunds" });
  });

  it("reach users and /-/noop without running code, and answer with the request's headers", () => {
    bench.deposit("alice", 100n);
    const bad = bench.deploy("alice", `export default () => { throw 1 }`);
    const toUser = bench.run("alice", `jstz://${bench.address("bob")}/`, {
      headers: { "x-jstz-transfer": "1" },
    });
    const toFunction = bench.run("alice", `jstz://${bad}/-/noop`, {
      headers: { "x-jstz-transfer": "2", a: "b" },
    });
    expect(toUser).toMatchObject({ statusCode: 200, body: null });
    expect(toUser.headers).toEqual({ referer: bench.address("alice"), "x-jstz-amount": "1" });
    expect(toFunction.headers).toEqual({ a: "b", referer: bench.address("alice"), "x-jstz-amount": "2" });
    expect(bench.balances("alice", "bob", bad)).toEqual([97n, 1n, 2n]);
  });

  it.each(["0", "-1", "1.5", "x", "", "18446744073709551616"])("reject the amount %j", (amount) => {
    const result = bench.run("alice", `jstz://${bench.address("bob")}/`, {
      headers: { "x-jstz-transfer": amount },
    });
    expect(JSON.parse(result.body ?? "")).toEqual({ class: "TypeError", message: "Invalid Header type" });
  });
});

describe("calls between functions", () => {
  const call = (target: string, after = ""): string => `export default async () => {
    Kv.set("before", 1);
    const response = await fetch("${target}");
    ${after}
    return new Response(response.status + " " + await response.text());
  };`;

  it("do not throw in the caller when they fail, and lose only their own effects", () => {
    const bad = bench.deploy("alice", `export default () => { Kv.set("x", 1); throw new Error("boom") }`);
    const caller = bench.deploy("alice", call(`jstz://${bad}/`));
    const result = bench.run("alice", `jstz://${caller}/`);
    expect(result.body).toContain('500 {"class":"RuntimeError"');
    expect(bench.ledger.value(bad, "x")).toBeUndefined();
    expect(bench.ledger.value(caller, "before")).toBe("1");
  });

  it("lose everything when the caller fails afterwards", () => {
    const counter = bench.deploy("alice", COUNTER);
    const caller = bench.deploy("alice", call(`jstz://${counter}/`, `throw "late"`));
    expect(bench.run("alice", `jstz://${caller}/`).statusCode).toBe(500);
    expect(bench.ledger.value(counter, "count")).toBeUndefined();
  });

  it("count even when they are not awaited", () => {
    const counter = bench.deploy("alice", COUNTER);
    const caller = bench.deploy(
      "alice",
      `export default () => { fetch("jstz://${counter}/"); return new Response() }`,
    );
    bench.run("alice", `jstz://${caller}/`);
    expect(bench.ledger.value(counter, "count")).toBe("1");
  });

  it("may be awaited in any order", () => {
    const counter = bench.deploy("alice", COUNTER);
    const caller = bench.deploy(
      "alice",
      `export default async () => {
        const a = fetch("jstz://${counter}/"), b = fetch("jstz://${counter}/");
        const texts = [await (await b).text(), await (await a).text()];
        return Response.json(texts);
      }`,
    );
    expect(bench.run("alice", `jstz://${caller}/`).body).toBe('["2","1"]');
  });

  it("are limited to five live functions", () => {
    const chain = bench.deploy(
      "alice",
      `export default async (request) => {
        const depth = Number(new URL(request.url).searchParams.get("depth"));
        const response = await fetch("jstz://" + Ledger.selfAddress + "/?depth=" + (depth + 1));
        return new Response(depth + " " + (await response.text()));
      }`,
    );
    expect(bench.run("alice", `jstz://${chain}/?depth=1`).body).toBe(
      '1 2 3 4 5 {"class":"RuntimeError","message":"Too many smart function calls (max: 5)"}',
    );
  });

  it("see what their caller wrote before, and the caller sees what they wrote", () => {
    const self = bench.deploy(
      "alice",
      `export default async (request) => {
        if (request.method === "POST") { Kv.set("inner", Kv.get("outer") + 1); return new Response(); }
        Kv.set("outer", 1);
        await fetch("jstz://" + Ledger.selfAddress, { method: "POST" });
        return new Response(String(Kv.get("inner")));
      }`,
    );
    expect(bench.run("alice", `jstz://${self}/`).body).toBe("2");
  });

  it("carry the caller as referer and never a header of the protocol", () => {
    const show = bench.deploy("alice", `export default (request) => Response.json([...request.headers])`);
    const caller = bench.deploy(
      "alice",
      `export default (request) => fetch("jstz://${show}/", {
        headers: { Referer: "tz1evil", "x-jstz-amount": "1000", "X-JSTZ-other": "x", a: "b" } })`,
    );
    const result = bench.run("alice", `jstz://${caller}/`, { headers: { referer: "tz1evil" } });
    expect(JSON.parse(result.body ?? "")).toEqual([
      ["a", "b"],
      ["accept", "*/*"],
      ["accept-language", "*"],
      ["referer", caller],
    ]);
  });

  it("answer 404 for unknown functions and 500 where only the transfer created the account", () => {
    bench.deposit("alice", 10n);
    const unknown = "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni";
    const plain = bench.run("alice", `jstz://${unknown}/`);
    expect(plain).toMatchObject({ statusCode: 404, body: "Account does not exist" });
    const paid = bench.run("alice", `jstz://${unknown}/`, { headers: { "x-jstz-transfer": "1" } });
    expect(JSON.parse(paid.body ?? "")).toEqual({
      class: "SyntaxError",
      message: `Smart function '${unknown}' has no code`,
    });
    expect(bench.ledger.account(unknown)).toBeUndefined();
  });

  it("answer with the protocol's texts for addresses and schemes that do not exist", () => {
    const texts = (uri: string): unknown => JSON.parse(bench.run("alice", uri).body ?? "");
    expect(texts("jstz://KT1nonsense/")).toEqual({ class: "RuntimeError", message: "InvalidAddress" });
    expect(texts("tezos://KT1nonsense/")).toEqual({
      class: "TypeError",
      message: "Unsupported scheme 'tezos'",
    });
    expect(bench.run("alice", "http://example.com/")).toMatchObject({
      statusCode: 400,
      body: "HTTP requests are not callable from RunFunction",
    });
  });
});

describe("requests", () => {
  it("of GET with a body fail, and an empty body counts as no body", () => {
    const echo = bench.deploy(
      "alice",
      `export default async (r) => new Response(String(r.body === null) + (await r.text()))`,
    );
    expect(bench.run("alice", `jstz://${echo}/`, { body: "x" }).statusCode).toBe(500);
    expect(bench.run("alice", `jstz://${echo}/`, { body: "" }).body).toBe("true");
    expect(bench.run("alice", `jstz://${echo}/`, { method: "POST", body: "é\u{1f600}" }).body).toBe(
      "falseé\u{1f600}",
    );
  });

  it("and responses carry bytes that are not text", () => {
    const echo = bench.deploy(
      "alice",
      `export default async (r) => new Response(new Uint8Array(await r.arrayBuffer()).reverse())`,
    );
    bench.submitRun("alice", `jstz://${echo}/`, { method: "POST", bytes: Uint8Array.of(255, 0, 128, 239) });
    const receipt = JSON.parse(bench.last.receipt) as { result: { inner: { body: string } } };
    expect([...Buffer.from(receipt.result.inner.body, "base64")]).toEqual([239, 128, 0, 255]);
  });

  it("see the whole URL, the method and only the headers that were sent", () => {
    const show = bench.deploy(
      "alice",
      `export default (r) => Response.json([r.url, r.method, [...r.headers.keys()]])`,
    );
    const result = bench.run("alice", `jstz://${show}/a%20b/c?d=e#f`, { method: "PATCH" });
    expect(JSON.parse(result.body ?? "")).toEqual([`jstz://${show}/a%20b/c?d=e`, "PATCH", ["referer"]]);
  });

  it("with a header of many values keep them all, in receipts too", () => {
    const echo = bench.deploy(
      "alice",
      `export default (r) => { const h = new Headers(); h.append("set-cookie", "a=1"); h.append("set-cookie", "b=2"); return new Response(r.headers.get("x-many"), { headers: h }) }`,
    );
    const result = bench.run("alice", `jstz://${echo}/`, { headers: { "x-many": ["1", "2"] } });
    expect(result.body).toBe("1, 2");
    expect(result.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  });
});

describe("responses", () => {
  it.each([
    ["Response.error()", 400, null],
    ['new Response("no", { status: 404 })', 404, "no"],
    ["42", 500, '{"class":"TypeError","message":"Invalid Response type"}'],
    ["undefined", 500, '{"class":"TypeError","message":"Invalid Response type"}'],
  ])("%s gives status %d and rolls back", (expression, statusCode, body) => {
    const target = bench.deploy("alice", `export default () => { Kv.set("x", 1); return ${expression} }`);
    expect(bench.run("alice", `jstz://${target}/`)).toMatchObject({ statusCode, body });
    expect(bench.ledger.value(target, "x")).toBeUndefined();
  });

  it("that never settle end the call", () => {
    const target = bench.deploy("alice", `export default () => new Promise(() => {})`);
    expect(bench.run("alice", `jstz://${target}/`).statusCode).toBe(500);
  });

  it("of endless loops and endless recursion are errors, and the next call succeeds", () => {
    const bad = bench.deploy(
      "alice",
      `export default (r) => { if (r.method === "GET") for (;;); const f = () => f(); f(); }`,
    );
    expect(bench.run("alice", `jstz://${bad}/`, { gasLimit: 1000n }).body).toContain("GasLimitExceeded");
    expect(bench.run("alice", `jstz://${bad}/`, { method: "POST" }).statusCode).toBe(500);
    expect(bench.run("alice", `jstz://${bench.deploy("alice", COUNTER)}/`).body).toBe("1");
  });
});

describe("host functions", () => {
  it("return balances to functions only", () => {
    bench.deposit("alice", 77n);
    const ask = bench.deploy(
      "alice",
      `export default (r) => fetch("jstz://jstz/balances/" + new URL(r.url).searchParams.get("of"))`,
    );
    expect(bench.run("alice", `jstz://${ask}/?of=self`).body).toBe("0");
    expect(bench.run("alice", `jstz://${ask}/?of=${bench.address("alice")}`).body).toBe("77");
    expect(bench.run("alice", `jstz://${ask}/?of=x`)).toMatchObject({
      statusCode: 400,
      body: "InvalidAddress",
    });
    expect(bench.run("alice", "jstz://jstz/balances/self").body).toBe("Unsupported HostScript endpoint");
  });

  it("withdraw the tez of the caller with a message to layer 1", () => {
    bench.deposit("alice", 5_000_000n);
    const body = JSON.stringify({ amount: 1_000_000, receiver: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg" });
    expect(bench.run("alice", "jstz://jstz/withdraw", { method: "POST", body })).toMatchObject({
      statusCode: 200,
    });
    expect(bench.balances("alice")).toEqual([4_000_000n]);
    const { call } = JSON.parse(bench.last.trace!) as { call: { transfers: object[] } };
    expect(call.transfers).toMatchObject([{ to: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg", amount: "1000000" }]);
    expect(bench.last.outbox.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual([
      "000000006407070a0000001600007324983d7c29837e7277473c1c2e467bfb3f77b407070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a0007070707000003060080897a0146d83d8ef8bce4d8c60a96170739c0269384075a00000000046275726e",
    ]);
  });

  it("fail a withdrawal that the caller cannot pay", () => {
    const body = JSON.stringify({ amount: 1, receiver: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg" });
    expect(bench.submitRun("alice", "jstz://jstz/withdraw", { method: "POST", body }).failure).toBe(
      "InsufficientFunds",
    );
    expect(bench.last.outbox).toEqual([]);
  });

  it("drop the withdrawal of a function that fails", () => {
    bench.deposit("alice", 50n);
    const target = bench.deploy(
      "alice",
      `export default async () => {
        await fetch("jstz://jstz/withdraw", { method: "POST",
          body: JSON.stringify({ amount: 1, receiver: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg" }) });
        throw "late"; }`,
      { credit: 50n },
    );
    bench.run("alice", `jstz://${target}/`);
    expect(bench.last.outbox).toEqual([]);
    expect(bench.balances(target)).toEqual([50n]);
  });
});

describe("logs and traces", () => {
  it("carry the operation's hash in the top-level call and nothing below", () => {
    const inner = bench.deploy(
      "alice",
      `export default () => { console.error("in", { a: 1 }); return new Response() }`,
    );
    const outer = bench.deploy(
      "alice",
      `export default async () => { console.log("out"); await fetch("jstz://${inner}/"); return new Response() }`,
    );
    bench.run("alice", `jstz://${outer}/`);
    expect(bench.last.logs).toEqual([
      { address: outer, requestId: bench.lastHash, level: "INFO", text: "out\n" },
      { address: inner, requestId: "", level: "ERROR", text: "in { a: 1 }\n" },
    ]);
  });

  it("show the call tree with what each call did", () => {
    const counter = bench.deploy("alice", COUNTER);
    const outer = bench.deploy("alice", `export default () => fetch("jstz://${counter}/a?b=1")`);
    bench.run("alice", `jstz://${outer}/`);
    const { call } = JSON.parse(bench.last.trace ?? "") as { call: Record<string, unknown> };
    expect(call).toMatchObject({
      caller: bench.address("alice"),
      address: outer,
      status: 200,
      committed: true,
      calls: [
        {
          caller: outer,
          address: counter,
          path: "/a?b=1",
          kv: [
            { op: "get", key: "count", value: null },
            { op: "set", key: "count", value: "1" },
          ],
        },
      ],
    });
  });

  it("keep a function that logs without end within bounds", () => {
    const noisy = bench.deploy(
      "alice",
      `export default () => { const line = "x".repeat(100000); for (let i = 0; i < 1000; i++) console.log(line); return new Response("ok") }`,
    );
    expect(bench.run("alice", `jstz://${noisy}/`, { gasLimit: 10_000_000n }).body).toBe("ok");
    const size = bench.last.logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(size).toBeLessThan(1_200_000);
  });
});

describe("functions that create functions", () => {
  it("own them, and the creator's nonce counts", () => {
    bench.deposit("alice", 9n);
    const factory = bench.deploy(
      "alice",
      `export default async () => {
        const code = "export default () => new Response('child')";
        const first = await SmartFunction.create(code, 4), second = await SmartFunction.create(code);
        const response = await SmartFunction.call(new Request("jstz://" + first + "/"));
        return Response.json([first, second, await response.text()]);
      }`,
      { credit: 9n },
    );
    const [first, second, text] = JSON.parse(bench.run("alice", `jstz://${factory}/`).body ?? "") as string[];
    expect(first).not.toBe(second);
    expect(text).toBe("child");
    expect(bench.balances(factory, first ?? "")).toEqual([5n, 4n]);
    expect(bench.ledger.account(factory)?.nonce).toBe(2n);
  });

  it("pay for the checks of the code they deploy", () => {
    const code = "for (;;); export default () => 1";
    const factory = bench.deploy(
      "alice",
      `export default async () => {
        let tries = 0;
        for (; tries < 1000; tries++) { try { await SmartFunction.create(${JSON.stringify(code)}) } catch {} }
        return new Response(String(tries));
      }`,
    );
    const { statusCode, body } = bench.run("alice", `jstz://${factory}/`, { gasLimit: 1000n });
    expect(statusCode).toBe(500);
    expect(body).toContain("GasLimitExceeded");
    expect(bench.ledger.account(factory)?.nonce).toBe(0n);
  });
});
