import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { type FollowedChain, followChain } from "./follow-chain.ts";
import type { Restored } from "./timeline.ts";

const ALICE = "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb";

/** A layer 1 with a few blocks of one transfer each. */
class Layer1 {
  readonly blocks = new Map<number, object>();
  readonly asked: string[] = [];
  /** Answers sent as they are, by URL. */
  readonly raw = new Map<string, string>();
  isBusy = false;
  readonly streams: ServerResponse[] = [];
  readonly server: Server = createServer((request, response) => {
    const url = request.url!;
    this.asked.push(url);
    if (url === "/monitor/heads/main") return void this.streams.push(response.writeHead(200));
    if (this.isBusy) return void response.writeHead(503).end();
    const raw = this.raw.get(url);
    if (raw !== undefined) return void response.end(raw);
    const found = this.#answer(url);
    response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? null));
  });

  #answer(url: string): unknown {
    const id = /^\/chains\/main\/blocks\/([^/]+)/.exec(url)?.[1];
    const block = this.blocks.get(id === "head" ? this.head : Number(id)) as { header: object } | undefined;
    if (url === "/chains/main/levels/savepoint") return { level: 1 };
    if (url.endsWith("/context/contracts")) return [];
    if (url.endsWith("/header")) return block && { ...block, ...block.header };
    return /\/blocks\/\d+$/.test(url) ? block : undefined;
  }

  get head(): number {
    return Math.max(...this.blocks.keys());
  }

  /** @param branch distinguishes blocks of one level */
  bake(level: number, branch = "", amount = "1"): void {
    const before = this.blocks.get(level - 1) as { hash: string } | undefined;
    const content = {
      kind: "transaction",
      source: ALICE,
      destination: ALICE,
      amount,
      metadata: { operation_result: { status: "applied" } },
    };
    this.blocks.set(level, {
      protocol: "P",
      chain_id: "N",
      hash: `B${level}${branch}`,
      header: { level, proto: 1, predecessor: before?.hash ?? "B0", timestamp: "2026-01-01T00:00:00Z" },
      operations: [[], [], [], [{ hash: `o${level}${branch}`, contents: [content] }]],
    });
  }
}

let layer1: Layer1;
let ended: AbortController;
let told: string[];
let reading: (number | undefined)[];
beforeEach(async () => {
  layer1 = new Layer1();
  ended = new AbortController();
  told = [];
  reading = [];
  await new Promise<void>((resolve) => layer1.server.listen(0, "127.0.0.1", resolve));
  for (let level = 1; level <= 5; level++) layer1.bake(level);
});
afterEach(async () => {
  ended.abort();
  layer1.server.closeAllConnections();
  await new Promise((resolve) => layer1.server.close(resolve));
});

function follow(
  options: { readonly restored?: readonly Restored[]; readonly skipped?: readonly number[] } = {},
): FollowedChain {
  return followChain({
    endpoint: `http://127.0.0.1:${(layer1.server.address() as AddressInfo).port}`,
    maxBlocks: 100,
    log: silentLog,
    signal: ended.signal,
    restored: [],
    skipped: [],
    ...options,
    onReading: (level) => void reading.push(level),
    onHead: ({ level, hash }) => void told.push(`${level} ${hash}`),
    onReorganisation: (level) => void told.push(`void after ${level}`),
  });
}
const levels = async (chain: FollowedChain): Promise<number[]> =>
  [...(await chain.upToDate()).operations].map(({ level }) => level);

it("catches up silently, then reports each block", async () => {
  const chain = follow();
  expect(await levels(chain)).toEqual([1, 2, 3, 4, 5]);
  layer1.bake(6);
  layer1.bake(7);
  expect(await levels(chain)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(told).toEqual(["6 B6", "7 B7"]);
});

describe("after a snapshot was restored", () => {
  it("reports the undone blocks, then the valid ones since", async () => {
    const chain = follow();
    await chain.upToDate();
    layer1.bake(6);
    await chain.upToDate();
    told.length = 0;
    // The state of level 3 came back with block 7.
    chain.restore({ level: 3, at: 7 });
    layer1.bake(7);
    layer1.bake(8);
    expect(await levels(chain)).toEqual([1, 2, 3, 7, 8]);
    expect(told).toEqual(["void after 3", "7 B7", "8 B8"]);
    layer1.bake(9);
    await chain.upToDate();
    expect(told.at(-1)).toBe("9 B9");
  });

  it("reports them even without a new block, and when the first rebuild failed", async () => {
    const chain = follow();
    await chain.upToDate();
    chain.restore({ level: 3, at: 5 });
    layer1.isBusy = true;
    await expect(chain.upToDate()).rejects.toThrow(expect.objectContaining({ code: "NETWORK_UNREACHABLE" }));
    expect(told).toEqual([]);
    layer1.isBusy = false;
    expect(await levels(chain)).toEqual([1, 2, 3, 5]);
    expect(told).toEqual(["void after 3", "5 B5"]);
  });
});

it("reports another chain and its blocks", async () => {
  const chain = follow();
  await chain.upToDate();
  for (const level of [4, 5, 6]) layer1.bake(level, "x");
  expect(await levels(chain)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(told[0]).toMatch(/^void after \d$/);
  expect(told.slice(-2)).toEqual(["5 B5x", "6 B6x"]);
});

it("skips no block because layer 1 was busy", async () => {
  const chain = follow();
  await chain.upToDate();
  layer1.bake(6);
  layer1.isBusy = true;
  await expect(chain.upToDate()).rejects.toThrow();
  layer1.isBusy = false;
  layer1.bake(7);
  expect(await levels(chain)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

describe("a block that cannot be read", () => {
  it("is skipped when it crashed the thread before, and the others are read", async () => {
    const chain = follow({ skipped: [3] });
    expect(await levels(chain)).toEqual([1, 2, 4, 5]);
    const index = await chain.upToDate();
    expect([...index.skipped]).toEqual([3]);
    expect([...index.blocks].map(({ hash }) => hash)).toEqual(["B1", "B2", "B3", "B4", "B5"]);
    expect(layer1.asked).not.toContain("/chains/main/blocks/3");
    expect(reading.filter((level) => level !== undefined)).toEqual([1, 2, 3, 4, 5]);
    expect(reading.at(-1)).toBeUndefined();
  });

  it("is skipped from then on when reading it throws", async () => {
    layer1.bake(3, "", "no number");
    const chain = follow();
    expect(await levels(chain)).toEqual([1, 2, 4, 5]);
    expect([...(await chain.upToDate()).skipped]).toEqual([3]);
    const asked = layer1.asked.length;
    layer1.bake(6);
    expect(await levels(chain)).toEqual([1, 2, 4, 5, 6]);
    expect(layer1.asked.slice(asked)).not.toContain("/chains/main/blocks/3");
  });

  it.each([
    ["nests too deeply", "[".repeat(1_000_000)],
    ["is too long", `{"operations":"${"x".repeat(25 * 1024 * 1024)}"}`],
    ["is no block", '{"header":{"level":"3"}}'],
    ["is not JSON", "<html>"],
  ])("is skipped when its answer %s, and no other is read again", async (_name, answer) => {
    layer1.raw.set("/chains/main/blocks/3", answer);
    const chain = follow();
    expect(await levels(chain)).toEqual([1, 2, 4, 5]);
    expect([...(await chain.upToDate()).skipped]).toEqual([3]);
    expect(layer1.asked.filter((url) => url === "/chains/main/blocks/2")).toHaveLength(1);
  });
});

it("says what is wrong with the answers of a node of another kind", async () => {
  for (const head of ["[".repeat(1_000_000), "<html>", '{"level":"__proto__","hash":[]}']) {
    layer1.raw.set("/chains/main/blocks/head/header", head);
    await expect(follow().upToDate()).rejects.toMatchObject({
      code: "ANSWER_MALFORMED",
      data: {
        url: expect.stringMatching(/head\/header$/),
        reason: expect.stringMatching(/expected|JSON|deep/),
      },
    });
  }
});
