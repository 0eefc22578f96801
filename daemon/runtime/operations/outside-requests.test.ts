import { beforeEach, describe, expect, it } from "vitest";
import { INJECTOR } from "../../protocol/constants.ts";
import { smartFunctionAddress } from "../../protocol/runtime-operation.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import { testEngine } from "../engine/test-engine.ts";
import { Bench } from "./executor-bench.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let bench: Bench;
beforeEach(async () => {
  bench = new Bench(adaptEngine(await testEngine(), { realTime: false }));
}, BUILD_MS);

/** Uses the name for the account whose key is public. */
function withInjector(made: Bench): Bench {
  made.know("injector", INJECTOR.secretKey);
  return made;
}

const OK = { status: 200, statusText: "OK", headers: [], body: "fresh" } as const;
const COUNTER = `export default (request) => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  return new Response(String(count));
};`;

describe("requests to the outside", () => {
  const ORACLE = `export default async (request) => {
    if (request.method === "POST") Kv.get("x");
    const response = await fetch("https://example.com/data");
    return new Response(response.status + " " + await response.text());
  };`;

  it("suspend only their own operation", () => {
    const oracle = bench.deploy("alice", ORACLE);
    const counter = bench.deploy("alice", COUNTER);
    bench.submitRun("alice", `jstz://${oracle}/`, {}, { unfinished: true });
    expect(bench.asked).toMatchObject([{ url: "https://example.com/data" }]);
    expect(bench.run("alice", `jstz://${counter}/`).body).toBe("1");
    bench.answer(0, { status: 200, statusText: "OK", headers: [], body: "fresh" });
    expect(bench.lastRun).toMatchObject({ statusCode: 200, body: "200 fresh" });
  });

  it("are refused once the operation has touched state", () => {
    const oracle = bench.deploy("alice", ORACLE);
    expect(bench.run("alice", `jstz://${oracle}/`, { method: "POST" }).body).toBe(
      "400 Oracle requests are not allowed when transaction has pending changes",
    );
    expect(bench.asked).toEqual([]);
  });

  it("are refused after tez came with the request", () => {
    bench.deposit("alice", 5n);
    const oracle = bench.deploy("alice", ORACLE);
    const headers = { "x-jstz-transfer": "1" };
    expect(bench.run("alice", `jstz://${oracle}/`, { headers }).body).toMatch(
      /^400 Oracle requests are not allowed/,
    );
  });

  it("are never sent when their function ends without awaiting them", () => {
    const hasty = bench.deploy(
      "alice",
      `export default () => { fetch("https://example.com/"); return new Response("done") }`,
    );
    expect(bench.run("alice", `jstz://${hasty}/`).body).toBe("done");
    expect(bench.asked).toEqual([]);
  });

  it("are cancelled when their function ends first, and their answers are dropped", () => {
    const first = bench.deploy(
      "alice",
      `export default async () => {
        const other = fetch("https://example.com/slow");
        await fetch("https://example.com/fast");
        return new Response("done");
      }`,
    );
    bench.submitRun("alice", `jstz://${first}/`, {}, { unfinished: true });
    bench.answer(1, OK);
    expect(bench.lastRun.body).toBe("done");
    expect(bench.open).toEqual([]);
    bench.answer(0, OK);
    expect(bench.outcomes).toHaveLength(2);
  });

  it("that are open when the operation touches state are refused before anything else runs", () => {
    const spender = bench.deploy(
      "alice",
      `export default async (request) => {
        const { to } = await request.json();
        const slow = fetch("https://example.com/slow");
        await fetch("https://example.com/fast");
        Ledger.transfer(to, 1);
        const { status } = await slow;
        return new Response(status + " " + Ledger.balance(to));
      }`,
    );
    bench.deposit("bob", 10n);
    bench.deposit(spender, 5n);
    const body = JSON.stringify({ to: bench.address("bob") });
    bench.submitRun("alice", `jstz://${spender}/`, { method: "POST", body }, { unfinished: true });
    expect(bench.open).toEqual([0, 1]);
    bench.answer(1, OK);
    expect(bench.lastRun.body).toBe("400 11");
    expect(bench.open).toEqual([]);
    bench.run("bob", `jstz://${bench.address("carol")}/`, { headers: { "x-jstz-transfer": "11" } });
    bench.answer(0, OK);
    expect(bench.balances("bob", "carol", spender)).toEqual([0n, 11n, 4n]);
  });

  it("of a nested call are refused when its caller touches state, and the caller continues after it", () => {
    const inner = bench.deploy(
      "alice",
      `export default async () => {
        const { status } = await fetch("https://example.com/inner");
        Kv.set("n", (Kv.get("n") ?? 0) + 1);
        return new Response("inner " + status);
      }`,
    );
    const outer = bench.deploy(
      "alice",
      `export default async () => {
        const started = fetch("jstz://${inner}/");
        await fetch("https://example.com/outer");
        Kv.set("touched", true);
        return new Response(await (await started).text());
      }`,
    );
    bench.submitRun("alice", `jstz://${outer}/`, {}, { unfinished: true });
    bench.answer(
      bench.asked.findIndex(({ url }) => url.endsWith("outer")),
      OK,
    );
    expect(bench.lastRun.body).toBe("inner 400");
    expect(bench.ledger.value(inner, "n")).toBe("1");
  });

  it("are refused after a call found no function, since one may be deployed", () => {
    const missing = smartFunctionAddress(bench.address("bob"), COUNTER, 1n);
    const looking = bench.deploy(
      "alice",
      `export default async () => {
        const before = await fetch("jstz://${missing}/");
        const { status } = await fetch("https://example.com/");
        return new Response(before.status + " " + status);
      }`,
    );
    expect(bench.run("alice", `jstz://${looking}/`).body).toBe("404 400");
  });

  it("are limited per operation in total, at once, and in size", () => {
    const many = bench.deploy(
      "alice",
      `export default async (request) => {
        const { rounds, each, body } = await request.json();
        const seen = {};
        for (let i = 0; i < rounds; i++) {
          const all = Array.from({ length: each }, () =>
            fetch("https://example.com/", { method: "POST", body: "x".repeat(body) }));
          for (const { status } of await Promise.all(all)) seen[status] = (seen[status] ?? 0) + 1;
        }
        return Response.json(seen);
      }`,
    );
    const answerTo = (plan: object): unknown => {
      const body = JSON.stringify(plan);
      bench.submitRun("alice", `jstz://${many}/`, { method: "POST", body }, { unfinished: true });
      for (let [next] = bench.open; next !== undefined; [next] = bench.open) bench.answer(next, OK);
      return JSON.parse(bench.lastRun.body!);
    };
    expect(answerTo({ rounds: 1, each: 20, body: 1 })).toEqual({ 200: 16, 429: 4 });
    expect(answerTo({ rounds: 70, each: 1, body: 1 })).toEqual({ 200: 64, 429: 6 });
    expect(answerTo({ rounds: 4, each: 1, body: 300_000 })).toEqual({ 200: 3, 413: 1 });
  });

  it("are refused while too many functions wait, so that others can always run", () => {
    const waiting = bench.deploy("alice", ORACLE);
    const counter = bench.deploy("alice", COUNTER);
    const statuses: string[] = [];
    for (let i = 0; i < 80; i++) {
      bench.submitRun("alice", `jstz://${waiting}/`, {}, { unfinished: true });
      if (bench.waiting === i + 1 - statuses.length) continue;
      statuses.push(bench.lastRun.body!.slice(0, 3));
    }
    const most = bench.open.length; // limited by their memory or by the engine's room
    expect(most).toBeGreaterThan(20);
    expect(most).toBeLessThan(60);
    expect(statuses).toEqual(Array.from({ length: 80 - most }, () => "503"));
    expect(bench.run("alice", `jstz://${counter}/`).body).toBe("1");
    bench.answer(0, OK);
    bench.submitRun("alice", `jstz://${waiting}/`, {}, { unfinished: true });
    expect(bench.open).toHaveLength(most);
    for (let [next] = bench.open; next !== undefined; [next] = bench.open) bench.answer(next, OK);
  });

  it("are refused to functions that would hold too much memory while they wait", () => {
    const code = `export default async () => {
      const held = new Uint8Array(40e6).fill(1);
      const { status } = await fetch("https://example.com/");
      return new Response(status + " " + held.length);
    }`;
    const heavy = bench.deploy("alice", code);
    const seen: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { length } = bench.outcomes;
      bench.submitRun("alice", `jstz://${heavy}/`, {}, { unfinished: true });
      seen.push(bench.outcomes.length > length ? bench.lastRun.body! : "waits");
    }
    expect(seen).toEqual(["waits", ...Array.from({ length: 5 }, () => "503 40000000")]);
    for (let [next] = bench.open; next !== undefined; [next] = bench.open) bench.answer(next, OK);
    expect(bench.lastRun.body).toBe("200 40000000");
  });

  it("are announced only up to a limit of number and bytes, whatever their target", () => {
    const announcing = bench.deploy(
      "alice",
      `export default async (request) => {
        const { count, bytes, to } = await request.json();
        const body = "x".repeat(bytes);
        const seen = {};
        const all = Array.from({ length: count }, () =>
          fetch(to, { method: "POST", body }).then(({ status }) => status, (error) => error.message)
            .then((what) => { seen[what] = (seen[what] ?? 0) + 1; }));
        await Promise.all(all);
        return Response.json(seen);
      }`,
    );
    const user = `jstz://${bench.address("bob")}/`;
    const answerTo = (plan: object): unknown =>
      JSON.parse(
        bench.run("alice", `jstz://${announcing}/`, { method: "POST", body: JSON.stringify(plan) }).body!,
      );
    expect(answerTo({ count: 40, bytes: 1e6, to: user })).toEqual({
      200: 33,
      "Too many requests at once": 7,
    });
    expect(answerTo({ count: 5_000, bytes: 1, to: user })).toEqual({
      200: 4_096,
      "Too many requests at once": 904,
    });
  });

  it("and calls with large answers are made one after the other, and none is lost", () => {
    const large = bench.deploy("alice", `export default () => new Response("x".repeat(9e6));`);
    const many = bench.deploy(
      "alice",
      `export default async () => {
        const all = Array.from({ length: 8 }, () => fetch("jstz://${large}/").then((answer) => answer.status));
        return new Response((await Promise.all(all)).join());
      }`,
    );
    expect(bench.run("alice", `jstz://${many}/`).body).toBe("200,200,200,200,200,200,200,200");
  });

  describe("answered by operations", () => {
    it("are rejected while the built-in oracle answers, even from the injector with the public key", () => {
      const oracle = bench.deploy("alice", ORACLE);
      bench.submitRun("alice", `jstz://${oracle}/`, {}, { unfinished: true });
      bench = withInjector(bench);
      expect(bench.submitAnswer("injector", 1n).failure).toBe("InvalidInjector");
      expect(bench.submitAnswer("bob", 1n).failure).toBe("InvalidInjector");
      bench.answer(0, OK);
      expect(bench.lastRun.body).toBe("200 fresh");
    });

    it("are accepted from the configured key only, once, and while the request is pending", async () => {
      const settings = { oracleAddress: bench.address("oracle") };
      bench = withInjector(new Bench(adaptEngine(await testEngine(), { realTime: false }), settings));
      const oracle = bench.deploy("alice", ORACLE);
      bench.submitRun("alice", `jstz://${oracle}/`, {}, { unfinished: true });
      expect(bench.submitAnswer("injector", 1n).failure).toBe("InvalidInjector");
      expect(bench.submitAnswer("oracle", 2n).failure).toMatch(/does not exist/);
      expect(bench.submitAnswer("oracle", 1n).failure).toBeNull();
      expect(bench.outcomes.at(-2)!.receipt).toContain(Buffer.from("200 forged").toString("base64"));
      expect(bench.submitAnswer("oracle", 1n).failure).toMatch(/does not exist/);
    });

    it("leave every replica with the tez that the answered function sends to the oracle's account", async () => {
      const settings = { oracleAddress: bench.address("oracle") };
      bench = new Bench(adaptEngine(await testEngine(), { realTime: false }), settings);
      const payer = bench.deploy(
        "alice",
        `export default async () => {
          await fetch("https://example.com/");
          Ledger.transfer("${bench.address("oracle")}", 7);
          return new Response("paid");
        }`,
      );
      bench.deposit(payer, 10n);
      bench.deposit("oracle", 1n);
      bench.submitRun("alice", `jstz://${payer}/`, {}, { unfinished: true });
      expect(bench.submitAnswer("oracle", 1n).failure).toBeNull();
      expect(bench.balances(payer, "oracle")).toEqual([3n, 8n]);
      expect(bench.ledger.account(bench.address("oracle"))?.nonce).toBe(1n);
    });

    it("are rejected when the function that asked has ended", async () => {
      const settings = { oracleAddress: bench.address("oracle") };
      bench = new Bench(adaptEngine(await testEngine(), { realTime: false }), settings);
      const hasty = bench.deploy(
        "alice",
        `export default async () => {
          fetch("https://example.com/slow");
          await fetch("https://example.com/fast");
          return new Response("done");
        }`,
      );
      bench.submitRun("alice", `jstz://${hasty}/`, {}, { unfinished: true });
      expect(bench.submitAnswer("oracle", 2n).failure).toBeNull();
      expect(bench.submitAnswer("oracle", 1n).failure).toMatch(/does not exist/);
    });
  });
});
