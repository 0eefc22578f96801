// dApps that read the chain's history by TzKT: its own client package, unmodified, against the built sandbox.
import { readFileSync } from "node:fs";
import { type OutgoingHttpHeaders, request } from "node:http";
import { type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import * as tzkt from "@tzkt/sdk-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../../daemon/protocol/constants.ts";
import { parseMichelineText, parseScriptText } from "../../../daemon/tezos/micheline-text.ts";
import { builtCli } from "../../support/built-cli.ts";
import { ownerOf, ready, until } from "../../support/processes.ts";

const [ALICE, BOB] = BOOTSTRAP_ACCOUNTS.slice(3, 5) as [
  (typeof BOOTSTRAP_ACCOUNTS)[number],
  (typeof BOOTSTRAP_ACCOUNTS)[number],
];

const source = (name: string): object[] =>
  parseScriptText(readFileSync(new URL(`../contracts/${name}.tz`, import.meta.url), "utf8")) as object[];

interface Message {
  readonly type: number;
  readonly state: number;
  readonly data?: unknown;
}

const bytesOf = (text: string): string => Buffer.from(text).toString("hex");
/** Properties of the unique token, as contracts store them. */
const PAINTING = {
  name: bytesOf("Sunflowers"),
  decimals: bytesOf("0"),
  tags: bytesOf('["oil", "yellow"]'),
};

const cli = builtCli();
let tokenTransfer: (to: string, value: number) => Promise<unknown>;
let base = "";
let fungible = "";
let unique = "";
let mintHash = "";
let transferHash = "";

beforeAll(async () => {
  const endpoints = await ready(cli.start("sandboxd", ["run", "--json", "--free-ports"]));
  base = endpoints.sandboxd;
  tzkt.defaults.baseUrl = `${base}/tzkt`;
  const tezos = new TezosToolkit(endpoints.layer1);
  tezos.setProvider({ signer: new InMemorySigner(ALICE.secretKey) });
  const originate = async (name: string, init: string): Promise<string> => {
    const operation = await tezos.contract.originate({
      code: source(name),
      init: parseMichelineText(init) as object,
    });
    await operation.confirmation(1);
    return operation.contractAddress!;
  };
  fungible = await originate("token-fa12", `Pair { Elt "${ALICE.address}" 100000000000000000000 } {} 7`);
  unique = await originate("token-fa2", `Pair "${ALICE.address}" {} {} {}`);
  const call = async (address: string, entrypoint: string, argument: unknown): Promise<string> => {
    const contract = await tezos.contract.at(address);
    const operation = await contract.methodsObject[entrypoint]!(argument as never).send();
    await operation.confirmation(1);
    return operation.hash;
  };
  tokenTransfer = (to, value) => call(fungible, "transfer", { from: ALICE.address, to, value });
  transferHash = await call(fungible, "transfer", { from: ALICE.address, to: BOB.address, value: 300 });
  mintHash = await call(unique, "mint", { to_: ALICE.address, token_id: 7, info: PAINTING });
  await call(unique, "transfer", [
    { from_: ALICE.address, txs: [{ to_: BOB.address, token_id: 7, amount: 1 }] },
  ]);
  await (await tezos.contract.transfer({ to: BOB.address, amount: 1.5 })).confirmation(1);
});

afterAll(() => cli.dispose());

const get = async (path: string): Promise<unknown> => (await fetch(`${base}/tzkt/v1/${path}`)).json();

describe("@tzkt/sdk-api", () => {
  it("reads the head and blocks", async () => {
    const head = await tzkt.headGet();
    expect(head).toMatchObject({ synced: true, chainId: expect.stringMatching(/^Net/) });
    expect(head.level).toBeGreaterThan(5);
    const block = await tzkt.blocksGetByLevel(3);
    expect(block).toMatchObject({ level: 3, hash: expect.stringMatching(/^B/) });
    expect(await tzkt.blocksGetByHash(block.hash!)).toEqual(block);
    const levels = await tzkt.blocksGet({
      select: { values: ["level"] },
      sort: { desc: "level" },
      limit: 2,
    } as never);
    expect(levels).toEqual([levels[0], Number(levels[0]) - 1]);
  });

  it("reads accounts, balances and operations of an account", async () => {
    expect(await tzkt.accountsGetByAddress(ALICE.address)).toMatchObject({
      address: ALICE.address,
      revealed: true,
      numOriginations: 2,
    });
    const balance = await tzkt.accountsGetBalance(BOB.address);
    expect(balance).toBe(Number(await get(`accounts/${BOB.address}/balance`)));
    const [newest] = await tzkt.accountsGetOperations(BOB.address, { limit: 1 });
    expect(newest).toMatchObject({
      type: "transaction",
      sender: { address: ALICE.address },
      target: { address: BOB.address },
      amount: 1_500_000,
      status: "applied",
    });
  });

  it("finds transactions by entrypoint and by values inside their parameter", async () => {
    const found = await tzkt.operationsGetTransactions({
      entrypoint: { eq: "transfer" },
      parameter: { eq: { jsonPath: "to", jsonValue: BOB.address } },
    } as never);
    expect(found).toEqual([
      expect.objectContaining({
        hash: transferHash,
        target: { address: fungible },
        parameter: { entrypoint: "transfer", value: { from: ALICE.address, to: BOB.address, value: "300" } },
        storage: { ledger: expect.any(Number), total: "7", allowances: expect.any(Number) },
        diffs: [
          expect.objectContaining({ path: "ledger", action: "add_key" }),
          expect.objectContaining({ path: "ledger", action: "update_key" }),
        ],
      }),
    ]);
    const inside = await tzkt.operationsGetTransactions({
      target: { eq: unique },
      parameter: { eq: { jsonPath: "[0].txs[0].token_id", jsonValue: "7" } },
    } as never);
    expect(inside).toHaveLength(1);
    const all = await tzkt.operationsGetTransactions({
      anyof: { fields: ["sender", "target"], eq: BOB.address },
    } as never);
    expect(all.map(({ amount }) => amount)).toEqual([1_500_000]);
  });

  it("reads an operation by its hash", async () => {
    const [minted] = (await tzkt.operationsGetByHash(mintHash)) as unknown as tzkt.TransactionOperation[];
    expect(minted).toMatchObject({ type: "transaction", hasInternals: true, tokenTransfersCount: 1 });
    expect(await tzkt.operationsGetTransactionByHash(mintHash)).toEqual([minted]);
  });

  it("reads contracts, storage, entrypoints and big maps", async () => {
    expect(await tzkt.contractsGetByAddress(unique)).toMatchObject({
      type: "contract",
      kind: "asset",
      tzips: ["fa2"],
      creator: { address: ALICE.address },
    });
    const storage = JSON.parse(await (await tzkt.contractsGetStorage(unique)).text()) as Record<
      string,
      unknown
    >;
    expect(storage).toEqual({
      admin: ALICE.address,
      ledger: expect.any(Number),
      operators: expect.any(Number),
      token_metadata: expect.any(Number),
    });
    const entrypoints = await tzkt.contractsGetEntrypoints(unique);
    expect(entrypoints.map(({ name }) => name).sort()).toEqual([
      "balance_of",
      "mint",
      "transfer",
      "update_operators",
    ]);
    const keys = await tzkt.contractsGetBigMapByNameKeys(fungible, "ledger", { active: true });
    expect(Object.fromEntries(keys.map(({ key, value }) => [key, value]))).toEqual({
      [ALICE.address]: "99999999999999999700",
      [BOB.address]: "300",
    });
    expect(await tzkt.contractsGetKey(fungible, "ledger", BOB.address)).toMatchObject({
      value: "300",
      active: true,
    });
    const updates = await tzkt.bigMapsGetBigMapUpdates({
      contract: { eq: unique },
      path: { eq: "ledger" },
    } as never);
    expect(updates.map(({ action, content }) => [action, content?.value as unknown])).toEqual([
      ["allocate", undefined],
      ["add_key", ALICE.address],
      ["update_key", BOB.address],
    ]);
  });

  it("reads tokens, their holders and transfers", async () => {
    const tokens = await tzkt.tokensGetTokens({ contract: { eq: unique } } as never);
    expect(tokens).toEqual([
      expect.objectContaining({ tokenId: "7", standard: "fa2", holdersCount: 1, totalSupply: "1" }),
    ]);
    const held = await tzkt.tokensGetTokenBalances({
      account: { eq: BOB.address },
      balance: { gt: "0" },
    } as never);
    expect(held.map(({ token, balance }) => [token?.contract?.address, balance])).toEqual([
      [fungible, "300"],
      [unique, "1"],
    ]);
    const transfers = await tzkt.tokensGetTokenTransfers({ "token.contract": unique } as never);
    expect(transfers.filter(({ token }) => token?.contract?.address === unique)).toEqual([
      expect.objectContaining({ to: { address: ALICE.address }, amount: "1" }),
      expect.objectContaining({
        from: { address: ALICE.address },
        to: { address: BOB.address },
        amount: "1",
      }),
    ]);
  });

  it("reads what a contract tells of its tokens, and finds tokens by it", async () => {
    const metadata = { name: "Sunflowers", decimals: "0", tags: ["oil", "yellow"] };
    const named = { metadata: { eq: { jsonPath: "name", jsonValue: "Sunflowers" } } } as never;
    expect(await tzkt.tokensGetTokens(named)).toEqual([
      expect.objectContaining({ contract: { address: unique }, tokenId: "7", metadata }),
    ]);
    const other = { metadata: { eq: { jsonPath: "name", jsonValue: "Irises" } } } as never;
    expect(await tzkt.tokensGetTokens(other)).toEqual([]);
    const held = await tzkt.tokensGetTokenBalances({ account: { eq: BOB.address } } as never);
    const moved = await tzkt.tokensGetTokenTransfers({ to: { eq: BOB.address } } as never);
    for (const rows of [held, moved])
      expect(rows.map(({ token }) => [token?.contract?.address, token?.metadata])).toEqual([
        [fungible, undefined],
        [unique, metadata],
      ]);
  });

  it("reads the events of contracts", async () => {
    const events = await tzkt.eventsGetContractEvents({ contract: { eq: unique } } as never);
    expect(events).toEqual([
      expect.objectContaining({ contract: { address: unique }, tag: expect.any(String) }),
    ]);
  });
});

describe("the subscription hub, by the client of SignalR", () => {
  const connect = async (name: string): Promise<HubConnection> => {
    const connection = new HubConnectionBuilder()
      .withUrl(`${base}/tzkt/v1/${name}`)
      .configureLogging(LogLevel.None)
      .build();
    await connection.start();
    return connection;
  };

  it.each(["ws", "events"])("tells of heads, operations, big maps and tokens (%s)", async (name) => {
    const connection = await connect(name);
    try {
      const channels = ["head", "operations", "bigmaps", "transfers", "token_balances"];
      const heard = new Map<string, Message[]>(channels.map((channel) => [channel, []]));
      for (const channel of channels)
        connection.on(channel, (message: Message) => void heard.get(channel)!.push(message));
      const state = await connection.invoke<number>("SubscribeToHead");
      expect(state).toBeGreaterThan(5);
      await connection.invoke("SubscribeToOperations", { address: BOB.address, types: "transaction" });
      await connection.invoke("SubscribeToBigMaps", { contract: fungible, path: "ledger" });
      await connection.invoke("SubscribeToTokenTransfers", { account: BOB.address });
      await connection.invoke("SubscribeToTokenBalances", { account: BOB.address });
      await tokenTransfer(BOB.address, 5);
      const dataOf = (channel: string) => heard.get(channel)!.find(({ type }) => type === 1)?.data;
      // Each channel has messages of its own, which need not arrive together.
      await until("the transfer is told", 10_000, () =>
        ["head", "transfers", "token_balances", "bigmaps"].every((channel) => dataOf(channel) !== undefined),
      );
      expect(heard.get("head")![0]).toEqual({ type: 0, state: expect.any(Number) });
      expect(dataOf("head")).toMatchObject({ level: expect.any(Number), synced: true });
      expect(dataOf("transfers")).toEqual([
        expect.objectContaining({ to: { address: BOB.address }, amount: "5" }),
      ]);
      expect(dataOf("token_balances")).toEqual([
        expect.objectContaining({ account: { address: ALICE.address } }),
        expect.objectContaining({ account: { address: BOB.address } }),
      ]);
      expect(dataOf("bigmaps")).toHaveLength(2);
      await expect(connection.invoke("SubscribeToOperations", { address: "nobody" })).rejects.toThrow(
        "Invalid address",
      );
      await expect(connection.invoke("Nothing")).rejects.toThrow("Unknown method");
    } finally {
      await connection.stop();
    }
  });

  it("takes 64 clients, of which the oldest gives way to the next one", async () => {
    const connections = await Promise.all(Array.from({ length: 64 }, () => connect("ws")));
    let closed = 0;
    const gaveWay = new Promise<void>((resolve) => {
      for (const connection of connections)
        connection.onclose(() => {
          closed++;
          resolve();
        });
    });
    const next = await connect("ws");
    await gaveWay;
    expect([closed, next.state]).toEqual([1, "Connected"]);
    await Promise.all([...connections, next].map((connection) => connection.stop()));
  });
});

it("forgets what a restored snapshot has undone, and tells subscribers of it", async () => {
  const owner = { headers: ownerOf(cli, { sandboxd: base }) };
  const before = await get(`contracts/${fungible}/bigmaps/ledger/keys/${BOB.address}`);
  await fetch(`${base}/snapshots/before`, { method: "PUT", ...owner });
  await tokenTransfer(BOB.address, 77);
  const [undone] = (await get("operations/transactions?sort.desc=id&limit=1")) as { hash: string }[];
  expect(await get(`operations/${undone!.hash}`)).toHaveLength(1);
  const connection = new HubConnectionBuilder()
    .withUrl(`${base}/tzkt/v1/ws`)
    .configureLogging(LogLevel.None)
    .build();
  await connection.start();
  const heard: Message[] = [];
  connection.on("blocks", (message: Message) => void heard.push(message));
  await connection.invoke("SubscribeToBlocks");
  const restored = await fetch(`${base}/snapshots/before/restore`, { method: "POST", ...owner });
  expect(restored.status).toBe(200);
  const { level } = (await restored.json()) as { level: number };
  expect(await get(`operations/${undone!.hash}`)).toEqual([]);
  expect(await get(`contracts/${fungible}/bigmaps/ledger/keys/${BOB.address}`)).toEqual(before);
  expect(await get(`blocks/${level}`)).toMatchObject({ level });
  await until("the blocks that hold are told", 10_000, () => heard.some(({ state }) => state === level));
  await connection.stop();
  const voided = heard.find(({ type }) => type === 2)!;
  expect(voided.state).toBeLessThan((undone as unknown as { level: number }).level);
  const after = heard.slice(heard.indexOf(voided) + 1);
  expect(after[0]).toMatchObject({ type: 1, state: level, data: [{ level }] });
});

describe("who may ask", () => {
  const url = (path: string): string => `${base}${path}`;
  it("lets web pages of any origin read, and read only", async () => {
    const foreign = { origin: "https://example.org" };
    const read = await fetch(url("/tzkt/v1/head"), { headers: foreign });
    expect(read.headers.get("access-control-allow-origin")).toBe("*");
    const preflight = await fetch(url("/tzkt/v1/head"), { method: "OPTIONS", headers: foreign });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, OPTIONS",
    ]);
    expect((await fetch(url("/tzkt/v1/head"), { method: "POST", headers: foreign })).status).toBe(403);
    for (const path of [
      "/health",
      "/config/",
      "/accounts",
      "/tzkt",
      "/tzktv1/head",
      "/tzkt/v1/../../config/",
    ]) {
      const answer = await fetch(url(path), { headers: foreign });
      expect(answer.headers.get("access-control-allow-origin"), path).toBeNull();
    }
  });
});

/** Status of a request with headers that `fetch` does not let one choose. */
const statusOf = (path: string, headers: OutgoingHttpHeaders, method = "GET"): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { method, headers });
    asked.once("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asked.once("error", reject);
    asked.end();
  });

describe("the guard", () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  const foreign = { origin: "https://example.org", "sec-fetch-site": "cross-site" };
  it.each([
    ["GET", "/tzkt/v1/head", {}, 200],
    ["GET", "/tzkt/v1/head", foreign, 200],
    ["HEAD", "/tzkt/v1/head", foreign, 200],
    ["POST", "/tzkt/v1/ws/negotiate", foreign, 200],
    ["GET", "/tzkt/v1/ws", upgrade, 101],
    ["GET", "/tzkt/v1/ws", { ...upgrade, ...foreign }, 101],
    ["GET", "/tzkt/v1/ws", foreign, 400],
    ["GET", "/tzkt/v1/head", { connection: "Upgrade", upgrade: "h2c" }, 200],
    ["GET", "/events", { ...upgrade, ...foreign }, 403],
    ["POST", "/tzkt/v1/head", foreign, 403],
    ["GET", "/tzkt/v1/head", { host: "evil.example" }, 403],
    ["OPTIONS", "/tzkt/v1/head", { host: "evil.example" }, 403],
    ["POST", "/tzkt/v1/ws/negotiate", { host: "evil.example" }, 403],
    ["GET", "/tzkt/v1/ws", { ...upgrade, host: "evil.example" }, 403],
  ])("answers %s %s with %j by %d", async (method, path, headers, status) => {
    expect(await statusOf(path, headers, method)).toBe(status);
  });

  it("gives the hub's client its origin back, and nobody else", async () => {
    const headers = { origin: "https://example.org" };
    const answer = await fetch(`${base}/tzkt/v1/ws/negotiate`, { method: "POST", headers });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://example.org");
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    const read = await fetch(`${base}/tzkt/v1/head`, { headers });
    expect(read.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("strangers", () => {
  it.each([
    ["blocks?limit=10001", "limit"],
    ["blocks?limit=-1", "limit"],
    ["blocks?nothing=1", "nothing"],
    ["blocks?level.gt=x", "level.gt"],
    [`blocks?${Array.from({ length: 65 }, (_, i) => `a${i}=1`).join("&")}`, "the query"],
    [`operations/transactions?parameter.${"a.".repeat(17)}a=1`, `parameter.${"a.".repeat(17)}a`],
    ["operations/transactions?sender.__proto__=1", "sender.__proto__"],
    ["operations/transactions?__proto__=1", "__proto__"],
    ["blocks?sort.desc=constructor", "sort"],
    ["bigmaps/99999999999999999999/keys", "the path"],
    ["accounts/nobody", "the path"],
    ["operations/onothing", "the path"],
    ["contracts/tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb/storage", "the path"],
  ])("who ask for %s are told what is wrong", async (path, at) => {
    const answer = await fetch(`${base}/tzkt/v1/${path}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 400,
      error: { code: "BAD_REQUEST", data: { at } },
      errors: { [at]: expect.any(String) },
    });
  });

  it("who use patterns and paths without end get an answer soon, and others meanwhile", async () => {
    const stars = "*a".repeat(2_000);
    const begun = performance.now();
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, () => get(`operations/transactions?hash.as=${stars}`)),
      fetch(`${base}/health`),
    ]);
    expect(answers[0]).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
