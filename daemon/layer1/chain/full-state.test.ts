// Memory is bounded: the state by a limit, the history by dropping old blocks.
import { describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, type DevelopmentAccount } from "../../protocol/constants.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../tezos/protocols.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { ALICE, BOB, type Draft, driveChain } from "../testing/driven-chain.ts";
import { genesisBlock, makeBlock } from "./block.ts";
import { History } from "./history.ts";

const [CAROL, DAVE] = [BOOTSTRAP_ACCOUNTS[3], BOOTSTRAP_ACCOUNTS[4]];

const LARGE: Draft = {
  kind: "origination",
  balance: "0",
  script: {
    code: parseMichelineText("{ parameter unit; storage (list nat); code { CDR; NIL operation; PAIR } }"),
    storage: Array.from({ length: 2_000 }, () => ({ int: "0" })),
  },
};
const transfer = (destination: string): Draft => ({ kind: "transaction", destination, amount: "1" });

describe("a full state", () => {
  it("refuses operations that would enlarge it, and accepts all others", async () => {
    const driven = driveChain({ maxStateBytes: 700_000 });
    const results: string[] = [];
    for (let i = 0; i < 6; i++) {
      try {
        await driven.apply(LARGE);
        results.push("applied");
      } catch (error) {
        expect(error).toBeInstanceOf(OperationRefused);
        results.push((error as OperationRefused).errors[0]!.id);
      }
    }
    expect(results[0]).toBe("applied");
    expect(results.at(-1)).toBe("sandbox.state_full");
    expect(results.indexOf("sandbox.state_full")).toBeLessThan(6);
    const before = driven.balance(BOB.address);
    await driven.apply(transfer(BOB.address));
    expect(driven.balance(BOB.address)).toBe(before + 1n);
    // The refused ones did not use up counters.
    expect(driven.chain.headContext.account(ALICE.address)?.counter).toBe(
      BigInt(results.filter((each) => each === "applied").length + 1),
    );
  });

  it("accepts no more operations of an account when those that wait for a block take much memory, until one is made", async () => {
    const driven = driveChain({});
    const long = {
      ...transfer(BOB.address),
      fee: "100000",
      parameters: { entrypoint: "default", value: Array.from({ length: 14_000 }, () => ({ prim: "Unit" })) },
    } as Draft;
    const inject = (account: DevelopmentAccount, draft = long): Promise<string> =>
      driven.chain.inject(driven.sign(driven.fill([draft], account), account));
    /** How many are taken before one is refused. */
    const fill = async (account: DevelopmentAccount): Promise<number> => {
      for (let taken = 0; taken < 200; taken++) {
        try {
          await inject(account);
        } catch (error) {
          expect((error as OperationRefused).errors[0]!.id).toBe("sandbox.pending_full");
          return taken;
        }
      }
      return expect.unreachable();
    };
    const taken = await fill(ALICE);
    expect(taken).toBeGreaterThan(10);
    // Half of the room is left to others, and after each of them there is some for the next.
    expect(await fill(BOB)).toBeGreaterThan(taken / 3);
    expect(await fill(CAROL)).toBeGreaterThan(taken / 6);
    await inject(DAVE);
    await inject(BOOTSTRAP_ACCOUNTS[5], transfer(BOB.address));
    driven.chain.bake();
    expect(driven.chain.pending).toEqual([]);
    await inject(ALICE);
  });

  it("accepts no more operations when the receipts of those that wait take much memory, until a block is made", async () => {
    const driven = driveChain({});
    const [made] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: {
        code: parseMichelineText("{ parameter unit; storage bytes; code { CDR; NIL operation; PAIR } }"),
        storage: { bytes: "00".repeat(15_000) },
      },
      fee: "200000",
    });
    const { originated_contracts } = made!.operation_result as { originated_contracts: readonly string[] };
    // Each receipt shows the storage.
    const one: Draft = { ...transfer(originated_contracts[0]!), amount: "0", gas_limit: "10000" } as Draft;
    const calls = Array.from({ length: 60 }, () => one);
    const outcomes = new Set<string>();
    for (let i = 0; i < 200 && !outcomes.has("sandbox.pending_full"); i++)
      outcomes.add(
        await driven.chain.inject(driven.sign(driven.fill(calls))).then(
          () => "taken",
          (error: unknown) => (error as OperationRefused).errors[0]!.id,
        ),
      );
    expect([...outcomes]).toEqual(["taken", "sandbox.pending_full"]);
    driven.chain.bake();
    expect(driven.chain.pending).toEqual([]);
    await driven.chain.inject(driven.sign(driven.fill(calls)));
  });

  it("counts the pending operations of the next block as well", async () => {
    const driven = driveChain({ maxStateBytes: 700_000 });
    const { level } = driven.chain.head;
    const results: string[] = [];
    for (let i = 0; i < 6; i++) {
      // Each uses the next counter although the one before may not be applied yet on a busy machine.
      const injected = driven.chain.inject(driven.sign(driven.fill([LARGE])));
      results.push(
        await injected.then(
          () => "taken",
          () => "refused",
        ),
      );
    }
    expect(results).toEqual(["taken", "taken", "taken", "refused", "refused", "refused"]);
    expect(driven.chain.head.level).toBe(level);
  });
});

describe("kept operations", () => {
  it("keep their contents and receipts", async () => {
    const driven = driveChain();
    const [applied] = await driven.apply(LARGE);
    const [operation] = driven.chain.head.operations;
    expect(operation!.contents[0]!.metadata).toEqual(applied);
    expect(operation!.contents[0]!.content).toMatchObject({ kind: "origination", script: LARGE.script });
  });
});

describe("the history", () => {
  it("drops old blocks when they grow too large, but never the latest", () => {
    const history = new History(genesisBlock(0n, protocolOf(DEFAULT_PROTOCOL)), 1_000);
    const levels: number[] = [];
    for (let level = 1; level <= 100; level++) {
      const block = makeBlock(history.head, BigInt(level), [], [], 0);
      levels.push(...history.push(block, 4 * 1024 * 1024));
    }
    expect(history.oldest).toBe(84);
    expect(levels).toEqual(Array.from({ length: 84 }, (_, level) => level));
    expect(history.at(84)).toBeDefined();
    expect(history.at(83)).toBeUndefined();
  });
});
