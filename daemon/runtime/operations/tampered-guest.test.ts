import { beforeEach, describe, expect, it } from "vitest";
import { adaptEngine } from "../call/engine-adapter.ts";
import { testEngine } from "../engine/test-engine.ts";
import { hashOf } from "../inbox/ticket.ts";
import { Bench } from "./executor-bench.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let bench: Bench;
beforeEach(async () => {
  bench = new Bench(adaptEngine(await testEngine(), { realTime: false }));
}, BUILD_MS);

describe("a message of a tampered function to the host", () => {
  const call = (code: string, name = "alice"): ReturnType<Bench["run"]> =>
    bench.run(name, `jstz://${bench.deploy(name, code)}/`);

  it("is not stored when it is not JSON", () => {
    for (const stored of ["not json", "", '{"a":1', '1234567890123456"', "NaN", "\u001b]0;x\u0007"]) {
      const code = `export default () => {
        const stored = ${JSON.stringify(stored)};
        const { stringify } = JSON;
        JSON.stringify = () => stored;
        let seen = "stored";
        try { Kv.set("a", 1); } catch (error) { seen = String(error); }
        JSON.stringify = stringify;
        return new Response(seen);
      }`;
      expect(call(code).body).toBe("TypeError: Kv stores JSON only");
    }
    const good = `export default () => {
      const { stringify } = JSON;
      JSON.stringify = () => ' {"a": [1] } ';
      Kv.set("a", 1);
      JSON.stringify = stringify;
      return new Response();
    }`;
    const address = bench.deploy("alice", good);
    bench.run("alice", `jstz://${address}/`);
    expect(bench.ledger.value(address, "a")).toBe(' {"a": [1] } ');
  });

  it("is not a response when its status or headers are invalid", () => {
    const heads = ['[99999,"",[]]', '[-1,"",[]]', '[200,"",[["a","b\\r\\nc: d"]]]', '[200,"",[["a b","c"]]]'];
    for (const head of heads) {
      const code = `export default () => { JSON.stringify = () => ${JSON.stringify(head)}; return new Response("x"); }`;
      const { statusCode, body } = call(code);
      expect([statusCode, JSON.parse(body ?? "")], head).toMatchObject([500, { class: "TypeError" }]);
    }
  });

  it.each([
    ["response", "return new Response()", "[200,", ",[]]", /^TypeError: Malformed message/],
    ["error", "throw new Error()", "[", ',"",""]', /^Error: an error that cannot be shown/],
    ["request", "await fetch('jstz://tz1')", "[", ',"GET",[]]', /^TypeError: Malformed message/],
  ])("is not parsed deeper than a %s can nest", (_what, act, before, after, failure) => {
    const nests = [`"[".repeat(200_000) + "]".repeat(200_000)`, `"[" + "{},".repeat(4_000_000) + "1]"`];
    for (const nest of nests) {
      const code = `export default async () => {
        const { stringify } = JSON;
        let times = 0;
        JSON.stringify = (value) => times++ === 0 ? ${JSON.stringify(before)} + ${nest} + ${JSON.stringify(after)} : stringify(value);
        ${act};
      }`;
      const begun = process.cpuUsage();
      expect((JSON.parse(call(code).body ?? "{}") as { message: string }).message).toMatch(failure);
      const { user } = process.cpuUsage(begun);
      expect(user / 1_000).toBeLessThan(1_500);
    }
  });

  it.each([
    ["body", `new Response("x".repeat(11 * 1024 * 1024))`],
    ["header", `new Response("", { headers: { a: "x".repeat(11 * 1024 * 1024) } })`],
  ])("is not a response when a receipt could not hold its %s", (_what, response) => {
    const address = bench.deploy("alice", `export default () => { Kv.set("a", 1); return ${response}; }`);
    expect(bench.submitRun("alice", `jstz://${address}/`).failure).toMatch(/^ResponseTooLarge/);
    expect(bench.ledger.value(address, "a")).toBeUndefined();
    const [receiver, source] = [bench.address("bob"), bench.address("carol")];
    const ticketHash = hashOf(source, []);
    bench.depositTicket({ receiver, proxy: address, amount: 5n, ticketHash, source });
    expect([bench.ledger.ticket(ticketHash, receiver), bench.ledger.value(address, "a")]).toEqual([
      5n,
      undefined,
    ]);
  });

  it("is cut when it is a failure text of megabytes, or the address of a call", () => {
    const thrown = bench.submit("alice", {
      code: `throw new Error("x".repeat(3e6)); export default () => {}`,
    });
    expect(thrown.failure!.length).toBeLessThan(100_000);
    const calling = `export default async () => {
      await fetch("foo:" + "x".repeat(3e6)).catch(() => {});
      return new Response("ok");
    }`;
    expect(call(calling).statusCode).toBe(200);
    expect(bench.last.trace!.length).toBeLessThan(10_000);
  });
});
