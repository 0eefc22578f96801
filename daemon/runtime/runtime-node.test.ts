import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { INJECTOR } from "../protocol/constants.ts";
import { stringifyExact } from "../protocol/exact-json.ts";
import { depositReceiptHash, type OperationContent, signOperation } from "../protocol/runtime-operation.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { toHex } from "../tezos/hex.ts";
import { tezDepositMessage } from "./inbox/test-deposit.ts";
import { FakeRollup, runContent, Signer, startNode, TEST_SECRET } from "./test-node.ts";
import { COUNTER, shareNode } from "./test-shared-node.ts";

const shared = shareNode();
const { rollup } = shared;

const get = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${shared.node.endpoint}${path}`, init);
const post = (path: string, body: string, type = "application/json"): Promise<Response> =>
  get(path, { method: "POST", body, headers: { "content-type": type } });

describe("the node", () => {
  it("deploys a function, runs it and shows its state", async () => {
    const alice = new Signer(shared.node.client);
    const counter = await alice.deploy(COUNTER);
    expect((await alice.run(`jstz://${counter}/`)).body).toBe("1");
    expect((await alice.run(`jstz://${counter}/`)).body).toBe("2");
    expect(await shared.node.client.kv(counter, "count")).toBe(2);
    expect(await shared.node.client.subkeys(counter, undefined)).toEqual(["count"]);
    expect(await shared.node.client.nonce(alice.address)).toBe(3n);
    expect(await shared.node.client.code(counter)).toBe(COUNTER);
    expect(await (await get(`/accounts/${counter}`)).json()).toEqual({
      SmartFunction: { amount: 0, nonce: 0, functionCode: COUNTER },
    });
    expect(await (await get(`/accounts/${alice.address}`)).json()).toEqual({ User: { amount: 0, nonce: 3 } });
  });

  it("is healthy and reports which level it follows", async () => {
    rollup.bake();
    expect(await shared.node.part.health()).toMatchObject({ healthy: true });
    expect((await get("/health")).status).toBe(200);
    expect((await get("/worker/health")).status).toBe(200);
    const mode = await get("/mode");
    expect([mode.headers.get("content-type"), await mode.text()]).toEqual([
      "text/plain; charset=utf-8",
      '"sequencer"',
    ]);
  });

  it("credits deposits and files their receipts under level and index", async () => {
    const receiver = new Signer(shared.node.client).address;
    const level = rollup.bake(tezDepositMessage(receiver, 9_007_199_254_740_993n));
    const hash = toHex(depositReceiptHash(level, 2));
    await expect.poll(() => shared.node.client.balance(receiver)).toBe(9_007_199_254_740_993n);
    expect(await (await get(`/operations/${hash}/receipt`)).text()).toContain(
      `{"_type":"Deposit","account":"${receiver}","updatedBalance":9007199254740993}`,
    );
    expect((await shared.node.client.deposits())?.[0]).toMatchObject({
      hash,
      level,
      index: 2,
      receiver,
      amount: "9007199254740993",
      receipt: { result: { inner: { _type: "Deposit", updatedBalance: 9_007_199_254_740_993n } } },
    });
    expect(await (await get(`/accounts/${receiver}/balance`)).text()).toBe("9007199254740993");
  });

  it("sends withdrawals to layer 1, retrying until they are accepted", async () => {
    const alice = new Signer(shared.node.client);
    rollup.bake(tezDepositMessage(alice.address, 5_000_000n));
    await expect.poll(() => shared.node.client.balance(alice.address)).toBe(5_000_000n);
    rollup.outboxFailures.push(503);
    const posted = rollup.outboxPost();
    const body = JSON.stringify({ amount: 1_000_000, receiver: alice.address });
    await alice.run("jstz://jstz/withdraw", { method: "POST", body });
    await posted;
    expect(rollup.outbox).toHaveLength(1);
    expect(rollup.outbox[0]?.messages).toHaveLength(1);
    expect(await shared.node.client.balance(alice.address)).toBe(4_000_000n);
  });

  it("rejects withdrawals while too many wait for layer 1, and accepts them again afterwards", async () => {
    const own = new FakeRollup();
    await own.start();
    const bounded = await startNode({ rollupEndpoint: () => own.endpoint, maxUntaken: 3 });
    try {
      const alice = new Signer(bounded.client);
      own.bake(tezDepositMessage(alice.address, 10n));
      await expect.poll(() => bounded.client.balance(alice.address)).toBe(10n);
      own.outboxFailures.push(...Array.from({ length: 1_000 }, () => 503));
      const body = JSON.stringify({ amount: 1, receiver: alice.address });
      const withdraw = () => alice.send(runContent("jstz://jstz/withdraw", { method: "POST", body }));
      for (let i = 0; i < 3; i++) expect((await withdraw()).result).toMatchObject({ _type: "Success" });
      const refused = { _type: "Failed", inner: expect.stringContaining("OutboxFull") as string };
      expect((await withdraw()).result).toMatchObject(refused);
      expect(await bounded.client.balance(alice.address)).toBe(7n);
      own.outboxFailures.length = 0;
      await expect
        .poll(() => own.outbox.flatMap(({ messages }) => messages).length, { timeout: 10_000 })
        .toBe(3);
      await expect
        .poll(async () => (await withdraw()).result, { timeout: 5_000 })
        .toMatchObject({ _type: "Success" });
    } finally {
      await bounded.stop();
      await own.stop();
    }
  });

  it("streams logs, keeps them, and shows traces", async () => {
    const alice = new Signer(shared.node.client);
    const counter = await alice.deploy(COUNTER);
    const stop = new AbortController();
    const logs = shared.node.client.logs(counter, stop.signal);
    const first = logs.next();
    // The stream is open once its first line arrives; only then does the call log.
    await expect
      .poll(async () => {
        await alice.run(`jstz://${counter}/`);
        return Promise.race([
          first.then(() => true),
          new Promise((resolve) => setTimeout(resolve, 20, false)),
        ]);
      })
      .toBe(true);
    expect((await first).value).toMatchObject({ address: counter, level: "INFO" });
    stop.abort();
    const kept = (await (await get(`/logs/${counter}/persistent/requests?limit=1`)).json()) as {
      requestId: string;
      text: string;
    }[];
    expect(kept).toHaveLength(1);
    const own = await (await get(`/logs/${counter}/persistent/requests/${kept[0]?.requestId}`)).json();
    expect(own).toEqual(kept);
    expect(await shared.node.client.trace(kept[0]?.requestId ?? "")).toMatchObject({
      operation: "RunFunction",
      success: true,
      trace: { call: { address: counter, status: 200 } },
    });
  });

  it("lists the latest operations, with or without their call trees", async () => {
    const alice = new Signer(shared.node.client);
    const counter = await alice.deploy(COUNTER);
    await alice.run(`jstz://${counter}/`);
    const list = async (query: string) => (await (await get(`/traces?limit=2${query}`)).json()) as object[];
    const call = { operation: "RunFunction", target: counter, deployed: null, statusCode: 200 };
    const deploy = { operation: "DeployFunction", target: counter, deployed: counter, statusCode: null };
    expect(await list("")).toMatchObject([{ ...call, trace: { call: { address: counter } } }, deploy]);
    const short = await list("&trees=false");
    expect(short).toMatchObject([call, deploy]);
    expect(short.filter((operation) => "trace" in operation)).toEqual([]);
    expect((await get("/traces?trees=maybe")).status).toBe(400);
  });

  it("keeps the request of a call and the values that it replaced", async () => {
    const alice = new Signer(shared.node.client);
    const counter = await alice.deploy(COUNTER);
    await alice.run(`jstz://${counter}/one`);
    await alice.run(`jstz://${counter}/two?a=b`);
    const [latest] = (await (await get("/traces?limit=1")).json()) as {
      call: string;
      request: { uri: string; method: string; bodySize: number };
      trace: { call: { kv: object[] } };
    }[];
    expect(latest?.call).toBe("GET /two?a=b");
    expect(latest?.request).toMatchObject({ uri: `jstz://${counter}/two?a=b`, method: "GET", body: null });
    expect(latest?.trace.call.kv).toMatchObject([
      { op: "get", value: "1" },
      { op: "set", value: "2", before: "1" },
    ]);
    const short = (await (await get("/traces?limit=1&trees=false")).json()) as object[];
    expect(short).toMatchObject([{ call: "GET /two?a=b" }]);
    expect(Object.keys(short[0]!)).not.toContain("request");
  });

  it("lists functions and accounts page by page, in the order of their creation", async () => {
    const alice = new Signer(shared.node.client);
    const deployed = [
      await alice.deploy(COUNTER),
      await alice.deploy(`${COUNTER}//`),
      await alice.deploy(`${COUNTER}///`),
    ];
    interface Page {
      total: number;
      accounts: { address: string; amount: string; nonce: string }[];
    }
    const page = async (query: string) => (await (await get(`/accounts?${query}`)).json()) as Page;
    const functions = await page("kind=function");
    expect(functions.accounts.map(({ address }) => address).slice(-3)).toEqual(deployed);
    expect(functions.total).toBe(functions.accounts.length);
    const next = await page(`kind=function&after=${deployed[0]}&limit=1`);
    expect(next).toMatchObject({ total: functions.total, accounts: [{ address: deployed[1], amount: "0" }] });
    expect(await page(`kind=function&after=${deployed[2]}`)).toMatchObject({ accounts: [] });
    const users = await page("");
    expect(users.accounts.find(({ address }) => address === alice.address)?.nonce).toBe("3");
    expect(users.accounts.filter(({ address }) => address.startsWith("KT1"))).toEqual([]);
    const unknown = new Signer(shared.node.client).address;
    const some = await page([deployed[2], unknown, alice.address].map((one) => `address=${one}`).join("&"));
    expect(some.accounts.map(({ address }) => address)).toEqual([deployed[2], alice.address]);
    expect(await page(`address=${unknown}`)).toEqual({ total: 0, accounts: [] });
    expect((await get(`/accounts?${"address=a&".repeat(1_001)}`)).status).toBe(400);
    expect((await get("/accounts?kind=other")).status).toBe(400);
    expect((await get("/accounts?limit=-1")).status).toBe(400);
  });

  it("holds a request for a pending receipt and answers 404 at once for an unknown one", async () => {
    const alice = new Signer(shared.node.client);
    const { signed, hash } = alice.sign({
      _type: "DeployFunction",
      functionCode: COUNTER,
      accountCredit: 0n,
    });
    expect((await get(`/operations/${hash}/receipt`)).status).toBe(404);
    await post("/operations", stringifyExact(signed));
    expect((await get(`/operations/${hash}/receipt`)).status).toBe(200);
  });

  it("holds it for longer than clients poll and shorter than they wait", async () => {
    const other = await startNode();
    const ask = (path: string, init?: RequestInit) => fetch(`${other.endpoint}${path}`, init);
    const alice = new Signer(other.client);
    const { signed, hash } = alice.sign({
      _type: "DeployFunction",
      functionCode: COUNTER,
      accountCredit: 0n,
    });
    const authorization = `Bearer ${TEST_SECRET}`;
    const admin = async (path: string) =>
      expect((await ask(`/admin/${path}`, { method: "POST", headers: { authorization } })).status).toBe(200);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      await admin("hold");
      await other.client.inject(signed);
      let answered = 0;
      const askReceipt = () => ask(`/operations/${hash}/receipt`).finally(() => answered++);
      /** Advances `ms` once the request is held: others are answered in the meantime. */
      const pass = async (ms: number) => {
        await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
        vi.advanceTimersByTime(ms);
        expect((await ask("/mode")).status).toBe(200);
      };
      const late = askReceipt();
      await pass(54_000);
      expect(answered).toBe(0);
      vi.advanceTimersByTime(2_000);
      expect((await late).status).toBe(404);
      const right = askReceipt();
      await pass(50_000);
      expect(answered).toBe(1);
      await admin("release");
      expect((await right).status).toBe(200);
    } finally {
      vi.useRealTimers();
      await other.stop();
    }
  });

  it("never lets a replay or a broken copy replace a success", async () => {
    const alice = new Signer(shared.node.client);
    const content = { _type: "DeployFunction", functionCode: COUNTER, accountCredit: 0n } as const;
    const { signed, hash } = alice.sign(content);
    await shared.node.client.inject(signed);
    const first = await shared.node.client.waitForReceipt(hash);
    await shared.node.client.inject(signed);
    const stranger = new Signer(shared.node.client);
    await shared.node.client.inject({
      ...signed,
      signature: signOperation(signed.inner, stranger.key).signature,
    });
    await alice.deploy("export default () => new Response()");
    expect(await shared.node.client.receipt(hash)).toEqual(first);
  });
});

describe("functions that request from outside", () => {
  it("reach their own node at its well-known address", async () => {
    const alice = new Signer(shared.node.client);
    const counter = await alice.deploy(COUNTER);
    await alice.run(`jstz://${counter}/`);
    const reader = await alice.deploy(
      `export default () => fetch("http://localhost:8933/accounts/${counter}/kv?key=count")`,
    );
    expect(await alice.run(`jstz://${reader}/`)).toMatchObject({ statusCode: 200, body: "1" });
  });

  it("may depend on a service that deploys and runs other functions before it answers", async () => {
    const service = createServer((_request, response) => {
      const bob = new Signer(other.client);
      void (async () => {
        const counter = await bob.deploy(COUNTER);
        response.end((await bob.run(`jstz://${counter}/`)).body);
      })();
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const { port } = service.address() as AddressInfo;
    const oracle = { enabled: true, allowPrivate: false, allowedHosts: ["localhost"], timeoutLevels: 20 };
    const other = await startNode({ oracle });
    const alice = new Signer(other.client);
    const market = await alice.deploy(
      `export default async () => {
        const { status } = await fetch("http://localhost:${port}/"), second = await fetch("http://localhost:${port}/");
        Kv.set("answer", await second.text());
        return new Response(String(status));
      }`,
    );
    expect(await alice.run(`jstz://${market}/`)).toMatchObject({ statusCode: 200, body: "200" });
    expect(await other.client.kv(market, "answer")).toBe("1");
    await other.stop();
    service.closeAllConnections();
    service.close();
  });
});

describe("the HTTP interface", () => {
  it.each([
    ["text/plain", "{}", 415],
    ["application/json", "{", 400],
    ["application/json", "", 400],
    ["application/json", "{}", 422],
    ["application/json", "[]", 422],
    ["application/json; charset=utf-8", "null", 422],
  ])("answers a %s body %j with %d", async (type, body, status) => {
    for (const path of ["/operations", "/operations/hash"]) {
      const response = await post(path, body, type);
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  it("answers 413 above 10 MiB and accepts a deploy just below", async () => {
    expect((await post("/operations", "x".repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
    const alice = new Signer(shared.node.client);
    const code = `export default () => new Response("big"); //${"x".repeat(9_000_000)}`;
    expect((await alice.run(`jstz://${await alice.deploy(code)}/`)).body).toBe("big");
  });

  it("files a large deploy under its own hash, and has no payloads for reveals", async () => {
    const alice = new Signer(shared.node.client);
    // Larger than one rollup message, where a real node makes a reveal with its own key.
    const content = { functionCode: `export default () => new Response(); //${"x".repeat(5_000)}` };
    const { signed, hash } = alice.sign({ _type: "DeployFunction", accountCredit: 0n, ...content });
    await shared.node.client.inject(signed);
    expect(await shared.node.client.waitForReceipt(hash)).toMatchObject({ result: { _type: "Success" } });
    const reveal: OperationContent = {
      _type: "RevealLargePayload",
      rootHash: Array<number>(33).fill(1),
      revealType: "DeployFunction",
      originalOpHash: Array<number>(32).fill(2),
    };
    expect((await alice.send(reveal)).result).toEqual({ _type: "Failed", inner: "InvalidInjector" });
    const injector = new Signer(shared.node.client, parseSecretKey(INJECTOR.secretKey));
    injector.nonce = await shared.node.client.nonce(injector.address);
    expect((await injector.send(reveal)).result).toEqual({ _type: "Failed", inner: "RevealNotSupported" });
  });

  it("answers injection with 200, an empty body and no content type", async () => {
    const alice = new Signer(shared.node.client);
    const { signed } = alice.sign(runContent(`jstz://${alice.address}/`));
    const response = await post("/operations", stringifyExact(signed));
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
      200,
      "",
      null,
    ]);
  });

  it.each(["/nothing", "/operations/", "/accounts/tz1nobody", "/accounts/tz1nobody/kv?key=a"])(
    "answers %s with an empty 404",
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([404, ""]);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  it("answers a wrong method with 405 and the right ones", async () => {
    const response = await get("/operations");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await get("/health", { method: "DELETE" })).headers.get("allow")).toContain("GET");
  });

  it("answers preflight requests from web pages", async () => {
    const response = await get("/operations", {
      method: "OPTIONS",
      headers: { origin: "https://dapp.example", "access-control-request-method": "POST" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-headers")).toBe("*");
  });

  it("answers requests for a user's code or logs with an error and no content type", async () => {
    const alice = new Signer(shared.node.client);
    await alice.deploy("export default () => new Response()");
    const code = await get(`/accounts/${alice.address}/code`);
    expect([code.status, code.headers.get("content-type"), await code.text()]).toEqual([
      400,
      null,
      '{"error":"Account is not a smart function"}',
    ]);
    expect((await get(`/logs/${alice.address}/stream`)).status).toBe(400);
  });

  it("describes every route it has", async () => {
    const document = (await (await get("/openapi.json")).json()) as { paths: Record<string, unknown> };
    expect(Object.keys(document.paths)).toContain("/accounts/{address}/kv/subkeys");
    expect((await get("/scalar")).headers.get("content-type")).toContain("text/html");
  });

  it("streams finished operations, deposits and balances", async () => {
    const response = await get("/operations/stream");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const receiver = new Signer(shared.node.client).address;
    rollup.bake(tezDepositMessage(receiver, 7n));
    let text = "";
    while (!text.includes("event: balance")) text += (await reader.read()).value ?? "";
    await reader.cancel();
    expect(text).toContain(`event: deposit\ndata: {"level":`);
    expect(text).toContain(`event: balance\ndata: {"address":"${receiver}","balance":"7"}`);
  });
});

describe("a node that stops", () => {
  it("rejects operations with 503 while it finishes its queue, without waiting for answers from outside", async () => {
    let reached: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => (reached = resolve));
    const outside = createServer(() => reached?.());
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    const { port } = outside.address() as AddressInfo;
    const oracle = { enabled: true, allowPrivate: true, allowedHosts: [], timeoutLevels: 20 };
    const other = await startNode({ oracle });
    const alice = new Signer(other.client);
    const asking = await alice.deploy(
      `export default async () => new Response((await fetch("http://127.0.0.1:${port}/")).status)`,
    );
    const waiting = alice.sign(runContent(`jstz://${asking}/`));
    await other.client.inject(waiting.signed);
    const receipt = other.client.waitForReceipt(waiting.hash);
    await asked;
    const start = performance.now();
    const stopping = other.part.stop(10_000);
    const refused = await fetch(`${other.endpoint}/operations`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: stringifyExact(waiting.signed),
    }).catch(() => undefined); // the connection may be refused already
    if (refused !== undefined) expect(refused.status).toBe(503);
    await stopping;
    expect(performance.now() - start).toBeLessThan(9_000);
    const { result } = await receipt;
    expect(Buffer.from((result.inner as { body: string }).body, "base64").toString()).toBe("502");
    outside.closeAllConnections();
    outside.close();
  });

  it("finishes accepted operations, rejects more, and closes its streams", async () => {
    const other = await startNode();
    const alice = new Signer(other.client);
    const counter = await alice.deploy(COUNTER);
    const stream = await fetch(`${other.endpoint}/logs/${counter}/stream`);
    const last = alice.sign(runContent(`jstz://${counter}/`));
    await other.client.inject(last.signed);
    const receipt = other.client.waitForReceipt(last.hash);
    await other.stop();
    expect((await receipt).result._type).toBe("Success");
    expect(await stream.text()).toContain("connected");
    await expect(other.client.inject(last.signed)).rejects.toMatchObject({ code: expect.any(String) });
  });
});
