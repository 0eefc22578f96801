import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { signatureOf } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { fromHex, toHex } from "../../tezos/hex.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../tezos/protocols.ts";
import { ALICE, BOB, driveChain } from "../testing/driven-chain.ts";
import { createTestNode } from "../testing/test-node.ts";

const PROTOCOL_HASH = protocolOf(DEFAULT_PROTOCOL).hash;
const logged: string[] = [];
const OWNER = ownerHeaders("a-secret-of-the-owner");
const part = createTestNode({
  adminSecret: "a-secret-of-the-owner",
  // Far longer than the tests, so that only they make blocks.
  blockTimeSeconds: 3600,
  historyBlocks: 60,
  log: { ...silentLog, error: (data, message) => void logged.push(`${message} ${JSON.stringify(data)}`) },
});
let endpoint = "";

beforeAll(async () => {
  await part.start(new AbortController().signal);
  endpoint = part.endpoint();
});
afterAll(async () => {
  await part.stop(1_000);
  expect(logged).toEqual([]);
});

async function get(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(endpoint + path, { headers: OWNER });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(endpoint + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...OWNER, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const HEAD = "/chains/main/blocks/head";
const UNKNOWN_KT1 = "KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn";
const UNKNOWN_TZ1 = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";

describe("RPC of blocks", () => {
  it("finds a block by every form of its id", async () => {
    const { body: hash } = await get(`${HEAD}/hash`);
    const { body } = await get(`${HEAD}/header`);
    const { level, predecessor } = body as { level: number; predecessor: string };
    for (const id of [`${level}`, hash as string, "head~0", "head-0", `genesis+${level}`])
      expect((await get(`/chains/main/blocks/${id}/hash`)).body).toBe(hash);
    for (const id of [`${level - 1}`, "head~1", "head-1", `${hash as string}~1`, predecessor])
      expect((await get(`/chains/main/blocks/${id}/hash`)).body).toBe(predecessor);
    expect((await get("/chains/main/blocks/head~9999/header")).body).toMatchObject({ level: 0 });
  });

  it.each([
    "/chains/main/blocks/999999",
    "/chains/main/blocks/nonsense",
    "/chains/main/blocks/head~x",
    "/chains/test/blocks/head",
    "/nonsense",
    `${HEAD}/nonsense`,
  ])("answers %s with 404 and no body", async (path) => {
    expect(await get(path)).toEqual({ status: 404, body: undefined });
  });

  it("serves the bytes of a header, which hash to the block", async () => {
    const { body: raw } = await get(`${HEAD}/header/raw`);
    const { body: header } = await get(`${HEAD}/header`);
    const { hash, context } = header as { hash: string; context: string };
    expect(encodeBase58("blockHash", blake2b256(fromHex(raw as string)!))).toBe(hash);
    expect((await get(`${HEAD}/context_hash`)).body).toBe(context);
  });

  it("serves a block with header, metadata and four lists of operations", async () => {
    const { body } = await get(HEAD);
    expect(body).toMatchObject({
      protocol: PROTOCOL_HASH,
      chain_id: (await get("/chains/main/chain_id")).body,
      header: {
        proto: 1,
        validation_pass: 4,
        fitness: ["02", expect.any(String), "", "ffffffff", "00000000"],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      metadata: { next_protocol: PROTOCOL_HASH, level_info: { cycle: 0 } },
      operations: [[], [], [], []],
    });
  });

  it.each([
    "/metadata",
    "/protocols",
    "/operations",
    "/operations/3",
    "/operation_hashes",
    "/operation_hashes/3",
    "/live_blocks",
    "/header/shell",
    "/helpers/current_level",
    "/context/constants",
    "/context/contracts",
    "/context/smart_rollups/all",
    `/context/smart_rollups/smart_rollup/${ROLLUP_ADDRESS}/kind`,
    `/context/smart_rollups/smart_rollup/${ROLLUP_ADDRESS}/genesis_info`,
    "/context/smart_rollups/all/inbox",
  ])("serves %s", async (path) => {
    expect((await get(HEAD + path)).status).toBe(200);
  });

  it.each([
    "/version",
    "/network/connections",
    "/config/network/user_activated_upgrades",
    "/network/stat",
    "/protocols",
    `${HEAD}/minimal_valid_time`,
    `${HEAD}/helpers/consecutive_round_zero`,
    "/chains/main/is_bootstrapped",
    "/chains/main/levels/checkpoint",
    "/chains/main/levels/savepoint",
    "/chains/main/levels/caboose",
    "/chains/main/blocks?length=2",
    `${HEAD}/header/protocol_data`,
    `${HEAD}/header/protocol_data/raw`,
    `${HEAD}/context/constants/parametric`,
    `${HEAD}/helpers/baking_rights?level=3`,
    `${HEAD}/helpers/levels_in_current_cycle`,
    `${HEAD}/votes/current_period`,
    `${HEAD}/votes/successor_period`,
    `${HEAD}/votes/listings`,
    `${HEAD}/context/adaptive_issuance_launch_cycle`,
    "/health/ready",
    "/chains/main/mempool/pending_operations",
    "/chains/main/mempool/filter?include_default=true",
    "/health",
    "/global/smart_rollup_address",
    "/global/tezos_level",
    "/global/tezos_head",
    "/global/block/head/level",
    "/global/block/head",
    "/global/last_cemented_commitment",
    "/local/synchronized",
    "/local/outbox/pending/executable",
    "/local/outbox/pending/unexecutable",
  ])("serves %s", async (path) => {
    expect((await get(path)).status).toBe(200);
  });
});

describe("RPC of contracts", () => {
  const contract = (address: string, path = ""): string => `${HEAD}/context/contracts/${address}${path}`;

  it.each<[string, number, unknown]>([
    [contract(UNKNOWN_TZ1, "/balance"), 200, "0"],
    [contract(UNKNOWN_TZ1, "/counter"), 200, expect.stringMatching(/^\d+$/)],
    [contract(UNKNOWN_TZ1, "/manager_key"), 200, null],
    [contract(ALICE.address, "/manager_key"), 200, ALICE.publicKey],
    [
      contract(ALICE.address),
      200,
      { balance: "100000000000", counter: "0", delegate: ALICE.address, revealed: true },
    ],
    [contract(UNKNOWN_KT1, "/balance"), 404, undefined],
    [contract(BRIDGE_ADDRESS, "/manager_key"), 404, undefined],
    [contract(BRIDGE_ADDRESS, "/counter"), 404, undefined],
    [contract(ALICE.address, "/script"), 404, undefined],
    [contract(ALICE.address, "/entrypoints"), 404, undefined],
    [contract("tz1nonsense", "/balance"), 404, undefined],
    [contract(EXCHANGER_ADDRESS, "/storage"), 200, { prim: "Unit" }],
    [contract(BRIDGE_ADDRESS, "/entrypoints/deposit"), 200, { prim: "address" }],
  ])("answers %s with %i", async (path, status, body) => {
    expect(await get(path)).toEqual({ status, body });
  });

  it("normalizes a storage in the requested form", async () => {
    const path = contract(BRIDGE_ADDRESS, "/storage/normalized");
    expect((await post(path, { unparsing_mode: "Readable" })).body).toMatchObject({
      args: [{ string: EXCHANGER_ADDRESS }, { string: ROLLUP_ADDRESS }, { prim: "None" }],
    });
    expect((await post(path, { unparsing_mode: "Optimized" })).body).toMatchObject({
      args: [{ bytes: "0146d83d8ef8bce4d8c60a96170739c0269384075a00" }, { prim: "Pair" }],
    });
  });

  it("packs data", async () => {
    expect(
      (
        await post(`${HEAD}/helpers/scripts/pack_data`, {
          data: { string: ALICE.address },
          type: { prim: "address" },
        })
      ).body,
    ).toMatchObject({ packed: "050a00000016000002298c03ed7d454a101eb7022bc95f7e5f41ac78" });
  });

  it("runs code", async () => {
    const script = [
      { prim: "parameter", args: [{ prim: "int" }] },
      { prim: "storage", args: [{ prim: "int" }] },
      {
        prim: "code",
        args: [
          [
            { prim: "UNPAIR" },
            { prim: "ADD" },
            { prim: "NIL", args: [{ prim: "operation" }] },
            { prim: "PAIR" },
          ],
        ],
      },
    ];
    const body = {
      script,
      storage: { int: "40" },
      input: { int: "2" },
      amount: "0",
      chain_id: "NetXynUjJNZm7wi",
    };
    expect((await post(`${HEAD}/helpers/scripts/run_code`, body)).body).toEqual({
      storage: { int: "42" },
      operations: [],
    });
  });
});

describe("after an operation", () => {
  it("shows the states before and after, tickets, and the operation itself", async () => {
    const before = ((await get(`${HEAD}/header`)).body as { level: number; hash: string }).hash;
    const driven = driveChain();
    const mint = driven.fill([
      {
        kind: "transaction",
        destination: EXCHANGER_ADDRESS,
        amount: "5",
        parameters: { entrypoint: "mint", value: { string: ALICE.address } },
      },
    ]);
    const { body: hash } = await post(
      "/injection/operation",
      JSON.stringify(toHex(driven.sign(mint, ALICE, before))),
    );
    // Injection answers when the operation is in a block.
    expect((await get(`${HEAD}/operation_hashes/3/0`)).body).toBe(hash);
    expect((await get(`${HEAD}/operations/3/0`)).body).toMatchObject({
      hash,
      contents: [{ metadata: { operation_result: { status: "applied" } } }],
      signature: expect.stringMatching(/^sig/),
    });
    const balance = async (block: string): Promise<unknown> =>
      (await get(`/chains/main/blocks/${block}/context/contracts/${EXCHANGER_ADDRESS}/balance`)).body;
    expect([await balance(before), await balance("head")]).toEqual(["1000000", "1000005"]);

    const contract = `${HEAD}/context/contracts/${ALICE.address}`;
    const token = {
      ticketer: EXCHANGER_ADDRESS,
      content_type: { prim: "pair", args: [{ prim: "nat" }, { prim: "option", args: [{ prim: "bytes" }] }] },
      content: { prim: "Pair", args: [{ int: "0" }, { prim: "None" }] },
    };
    expect((await post(`${contract}/ticket_balance`, token)).body).toBe("5");
    expect((await get(`${contract}/all_ticket_balances`)).body).toEqual([{ ...token, amount: "5" }]);
    expect((await post(`${contract}/ticket_balance`, { ...token, ticketer: BRIDGE_ADDRESS })).body).toBe("0");
  });
});

describe("CORS", () => {
  it("allows every page to use the public RPC, preflight included", async () => {
    const preflight = await fetch(`${endpoint}${HEAD}`, {
      method: "OPTIONS",
      headers: { origin: "https://dapp.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("Content-Type");
    const answer = await fetch(`${endpoint}${HEAD}/hash`, { headers: { origin: "https://dapp.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["/admin/bake", "/local/outbox"])("keeps web pages away from %s", async (path) => {
    const before = (await get("/admin/chain")).body;
    const { status } = await post(path, { blocks: 1 }, { origin: "https://evil.example" });
    expect(status).toBe(403);
    expect((await get("/admin/chain")).body).toEqual(before);
    const preflight = await fetch(endpoint + path, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });
});

it.each([
  ["GET", "/admin/chain"],
  ["POST", "/admin/bake"],
  ["POST", "/admin%2fbake"],
  ["POST", "/local/outbox"],
  ["POST", "/local/outbox/"],
  ["POST", "/admin/bake/"],
])("lets only the owner %s %s", async (method, path) => {
  const before = (await get("/admin/chain")).body;
  for (const headers of [{}, { authorization: "Bearer a-secret-of-the-owneR" }]) {
    const response = await fetch(endpoint + path, { method, headers });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "OWNER_ONLY" } }]);
  }
  expect((await get("/admin/chain")).body).toEqual(before);
});

it("accepts rollup messages from programs but not from web pages", async () => {
  const inject = (headers: Record<string, string>) =>
    fetch(`${endpoint}/local/batcher/injection`, { method: "POST", body: '["00"]', headers });
  expect((await inject({ "content-type": "text/plain", origin: "https://evil.example" })).status).toBe(403);
  expect((await inject({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await inject({})).status).toBe(200);
});

describe("time", () => {
  const state = async (
    path: string,
    body: object = {},
  ): Promise<{ level: number; timestamp: string; paused: boolean }> => (await post(path, body)).body as never;

  it("makes blocks on demand and keeps the history bounded", async () => {
    const { level } = (await get("/admin/chain")).body as { level: number };
    expect((await state("/admin/bake", { blocks: 100 })).level).toBe(level + 100);
    expect((await get(`/chains/main/blocks/${level + 100 - 60}/hash`)).status).toBe(200);
    expect((await get(`/chains/main/blocks/${level + 100 - 61}/hash`)).status).toBe(404);
  });

  it("jumps", async () => {
    const before = Date.parse((await state("/admin/bake")).timestamp);
    const after = Date.parse((await state("/admin/jump", { seconds: 86_400 })).timestamp);
    expect(after - before).toBeGreaterThanOrEqual(86_400_000);
    expect(after - before).toBeLessThan(86_460_000);
  });

  it("pauses and resumes", async () => {
    expect((await state("/admin/pause")).paused).toBe(true);
    expect((await state("/admin/resume")).paused).toBe(false);
  });

  it.each([{ blocks: 0 }, { blocks: -1 }, { blocks: 1.5 }, { blocks: 1e9 }, { blocks: "1" }])(
    "refuses to bake %j",
    async (body) => {
      expect((await post("/admin/bake", body)).status).toBe(400);
    },
  );
});

describe("big maps of contracts", () => {
  it("are readable by key, by hash and as a whole", async () => {
    const script = {
      code: [
        ["parameter", "unit"],
        ["storage", "(pair (big_map string nat) (big_map nat string))"],
        ["code", "{ CDR; NIL operation; PAIR }"],
      ].map(([prim, text]) => ({ prim: prim!, args: [parseMichelineText(text!)] })),
      storage: parseMichelineText('Pair { Elt "a" 1; Elt "b" 2 } { Elt 7 "seven" }'),
    };
    const driven = driveChain();
    const origination = driven.fill([{ kind: "origination", balance: "0", script }], BOB);
    const branch = (await get(`${HEAD}/hash`)).body as string;
    await post("/injection/operation", JSON.stringify(toHex(driven.sign(origination, BOB, branch))));
    const { body: operation } = await get(`${HEAD}/operations/3/0`);
    const [address] = (
      operation as {
        contents: [{ metadata: { operation_result: { originated_contracts: [string] } } }];
      }
    ).contents[0].metadata.operation_result.originated_contracts;
    const read = (type: string, key: object): ReturnType<typeof post> =>
      post(`${HEAD}/context/contracts/${address}/big_map_get`, { type: { prim: type }, key });
    expect(await read("string", { string: "b" })).toEqual({ status: 200, body: { int: "2" } });
    expect(await read("nat", { int: "7" })).toEqual({ status: 200, body: { string: "seven" } });
    expect(await read("nat", { int: "8" })).toEqual({ status: 200, body: null });
    expect(await read("int", { int: "7" })).toEqual({ status: 200, body: null });
    expect((await read("nat", { string: "x" })).status).toBe(500);
    const { body: values } = await get(`${HEAD}/context/big_maps/0`);
    expect(values).toHaveLength(2);
    const range = async (query: string) => (await get(`${HEAD}/context/big_maps/0?${query}`)).body;
    const ranges = ["length=1", "offset=1", "offset=1&length=5", "offset=2", "length=0"];
    const [first, second] = values as readonly unknown[];
    expect(await Promise.all(ranges.map(range))).toEqual([[first], [second], [second], [], []]);
    expect((await get(`${HEAD}/context/big_maps/0?length=-1`)).status).toBe(400);
    expect((await get(`${HEAD}/context/big_maps/9`)).status).toBe(404);
  });
});

describe("streams", () => {
  /** Reads items of a stream; `next` waits for the following one. */
  async function open(path: string) {
    const controller = new AbortController();
    const response = await fetch(endpoint + path, { signal: controller.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const next = async (): Promise<unknown> => {
      while (!text.includes("\n")) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += value;
      }
      const line = text.slice(0, text.indexOf("\n"));
      text = text.slice(line.length + 1);
      return JSON.parse(line);
    };
    return { next, close: () => controller.abort() };
  }

  it.each([
    "/monitor/heads/main",
    "/monitor/applied_blocks",
    "/monitor/validated_blocks",
    "/global/monitor_blocks",
  ])("%s starts with the head and follows it", async (path) => {
    const stream = await open(path);
    const head = (await get(`${HEAD}/hash`)).body;
    expect(await stream.next()).toMatchObject({ hash: head });
    await post("/admin/bake", {});
    expect(await stream.next()).toMatchObject({ hash: (await get(`${HEAD}/hash`)).body });
    stream.close();
  });

  it("/global/monitor_blocks inlines the messages of a level when they are short", async () => {
    const stream = await open("/global/monitor_blocks");
    await stream.next();
    const tell = async (...messages: readonly string[]) => {
      await post("/local/batcher/injection", JSON.stringify(messages));
      const line = (await stream.next()) as { level: number; messages?: readonly string[] };
      const { body } = await get(`/global/block/${line.level}`);
      return { line, whole: (body as { messages: readonly string[] }).messages };
    };
    const short = await tell("00aa", "00bb");
    expect(short.line).toMatchObject({ inbox_messages: 2, messages: short.whole });
    expect(short.whole.slice(2, -1)).toEqual(["0100aa", "0100bb"]);
    const long = await tell(...Array.from({ length: 5 }, () => "00".repeat(4000)));
    expect(long.whole).toHaveLength(8);
    expect(long.line.messages).toBeUndefined();
    expect(long.line).toMatchObject({ inbox_messages: 5 });
    stream.close();
  });

  it("/chains/main/mempool/monitor_operations sends accepted operations, and ends with the next block", async () => {
    const stream = await open("/chains/main/mempool/monitor_operations");
    expect(await stream.next()).toEqual([]);
    const heads = await open("/monitor/heads/main");
    const branch = ((await heads.next()) as { hash: string }).hash;
    const driven = driveChain();
    const transfer = driven.fill(
      [{ kind: "transaction", destination: ALICE.address, amount: "1", counter: "2" }],
      BOB,
    );
    const bytes = driven.sign(transfer, BOB, branch);
    const { body: hash } = await post("/injection/operation", JSON.stringify(toHex(bytes)));
    expect(await stream.next()).toMatchObject([{ hash, contents: [{ source: BOB.address }] }]);
    expect(await stream.next()).toBeUndefined();
    expect(await heads.next()).toMatchObject({ predecessor: branch });
    heads.close();
  });

  it("/monitor/bootstrapped sends the head and ends", async () => {
    const stream = await open("/monitor/bootstrapped");
    expect(await stream.next()).toMatchObject({ block: (await get(`${HEAD}/hash`)).body });
    expect(await stream.next()).toBeUndefined();
  });
});

describe("bad input", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const operation = (value: string): string =>
    `{"operation":{"branch":"BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2","contents":[{"kind":"transaction","source":"${ALICE.address}","fee":"0","counter":"1","gas_limit":"10000","storage_limit":"0","amount":"1","destination":"${BRIDGE_ADDRESS}","parameters":{"entrypoint":"deposit","value":${value}}}]}}`;

  it.each<[string, string]>([
    ["/injection/operation", "{}"],
    ["/injection/operation", '"xyz"'],
    ["/injection/operation", '""'],
    ["/injection/operation", `"${"00".repeat(1_000)}"`],
    ["/injection/operation", "not json"],
    [`${HEAD}/helpers/scripts/simulate_operation`, "[]"],
    [`${HEAD}/helpers/scripts/simulate_operation`, "null"],
    [`${HEAD}/helpers/scripts/simulate_operation`, operation(deep)],
    [`${HEAD}/helpers/preapply/operations`, "{}"],
    [`${HEAD}/helpers/preapply/operations`, "[{}]"],
    [`${HEAD}/helpers/forge/operations`, '{"branch":1}'],
    [`${HEAD}/helpers/scripts/run_code`, `{"script":${deep},"storage":{},"input":{}}`],
    [`${HEAD}/helpers/scripts/run_script_view`, "{}"],
    [`${HEAD}/helpers/scripts/pack_data`, '{"data":{"int":"1"},"type":{"prim":"nonsense"}}'],
    ["/local/batcher/injection", '["zz"]'],
    ["/local/batcher/injection", "{}"],
    ["/local/outbox", '{"level":1,"messages":["00"]}'],
    ["/local/outbox", '{"level":999999,"messages":[]}'],
  ])("%s answers an error to %.40s and changes nothing", async (path, body) => {
    const before = (await get("/admin/chain")).body;
    const answer = await post(path, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).toEqual([
      expect.objectContaining({ id: expect.any(String), kind: expect.any(String) }),
    ]);
    expect((await get("/admin/chain")).body).toEqual(before);
  });

  it("refuses to inject what is longer than an operation may be, but tries it out, as Octez does", async () => {
    const driven = driveChain();
    const branch = (await get(`${HEAD}/hash`)).body as string;
    const { counter } = (await get(`${HEAD}/context/contracts/${BOB.address}`)).body as { counter: string };
    const contents = driven.fill(
      [
        {
          kind: "transaction",
          destination: BRIDGE_ADDRESS,
          amount: "0",
          fee: "200000",
          counter: String(Number(counter) + 1),
          parameters: { entrypoint: "default", value: { bytes: "00".repeat(32_768) } },
        },
      ],
      BOB,
    );
    const bytes = driven.sign(contents, BOB, branch);
    const refused = await post("/injection/operation", JSON.stringify(toHex(bytes)));
    expect(refused).toEqual({
      status: 500,
      body: [
        {
          kind: "temporary",
          id: "failure",
          msg: expect.stringMatching(
            new RegExp(
              `^Invalid operation o\\w{50}: Oversized operation \\(size: ${bytes.length}, max: 32768\\)`,
            ),
          ),
        },
      ],
    });
    const signature = signatureOf(bytes.subarray(-64));
    const tried = await post(`${HEAD}/helpers/preapply/operations`, [
      { protocol: PROTOCOL_HASH, branch, contents, signature },
    ]);
    const simulated = await post(`${HEAD}/helpers/scripts/simulate_operation`, {
      operation: { branch, contents, signature },
    });
    expect([tried.status, simulated.status]).toEqual([200, 200]);
  });

  it("refuses a body of 10 MB", async () => {
    expect((await post("/injection/operation", `"${"00".repeat(5_000_000)}"`)).status).toBe(413);
  });
});

describe("a block of large operations", () => {
  it("is told in pieces as it is told whole", async () => {
    const driven = driveChain();
    const zeros = Array.from({ length: 12_000 }, () => ({ int: "0" }));
    const code = parseMichelineText(
      "{ parameter unit; storage (list nat); code { CDR; NIL operation; PAIR } }",
    );
    const originated = driven.fill(
      [
        {
          kind: "origination",
          balance: "0",
          script: { code, storage: zeros },
          fee: "200000",
          gas_limit: "1000000",
        },
      ],
      BOB,
    );
    const counter = (await get(`${HEAD}/context/contracts/${BOB.address}/counter`)).body as string;
    const contents = [{ ...originated[0], counter: `${BigInt(counter) + 1n}` }];
    const branch = (await get(`${HEAD}/hash`)).body as string;
    const signed = JSON.stringify(toHex(driven.sign(contents, BOB, branch)));
    const { body: hash } = await post("/injection/operation", signed);
    const { body: operation } = await get(`${HEAD}/operations/3/0`);
    expect(operation).toMatchObject({ hash, contents: [{ script: { storage: zeros } }] });
    const { body: passes } = await get(`${HEAD}/operations`);
    expect(passes).toEqual([[], [], [], [operation]]);
    const ofPass = async (pass: string) => (await get(`${HEAD}/operations/${pass}`)).body;
    expect(await Promise.all(["0", "3", "03"].map(ofPass))).toEqual([[], [operation], [operation]]);
    const { body: block } = await get(HEAD);
    expect(Object.keys(block as object)).toEqual([
      ...["protocol", "chain_id", "hash", "header", "metadata", "operations"],
    ]);
    expect(block).toMatchObject({ operations: passes });
  });
});
