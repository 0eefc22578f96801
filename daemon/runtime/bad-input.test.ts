import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringifyExact } from "../protocol/exact-json.ts";
import { runContent, Signer, startNode, type StartedNode } from "./test-node.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let node: StartedNode;
let alice: Signer;

beforeAll(async () => {
  node = await startNode({ gasCeiling: 500_000_000 });
  alice = new Signer(node.client);
}, BUILD_MS);
afterAll(() => node.stop());

/** Deploys and runs a function. */
async function runCode(code: string): Promise<{ statusCode: number; body: string | null }> {
  return alice.run(`jstz://${await alice.deploy(code)}/`);
}

describe("functions that go wrong", () => {
  it.each([
    ["allocates without end", "const a = []; for (;;) a.push(new Array(1000).fill(1));"],
    ["builds a text without end", "let s = 'x'; for (;;) s += s;"],
    ["allocates bytes without end", "const a = []; for (;;) a.push(new Uint8Array(1e6));"],
    ["returns 100 MB", "return new Response('x'.repeat(100e6));"],
    ["recurses", "const f = () => f() + 1; return new Response(f());"],
    ["recurses through promises", "const f = async () => (await f()) + 1; return new Response(await f());"],
    ["loops", "for (;;);"],
    ["loops where it catches", "for (;;) try { for (;;); } catch {}"],
    ["never settles", "return new Promise(() => {});"],
    ["throws a text", "throw 'text';"],
    ["throws null", "throw null;"],
    ["throws a proxy", "throw new Proxy({}, { get() { throw 1; } });"],
    ["returns a lookalike", "return { status: 200, headers: [], body: 'x' };"],
    ["returns a response whose body is used", "const r = new Response('x'); await r.text(); return r;"],
    [
      "has a body that fails",
      "return new Response(new ReadableStream({ pull() { throw new Error('no'); } }));",
    ],
    [
      "replaces its built-ins",
      "JSON.stringify = Promise.prototype.then = () => { throw 1; }; return new Response('x');",
    ],
  ])("a function that %s gets an error, and the next call succeeds", async (_name, body) => {
    const { statusCode } = await runCode(`export default async () => { ${body} };`);
    expect([200, 500]).toContain(statusCode);
    expect((await runCode("export default () => new Response('well')")).body).toBe("well");
  });

  it("a function that logs 100 MB leaves a bounded log", async () => {
    const address = await alice.deploy(
      "export default () => { for (let i = 0; i < 1000; i++) console.log('x'.repeat(100000)); return new Response('ok') }",
    );
    await alice.run(`jstz://${address}/`); // may succeed or run out of gas: only the log matters
    const kept = await (
      await fetch(`${node.endpoint}/logs/${address}/persistent/requests?limit=2000`)
    ).text();
    expect(kept.length).toBeLessThan(1_300_000);
  });

  it.each([
    ["many short lines", "for (let i = 0; i < 12_000; i++) console.log('line', i)"],
    ["a line that fills it, and another", "console.log('x'.repeat(1_048_475)); console.log('last')"],
  ])("a log of %s says once that the rest is dropped", async (_what, body) => {
    const address = await alice.deploy(`export default () => { ${body}; return new Response('ok') }`);
    expect((await alice.run(`jstz://${address}/`)).statusCode).toBe(200);
    const kept = await fetch(`${node.endpoint}/logs/${address}/persistent/requests?limit=20000`);
    expect((await kept.text()).match(/the rest of the log of this operation is dropped/g)).toHaveLength(1);
  });

  it("a function that stores without end gets an error, and nothing is stored", async () => {
    const address = await alice.deploy(
      "export default () => { const big = 'x'.repeat(1e6); for (let i = 0; i < 1e6; i++) Kv.set('k' + i, big); }",
    );
    expect((await alice.run(`jstz://${address}/`)).body).toContain("writes more than it may");
    expect(await node.client.subkeys(address, undefined)).toBeUndefined();
  });

  it("a function that calls itself without end stops at the limit of live calls", async () => {
    const { statusCode, body } = await runCode(
      "export default async () => { const r = await fetch('jstz://' + Ledger.selfAddress); return new Response(await r.text(), { status: r.status }) }",
    );
    expect(statusCode).toBe(500);
    expect(body).toContain("Too many smart function calls");
  });

  it("a function that calls many functions in turn succeeds", async () => {
    const leaf = await alice.deploy("export default () => new Response('1')");
    const { body } = await runCode(
      `export default async () => { let n = 0; for (let i = 0; i < 50; i++) n += Number(await (await fetch('jstz://${leaf}/')).text()); return new Response(String(n)) }`,
    );
    expect(body).toBe("50");
  });
});

describe("deploys that are refused", () => {
  it.each([
    ["", "No default handler"],
    ["export default 5", "Module namespace object expected 'default' property to be function but was Number"],
    ["export default null", "No default handler"],
    ["import x from 'y'; export default () => x", "Import specifiers are not supported"],
    ["throw new TypeError('top'); export default () => 1", "TypeError: Uncaught TypeError: top"],
    ["throw 'text'; export default () => 1", "Error: Uncaught text"],
    ["Kv.get('a'); export default () => 1", "NotSupported: Uncaught NotSupported: Kv is not supported"],
    [
      "console.log('a'); export default () => 1",
      "NotSupported: Uncaught NotSupported: console is not supported",
    ],
  ])("%j: %s", async (code, text) => {
    await expect(alice.deploy(code)).rejects.toThrow(text);
  });

  it("because of their syntax report a SyntaxError", async () => {
    await expect(alice.deploy("export default () => { not javascript }")).rejects.toThrow(/^SyntaxError: /);
  });

  it("the second time keep the first receipt", async () => {
    const bob = new Signer(node.client);
    const code = "export default () => new Response('same')";
    const address = await bob.deploy(code);
    bob.nonce = 0n;
    expect(await bob.deploy(code)).toBe(address);
  });
});

describe("requests that go wrong", () => {
  const post = (body: string): Promise<Response> =>
    fetch(`${node.endpoint}/operations`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });

  it("of foreign hosts are refused on every route", async () => {
    for (const path of ["/health", "/operations", "/accounts/x", "/nothing"]) {
      const { status } = await rawRequest(path, "evil.example");
      expect(status).toBe(403);
    }
  });

  it("deep, wide and broken JSON does no harm", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const wide = JSON.stringify({
      inner: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
    });
    const digits = `{"nonce":${"9".repeat(100_000)}}`;
    for (const body of [deep, wide, digits, '{"__proto__":{"signature":"x"}}', '"\\ud800"']) {
      expect([400, 422]).toContain((await post(body)).status);
    }
    expect((await fetch(`${node.endpoint}/health`)).status).toBe(200);
  });

  it("beyond the queue's capacity get 503", async () => {
    const small = await startNode({ queueCapacity: 2 });
    const bob = new Signer(small.client);
    const slow = await bob.deploy(
      "export default () => { for (let i = 0; i < 3e5; i++); return new Response() }",
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${small.endpoint}/operations`, {
          method: "POST",
          body: stringifyExact(bob.sign(runContent(`jstz://${slow}/`)).signed),
          headers: { "content-type": "application/json" },
        }),
      ),
    );
    const refused = answers.find(({ status }) => status === 503);
    expect(await refused?.json()).toEqual({ error: "queue is full" });
    await small.stop();
  });
});

/** fetch does not let a caller choose the Host header. */
async function rawRequest(path: string, host: string): Promise<{ status: number | undefined }> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    request(`${node.endpoint}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    })
      .on("error", reject)
      .end();
  });
}
