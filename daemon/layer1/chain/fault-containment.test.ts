// Whatever an operation does, its block and the following ones are made.
import { describe, expect, it, vi } from "vitest";
import { addressOf } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import type { Decoded } from "../../tezos/operation-codec.ts";
import type { Account } from "../state/context.ts";
import { Layer, type StateReader } from "../state/store.ts";
import type { Draft } from "../testing/driven-chain.ts";
import { ALICE, BOB, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import { HOSTILE_CODE, hostileScript } from "../testing/hostile-scripts.ts";
import { Turns } from "../turns.ts";
import { Producer } from "./producer.ts";

const MICHELSON_UNIT = { prim: "Unit" } as const;
const MOST_GAS = { gas_limit: "1040000", fee: "200000" };

async function originate(driven: DrivenChain, code: string): Promise<string> {
  const [made] = await driven.apply({
    kind: "origination",
    balance: "0",
    script: { code: hostileScript(code), storage: MICHELSON_UNIT },
  });
  const { operation_result: result } = made!;
  expect(result).toMatchObject({ status: "applied" });
  return (result as unknown as { originated_contracts: readonly string[] }).originated_contracts[0]!;
}

const callOf = (destination: string): Draft => ({
  kind: "transaction",
  destination,
  amount: "0",
  ...MOST_GAS,
});
const transfer: Draft = { kind: "transaction", destination: ALICE.address, amount: "1" };

/** Short up to this second; runs `later` after it. */
const afterNoon = (noon: bigint, later: string): string =>
  `PUSH timestamp ${noon}; NOW; COMPARE; GT; IF { ${later} } {}`;

const LONG = "PUSH bool True; LOOP { PUSH bool True }";
const NESTED = `PUSH int 30000; LAMBDA unit unit {}; SWAP; DUP; GT;
  LOOP { PUSH int -1; ADD; DIP { LAMBDA (pair (lambda unit unit) unit) unit { UNPAIR; SWAP; EXEC }; SWAP; APPLY }; DUP; GT };
  DROP; PACK; DROP`;

describe("a block closed in a later second", () => {
  it("applies its operations at its own time", async () => {
    const driven = driveChain();
    const contract = await originate(driven, afterNoon(driven.now, "UNIT; FAILWITH"));
    await driven.chain.inject(driven.sign(driven.fill([callOf(contract)])));
    driven.now += 1n;
    const { operations, timestamp } = driven.chain.bake();
    expect(timestamp).toBe(driven.now);
    expect(errorIds(operations[0]!.contents[0]!.metadata.operation_result)).toEqual([
      "michelson_v1.runtime_error",
      "michelson_v1.script_rejected",
    ]);
  });

  it("contains a failure when an operation then needs too much gas, and keeps the fee", async () => {
    const driven = driveChain();
    const contract = await originate(driven, afterNoon(driven.now, NESTED));
    const before = driven.balance(ALICE.address);
    await driven.chain.inject(driven.sign(driven.fill([{ ...callOf(contract), gas_limit: "1040000" }])));
    driven.now += 1n;
    const { operations } = driven.chain.bake();
    const ids = errorIds(operations[0]!.contents[0]!.metadata.operation_result);
    expect([ids[0], ids.at(-1)]).toEqual(["michelson_v1.runtime_error", "gas_exhausted.operation"]);
    expect(driven.balance(ALICE.address)).toBe(before - 200_000n);
    await driven.apply(transfer, BOB);
    expect(driven.faults).toEqual([]);
  });

  it("keeps the earlier second when operations take too long at its own", async () => {
    const driven = driveChain();
    const noon = driven.now;
    const contract = await originate(driven, afterNoon(noon, LONG));
    await driven.chain.inject(driven.sign(driven.fill([callOf(contract)])));
    driven.now += 1n;
    const { operations, timestamp } = driven.chain.bake();
    expect(timestamp).toBe(noon);
    expect(operations[0]!.contents[0]!.metadata.operation_result).toMatchObject({ status: "applied" });
    expect(driven.chain.bake().timestamp).toBe(driven.now);
  });

  it("does not reapply operations that did not read the time", async () => {
    const driven = driveChain();
    const contract = await originate(driven, "UNIT; DROP");
    await driven.chain.inject(driven.sign(driven.fill([callOf(contract)])));
    const { layer } = driven.chain.nextBlock;
    driven.now += 1n;
    const { operations, timestamp } = driven.chain.bake();
    expect([operations.length, timestamp]).toEqual([1, driven.now]);
    expect(driven.chain.contextAt(driven.chain.head).account(contract)).toBe(layer.get(`a:${contract}`));
  });
});

/** Milliseconds of processor time of this process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
/** Turns that count processor time twentyfold, so that long jobs are interrupted after a quarter of a second of it. */
const hastyTurns = (): Turns => new Turns({ now: () => 20 * processorMs(), nextTurn: setImmediate });

describe("the chain continues", () => {
  it.each(Object.entries(HOSTILE_CODE))("after an operation with: %s", async (_name, code) => {
    const driven = driveChain({ turns: hastyTurns() });
    const [made] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: hostileScript(code), storage: MICHELSON_UNIT },
      ...MOST_GAS,
    });
    const created = (made!.operation_result as { originated_contracts?: readonly string[] })
      .originated_contracts;
    if (created) {
      const [called] = await driven.apply(callOf(created[0]!));
      // All but the one that returns fail, with an error of the protocol or the sandbox.
      if (!code.includes("20000")) expect(errorIds(called!.operation_result)).not.toEqual([]);
    } else {
      expect(errorIds(made!.operation_result)).toContain("michelson_v1.type_too_large");
    }
    const [after] = await driven.apply(transfer, BOB);
    expect(after!.operation_result).toMatchObject({ status: "applied" });
    expect(driven.faults).toEqual([]);
  });

  it("after an unexpected exception in an operation, which fails and is reported", async () => {
    const broken = new TypeError("a mistake");
    const driven = driveChain({
      rollup: {
        address: addressOf("sr163Lv22CdE8QagCwf48PWDTquk6isQwv57"),
        parameter: () => {
          throw broken;
        },
        outboxMessage: () => {
          throw broken;
        },
      },
    });
    const [metadata] = await driven.apply({
      kind: "smart_rollup_execute_outbox_message",
      rollup: "sr163Lv22CdE8QagCwf48PWDTquk6isQwv57",
      cemented_commitment: "src12UJzB8mg7yU6nWPzicH7ofJbFjyJEbHvwtZdfRXi8DQHNp1LY8",
      output_proof: "00",
    });
    expect(errorIds(metadata!.operation_result)).toEqual(["sandbox.internal_error"]);
    expect(driven.faults).toEqual([broken]);
    await driven.apply(transfer, BOB);
  });

  it("when a block listener throws, and notifies the others", async () => {
    const driven = driveChain();
    const heard: number[] = [];
    driven.chain.onBlock(() => {
      throw new TypeError("a listener");
    });
    driven.chain.onBlock(({ level }) => heard.push(level));
    driven.chain.onAccepted(() => {
      throw new TypeError("another listener");
    });
    await driven.apply(transfer, BOB);
    driven.chain.bake();
    expect(heard).toEqual([3, 4]);
    expect(driven.faults).toHaveLength(3);
  });

  it("with a block made while a long operation is applied, which restarts on top of it", async () => {
    // Each reading of this clock takes a millisecond, so that durations do not depend on the machine.
    let milliseconds = 0;
    const driven = driveChain({ turns: new Turns({ now: () => ++milliseconds, nextTurn: setImmediate }) });
    const contract = await originate(
      driven,
      "PUSH int 300000; DUP; GT; LOOP { PUSH int -1; ADD; DUP; GT }; DROP",
    );
    const injected = driven.chain.inject(driven.sign(driven.fill([callOf(contract)])));
    const other = driven.chain.inject(driven.sign(driven.fill([transfer], BOB), BOB));
    await other;
    const first = driven.chain.bake();
    expect(first.operations.map(({ contents }) => contents[0]!.content.source)).toEqual([BOB.address]);
    const hash = await injected;
    const second = driven.chain.bake();
    expect(second.operations.map((operation) => operation.hash)).toEqual([hash]);
    expect(second.operations[0]!.contents[0]!.metadata.operation_result).toMatchObject({ status: "applied" });
    expect(driven.chain.contextAt(second).account(ALICE.address)!.counter).toBe(2n);
  });

  it("and a shared state stays unchanged while others are written", async () => {
    const driven = driveChain();
    const balanceIn = (state: StateReader): bigint => (state.get(`a:${ALICE.address}`) as Account).balance;
    const atHead = driven.chain.stateAt(driven.chain.head);
    await driven.chain.inject(driven.sign(driven.fill([transfer], BOB), BOB));
    const underWay = driven.chain.nextBlock.share();
    const before = [balanceIn(atHead), balanceIn(underWay)];
    expect(before[1]).toBe(before[0]! + 1n);
    await driven.chain.inject(driven.sign(driven.fill([transfer], BOB), BOB));
    await driven.chain.inject(driven.sign(driven.fill([transfer], BOB), BOB));
    driven.chain.bake();
    await driven.apply(transfer, BOB);
    expect([balanceIn(atHead), balanceIn(underWay)]).toEqual(before);
    expect(driven.balance(ALICE.address)).toBe(before[0]! + 4n);
  });
});

describe("a block of many operations", () => {
  it("is made although somebody read the state before each of them", () => {
    const driven = driveChain();
    const next = driven.chain.nextBlock;
    const contents = driven.fill([transfer]);
    for (let i = 0; i < 20_000; i++) {
      next.share();
      const layer = new Layer(next.layer);
      layer.set(`k${i}`, i);
      const hashBytes = blake2b256(`operation ${i}`);
      const hash = encodeBase58("operationHash", hashBytes);
      const signature = new Uint8Array(64);
      const operation: Decoded = {
        branch: driven.chain.head.hash,
        contents: [{ ...contents[0], counter: `${i}` }],
        signature,
        unsigned: new Uint8Array(),
      };
      next.include(
        { operation, hash, hashBytes },
        { contents: [], layer, readsTime: false, receiptBytes: 0 },
      );
    }
    expect(driven.chain.bake().operations).toHaveLength(20_000);
    const state = driven.chain.stateAt(driven.chain.head);
    expect([0, 1, 10_000, 19_999].map((i) => state.get(`k${i}`))).toEqual([0, 1, 10_000, 19_999]);
  });
});

it("values and code may be as deep as can be read back, and no deeper", async () => {
  const driven = driveChain();
  const somes = (count: number): string =>
    `UNIT; ${Array<string>(count).fill("SOME").join("; ")}; PACK; DROP`;
  const [fits, tooDeep] = [await originate(driven, somes(990)), await originate(driven, somes(1_010))];
  expect((await driven.apply(callOf(fits)))[0]!.operation_result).toMatchObject({ status: "applied" });
  expect(errorIds((await driven.apply(callOf(tooDeep)))[0]!.operation_result)).toEqual([
    "michelson_v1.runtime_error",
    "michelson_v1.unparsing_stack_overflow",
  ]);
});

it("settling ends although a waiting operation needs longer than a block grants it", async () => {
  let milliseconds = 0;
  const turns = new Turns({ now: () => ++milliseconds, nextTurn: setImmediate });
  const driven = driveChain({ strict: true, turns });
  const contract = await originate(
    driven,
    "PUSH int 300000; DUP; GT; LOOP { PUSH int -1; ADD; DUP; GT }; DROP",
  );
  const producer = new Producer(driven.chain, {
    timing: "interval",
    blockTimeMs: 3_600_000,
    onError: (error) => void driven.faults.push(error),
  });
  // The first one's gas limit fills the block, so the second one waits.
  await driven.chain.inject(driven.sign(driven.fill([{ ...transfer, ...MOST_GAS }], BOB), BOB));
  const hash = await driven.chain.inject(driven.sign(driven.fill([callOf(contract)])));
  producer.settle();
  expect(driven.chain.pending.map((accepted) => accepted.hash)).toEqual([hash]);
  // It enters the next block on its own, once it has the chain to itself.
  await vi.waitFor(() => expect(driven.chain.nextBlock.pending.has(hash)).toBe(true), { timeout: 20_000 });
  expect(driven.chain.bake().operations.map((operation) => operation.hash)).toEqual([hash]);
  expect([driven.chain.pending, driven.faults]).toEqual([[], []]);
});
