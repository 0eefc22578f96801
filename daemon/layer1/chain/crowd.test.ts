// Strangers with many accounts, who fill all that accepts operations: what keeps the room for others.
import { afterEach, describe, expect, it, vi } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BOOTSTRAP_BALANCE, type DevelopmentAccount } from "../../protocol/constants.ts";
import { randomSecretKey } from "../../tezos/keys.ts";
import { type OperationRefused } from "../operations/operation-refused.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { Turns } from "../turns.ts";
import { Producer } from "./producer.ts";
import { WaitingRoom } from "./waiting-room.ts";

const STRANGERS = Array.from({ length: 60 }, (_one, i): DevelopmentAccount => {
  const { text, publicKey } = randomSecretKey();
  return { label: `stranger${i}`, address: publicKey.address, publicKey: publicKey.text, secretKey: text };
});
const accounts = [...BOOTSTRAP_ACCOUNTS, ...STRANGERS].map(({ address, publicKey }) => ({
  ...{ address, publicKey },
  balance: BOOTSTRAP_BALANCE.toString(),
}));
const TRANSFER: Draft = { kind: "transaction", destination: BOB.address, amount: "1", fee: "20000" };
/** More than a megabyte of memory. */
const LARGE: Draft = {
  ...TRANSFER,
  fee: "150000",
  parameters: { entrypoint: "default", value: Array.from({ length: 14_000 }, () => ({ prim: "Unit" })) },
};
const BLOCK_OF_GAS = { gas_limit: "1040000", fee: "150000" };

/** "taken", or the id of the error. */
const inject = ({ chain, fill, sign }: DrivenChain, draft: Draft, from = ALICE): Promise<string> =>
  chain.inject(sign(fill([draft], from), from)).then(
    () => "taken",
    (error: unknown) => (error as OperationRefused).errors[0]!.id,
  );
const sources = ({ chain }: DrivenChain): unknown[] =>
  chain.head.operations.map(({ contents }) => contents[0]!.content.source);

describe("a strict chain", () => {
  it("puts the operation that pays most for its gas into the next block, however many wait", async () => {
    const driven = driveChain({ accounts, strict: true });
    for (const stranger of STRANGERS) await inject(driven, { ...TRANSFER, ...BLOCK_OF_GAS }, stranger);
    expect(await inject(driven, { ...TRANSFER, fee: "20000", gas_limit: "100000" })).toBe("taken");
    driven.chain.bake(); // the first stranger's, which was applied before
    driven.chain.bake();
    expect(sources(driven)).toContain(ALICE.address);
  });

  it("tries only what fits into a block, however many wait", async () => {
    const turns = new Turns({ now: () => performance.now(), nextTurn: setImmediate });
    const tried = vi.spyOn(turns, "attempt");
    const driven = driveChain({ accounts, strict: true, turns });
    for (const stranger of STRANGERS) await inject(driven, { ...TRANSFER, ...BLOCK_OF_GAS }, stranger);
    tried.mockClear();
    driven.chain.bake();
    expect(tried).toHaveBeenCalledTimes(1);
    expect(driven.chain.pending).toHaveLength(STRANGERS.length - 1);
  });

  it("drops those that pay least when too many wait, and none for one that pays less", async () => {
    const driven = driveChain({ accounts, strict: true });
    const outcomes: string[] = [];
    for (const stranger of STRANGERS)
      outcomes.push(await inject(driven, { ...LARGE, gas_limit: "1040000" }, stranger));
    expect(new Set(outcomes)).toEqual(new Set(["taken", "sandbox.pending_full"]));
    const before = driven.chain.pending;
    const worse = { ...TRANSFER, fee: "110000", gas_limit: "1040000" };
    expect(await inject(driven, worse, BOB)).toBe("sandbox.pending_full");
    expect(driven.chain.pending).toEqual(before);
    expect(await inject(driven, TRANSFER)).toBe("taken");
    expect(driven.chain.pending).toHaveLength(before.length);
    driven.chain.bake();
    driven.chain.bake();
    expect(sources(driven)).toContain(ALICE.address);
  });
});

describe("blocks by time", () => {
  afterEach(() => void vi.useRealTimers());

  it("come before their time when many accounts fill one, so that others have room", async () => {
    vi.useFakeTimers();
    const driven = driveChain({ accounts });
    const onError = (error: unknown): never => {
      throw error;
    };
    const producer = new Producer(driven.chain, { timing: "interval", blockTimeMs: 3_600_000, onError });
    producer.start();
    const { level } = driven.chain.head;
    for (const stranger of STRANGERS) {
      expect(await inject(driven, LARGE, stranger)).toBe("taken");
      void producer.accepted(driven.chain.pending.at(-1)!.hash);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await inject(driven, TRANSFER)).toBe("taken");
    expect(driven.chain.head.level).toBe(level + 1);
    // The owner's pause holds nevertheless.
    producer.pause();
    for (let i = 0; i < STRANGERS.length && !driven.chain.isNextBlockFull; i++) {
      await inject(driven, LARGE, STRANGERS[i]);
      void producer.accepted(driven.chain.pending.at(-1)!.hash);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(driven.chain.isNextBlockFull).toBe(true);
    expect(driven.chain.head.level).toBe(level + 1);
    producer.stop();
  });
});

describe("the room for operations with a future counter", () => {
  it("has place for a small one, however many large ones wait", async () => {
    const room = new WaitingRoom(60_000);
    const large = Array.from({ length: 600 }, () => room.waitFor("tz1stranger", 1_000n, 32_768));
    const small = room.waitFor("tz1alice", 1n, 300);
    room.accepted("tz1alice", 1n);
    expect(await small).toBe(true);
    // One of the large ones gave way; those beyond the limit never waited.
    room.accepted("tz1stranger", 1_000n);
    const outcomes = await Promise.all(large);
    expect(outcomes.filter(Boolean)).toHaveLength(511);
  });
});
