import { beforeEach, describe, expect, it, vi } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { ChainIndex } from "../chain/chain-index.ts";
import type { FollowedChain } from "../chain/follow-chain.ts";
import type { BlockRow } from "../chain/index-rows.ts";
import { PackedNode } from "../chain/packed-node.ts";
import { ShownValue } from "../chain/shown-value.ts";
import { OneLongAnswer } from "../query/long-answers.ts";
import { Turns } from "../query/turns.ts";
import { answer, type Answering } from "./answer.ts";

const ALICE = "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb";
const CONTRACT = "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ";
const HASH = "oo1111111111111111111111111111111111111111111111111";

/** Names of 250 characters: 3 characters of a value become 300 of text. */
const FIELDS = Array.from({ length: 50 }, (_, i) => ({ prim: "unit", annots: [`%${"x".repeat(250)}${i}`] }));
const RECORD = { prim: "Pair", args: Array.from({ length: 50 }, () => ({ prim: "Unit" })) };
const TYPE = { prim: "list", args: [{ prim: "pair", args: FIELDS }] };
/** A value of 1.3 MB, made of 5,000 nodes. */
const VALUE = Array.from({ length: 100 }, () => RECORD);

let index: ChainIndex;
let answering: Answering;
beforeEach(() => {
  index = new ChainIndex(1_000);
  const ask = (path: string): Promise<unknown> =>
    Promise.resolve(path.endsWith("/storage") ? Array.from({ length: 1_000 }, () => RECORD) : "5");
  const chain: FollowedChain = {
    index: () => index,
    upToDate: () => Promise.resolve(index),
    ask,
    restore: () => undefined,
  };
  answering = { chain, turns: new Turns(), longAnswers: new OneLongAnswer() };
});

interface Body {
  readonly error: { readonly code: string; readonly next: string };
}
/** An answer as text: an answer of megabytes takes longer to parse than to make. */
async function getText(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const { status, body, onDelivered } = await answer(answering, url);
  await new Promise((resolve) => setImmediate(resolve)); // as when the other thread receives it
  onDelivered();
  return { status, body };
}
async function get(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, body } = await getText(url);
  return { status, body: body === "" ? undefined : (JSON.parse(body) as unknown) };
}
const codeOf = async (url: string): Promise<string> => ((await get(url)).body as Body).error.code;

function addContract(address = CONTRACT): void {
  const code = [
    { prim: "parameter", args: [{ prim: "unit" }] },
    { prim: "storage", args: [TYPE] },
  ];
  index.addContract(
    address,
    { code, storage: [] },
    { level: 1, time: "2026-01-01T00:00:00Z", creator: { address: ALICE } },
  );
}
function addCalls(count: number): void {
  const { script } = index.contracts.get(CONTRACT)!;
  for (let i = 0; i < count; i++)
    index.addOperation({
      type: "transaction",
      id: index.nextId(),
      level: 1,
      timestamp: "2026-01-01T00:00:00Z",
      block: "B",
      hash: HASH,
      counter: i,
      sender: { address: ALICE },
      target: { address: CONTRACT },
      status: "applied",
      storage: new ShownValue(script.storage, VALUE),
    });
  index.endBlock({ level: 1, hash: "B", timestamp: "2026-01-01T00:00:00Z", fees: 0n } as BlockRow);
}

describe("an answer above the limit", () => {
  beforeEach(() => {
    addContract();
    addCalls(50);
  });
  it.each([
    `contracts/${CONTRACT}/storage`,
    `contracts/${CONTRACT}/storage/history?limit=1000`,
    `operations/${HASH}`,
    `operations/transactions/${HASH}`,
    "operations/transactions",
    "operations/transactions?select=storage",
    "operations/transactions?micheline=1",
    `accounts/${ALICE}/operations`,
    "blocks/1?operations=true",
  ])("is rejected early, with the next step: %s", async (url) => {
    const begun = processorTime();
    const { status, body } = await get(url);
    expect(processorTime() - begun).toBeLessThan(1_000);
    expect([status, (body as Body).error.code]).toEqual([422, "ANSWER_TOO_LARGE"]);
    expect((body as Body).error.next).toMatch(/limit.*select/);
  });

  it("can be read page by page", async () => {
    expect((await get(`contracts/${CONTRACT}/storage/history?limit=5`)).body).toHaveLength(5);
    expect((await get("operations/transactions?select=hash,level")).body).toHaveLength(50);
  });

  it("does not delay others, even a hundred at once", async () => {
    const long = Array.from({ length: 100 }, (_, i) =>
      getText(`operations/transactions?limit=2&offset=${i % 40}`),
    );
    for (let i = 0; i < 10; i++) {
      const begun = processorTime();
      expect((await get("head")).status).toBe(200);
      expect(processorTime() - begun).toBeLessThan(1_000);
    }
    const statuses = (await Promise.all(long)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 60_000);
});

describe("filters of values", () => {
  const events = (count: number, nodes: number): void => {
    for (let i = 0; i < count; i++)
      index.addEvent({
        id: index.nextId(),
        level: 1,
        timestamp: "2026-01-01T00:00:00Z",
        contract: { address: CONTRACT },
        codeHash: 0,
        tag: "t",
        payload: new ShownValue(
          new PackedNode(TYPE),
          Array.from({ length: nodes }, () => RECORD),
        ),
        transactionId: 0,
        type: null,
      });
    index.endBlock({ level: 1, fees: 0n } as BlockRow);
  };
  const sixty = Array.from({ length: 60 }, (_, i) => `payload.[0].k${i}.ne=1`).join("&");

  it("convert each value once, however many there are", async () => {
    events(5, 3);
    const human = vi.spyOn(ShownValue.prototype, "human");
    const { body } = await get(`contracts/events/count?${sixty}&anyof.${"payload.".repeat(28)}ne=zz`);
    expect(body).toBe(5);
    expect(human).toHaveBeenCalledTimes(5);
    human.mockRestore();
  });

  it("that take too long fail with an error code, and delay nobody", async () => {
    events(2_000, 100);
    const begun = processorTime();
    const slow = [`contracts/events/count?${sixty}`, "contracts/events?payload.[*].x=1&limit=1"].map(codeOf);
    const heads: number[] = [];
    let isDone = false;
    void Promise.all(slow).then(() => (isDone = true));
    while (!isDone) {
      const request = processorTime();
      expect((await get("head")).status).toBe(200);
      heads.push(processorTime() - request);
    }
    expect(await Promise.all(slow)).toEqual(["QUERY_TOO_SLOW", "QUERY_TOO_SLOW"]);
    expect(processorTime() - begun).toBeLessThan(5_000);
    expect(Math.max(...heads)).toBeLessThan(1_000);
  });
});

it("lists contracts with one pass over the rows that it counts", async () => {
  const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  const address = (i: number): string =>
    `KT1${letters[i % 58]}${letters[Math.floor(i / 58)]}${"a".repeat(31)}`;
  for (let i = 0; i < 3_000; i++) {
    addContract(address(i));
    const token = {
      id: i,
      contract: { address: address(i) },
      tokenId: "0",
      standard: "fa2",
      totalMinted: 1n,
      totalBurned: 0n,
    };
    index.addToken(`${address(i)}/0`, token as never);
    index.addBalance(`${ALICE}/${i}`, {
      account: { address: address(i) },
      token,
      balance: 1n,
      transfersCount: 2,
    } as never);
  }
  for (let i = 0; i < 20_000; i++)
    index.addEvent({
      id: i,
      level: 1,
      contract: { address: address(i % 2) },
      payload: null,
      type: null,
    } as never);
  index.endBlock({ level: 1, fees: 0n } as BlockRow);
  const { status, body } = await get("contracts?limit=3000");
  expect(status).toBe(200);
  expect((body as object[]).length).toBe(3_000);
  expect((body as object[])[0]).toMatchObject({
    balance: 5,
    eventsCount: 10_000,
    tokensCount: 1,
    activeTokensCount: 1,
    tokenTransfersCount: 2,
    numContracts: 0,
  });
});

it("reports that keys of a big map were forgotten, and where to read them", async () => {
  addContract();
  index.addBigMap({
    ptr: 3,
    contract: { address: CONTRACT },
    keys: { values: () => [], get: () => undefined },
    hasForgotten: true,
  } as never);
  const { status, body } = await get("bigmaps/3/keys");
  expect([status, (body as Body).error.code]).toEqual([410, "HISTORY_FORGOTTEN"]);
  expect((body as Body).error.next).toContain("/context/big_maps/3/");
  expect(await codeOf("bigmaps/3/keys/a")).toBe("HISTORY_FORGOTTEN");
});

it("lists the blocks that were skipped", async () => {
  index.skipped.add(7);
  expect((await get("head")).body).toMatchObject({ skippedLevels: [7] });
});
