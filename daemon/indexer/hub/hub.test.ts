import { beforeEach, describe, expect, it } from "vitest";
import { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow } from "../chain/index-rows.ts";
import { ShownValue } from "../chain/shown-value.ts";
import { Turns } from "../query/turns.ts";
import { Hub } from "./hub.ts";

const END = "\u001e";
const ALICE = "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb";

let index: ChainIndex;
let hub: Hub;
let sent: { readonly id: number; readonly message: Record<string, unknown> }[];
let ended: number[];
let flushes: number;
beforeEach(() => {
  index = new ChainIndex(100);
  [sent, ended, flushes] = [[], [], 0];
  hub = new Hub({
    index: () => index,
    upToDate: () => Promise.resolve(),
    send: (id, text) => {
      for (const record of text.split(END).slice(0, -1))
        sent.push({ id, message: JSON.parse(record) as Record<string, unknown> });
    },
    end: (id) => void ended.push(id),
    flush: () => {
      flushes++;
      return Promise.resolve();
    },
    turns: new Turns(),
  });
});

async function settle(): Promise<void> {
  for (let last = -1; last !== sent.length;) {
    last = sent.length;
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  }
}
async function join(id: number, ...calls: readonly [target: string, parameters?: object][]): Promise<void> {
  hub.hear(id, `{"protocol":"json","version":1}${END}`);
  for (const [target, parameters] of calls)
    hub.hear(
      id,
      `${JSON.stringify({ type: 1, invocationId: "1", target, arguments: parameters ? [parameters] : [] })}${END}`,
    );
  await settle();
}
const messagesTo = (id: number): unknown[] =>
  sent
    .filter((each) => each.id === id && each.message["type"] === 1)
    .map(({ message }) => [message["target"], (message["arguments"] as object[])[0]]);

/** Makes a block with operations whose storages have the given length. */
function block(level: number, operations = 1, characters = 10): BlockRow {
  for (let i = 0; i < operations; i++)
    index.operations.push({
      type: "transaction",
      id: index.nextId(),
      level,
      sender: { address: ALICE },
      storage: new ShownValue(undefined, { string: "x".repeat(characters) }),
    } as never);
  const row = { level, hash: `B${level}`, timestamp: "2026-01-01T00:00:00Z", fees: 0n } as BlockRow;
  index.endBlock(row);
  return row;
}

describe("sends subscribers", () => {
  it("the current state, then each block in order with the head of that time", async () => {
    block(1);
    await join(1, ["SubscribeToHead"], ["SubscribeToOperations", { address: ALICE }]);
    await join(2, ["SubscribeToBlocks"]);
    for (const level of [2, 3]) hub.publish(block(level));
    await settle();
    expect(messagesTo(1)).toMatchObject([
      ["head", { type: 0, state: 1 }],
      ["operations", { type: 0, state: 1 }],
      ["head", { type: 1, state: 2, data: { level: 2 } }],
      ["operations", { type: 1, state: 2, data: [{ level: 2 }] }],
      ["head", { type: 1, state: 3, data: { level: 3 } }],
      ["operations", { type: 1, state: 3, data: [{ level: 3 }] }],
    ]);
    expect(messagesTo(2)).toMatchObject([
      ["blocks", { type: 0 }],
      ["blocks", { state: 2 }],
      ["blocks", { state: 3 }],
    ]);
  });

  it("one reorganisation message per channel, in order with the blocks", async () => {
    await join(1, ["SubscribeToOperations"], ["SubscribeToOperations", { address: ALICE }]);
    hub.publish(block(1));
    hub.reorganise(0);
    hub.publish(block(2));
    await settle();
    expect(messagesTo(1).slice(2)).toMatchObject([
      ["operations", { type: 1, state: 1 }],
      ["operations", { type: 1, state: 1 }],
      ["operations", { type: 2, state: 0 }],
      ["operations", { type: 1, state: 2 }],
      ["operations", { type: 1, state: 2 }],
    ]);
  });

  it("no message that is too long for a connection", async () => {
    await join(1, ["SubscribeToOperations"], ["SubscribeToBlocks"]);
    hub.publish(block(1, 3, 1024 * 1024));
    await settle();
    expect(messagesTo(1).slice(2)).toMatchObject([["blocks", { type: 1, state: 1 }]]);
    expect(ended).toEqual([]);
  });
});

describe("clients", () => {
  it("that send invalid messages or skip the handshake are disconnected", async () => {
    hub.hear(1, "nothing");
    hub.hear(2, `{"type":1,"target":"SubscribeToHead","arguments":[]}${END}`);
    await settle();
    expect(ended).toEqual([1, 2]);
  });

  it("that subscribe to the same rows in many ways lose their connection, and nobody else does", async () => {
    const many = Array.from({ length: 64 }, (_, i): [string, object] => [
      "SubscribeToOperations",
      { address: ALICE, types: `transaction,${i}` },
    ]);
    await join(1, ...many);
    await join(2, ["SubscribeToBlocks"]);
    hub.publish(block(1, 1, 1024 * 1024));
    await settle();
    expect(ended).toEqual([1]);
    expect(messagesTo(2).at(-1)).toMatchObject(["blocks", { type: 1, state: 1 }]);
    expect(flushes).toBeGreaterThan(2); // it waits for the servers' thread
  });

  it("that subscribe more than 64 times at once get an error for each further one", async () => {
    const many = Array.from({ length: 200 }, (_, i): [string, object] => [
      "SubscribeToOperations",
      { types: `${i}` },
    ]);
    await join(1, ...many, ...many.slice(0, 10)); // those that it has count once
    const answers = sent.filter(({ message }) => message["type"] === 3);
    expect(answers.filter(({ message }) => "error" in message)).toHaveLength(136);
    expect(answers.filter(({ message }) => "result" in message)).toHaveLength(74);
  });

  it("that subscribe with long parameters get an error before these take much memory", async () => {
    const many = Array.from({ length: 64 }, (_, i): [string, object] => [
      "SubscribeToBigMaps",
      { tags: Array.from({ length: 50 }, () => `${i}`.padEnd(1_000, "x")) },
    ]);
    await join(1, ...many);
    const answers = sent.filter(({ message }) => message["type"] === 3);
    expect(answers.filter(({ message }) => "result" in message)).toHaveLength(1);
  });
});
