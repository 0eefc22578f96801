// Random programs and values: every well-typed program is accepted and ends, with the same result each time and within
// the time that its gas pays for; every notation of a value reads as the same value. The long run
// (`npm run test:faults -- --long`, or FUNCTEZ_LONG=1) makes 100,000; FUNCTEZ_SEED sets the seed.
import { beforeAll, expect, it } from "vitest";
import { amount, LONG, SEED, seededRandom } from "../../../test/support/long-run.ts";
import { addressOf } from "../../tezos/address.ts";
import type { Content } from "../../tezos/content.ts";
import { loadBls } from "../../tezos/curves.ts";
import { toHex } from "../../tezos/hex.ts";
import { decodeMicheline, encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { decodeUnsigned, forgeOperation } from "../../tezos/operation-codec.ts";
import { loneFrame, SELF } from "../testing/lone-contract.ts";
import { randomScript } from "../testing/random-programs.ts";
import { type Random, below, randomType, randomValue, readValue } from "../testing/random-values.ts";
import { canonical, print } from "../testing/recorded-runs.ts";
import { GasMeter, noGasLimit } from "./gas.ts";
import { MichelsonError } from "./michelson-error.ts";
import { packValue } from "./pack.ts";
import { parseType } from "./parse-type.ts";
import { runScript } from "./run-script.ts";
import { parseScript, typecheckScript } from "./script.ts";
import { type Type, binaryType, plainType, sameType } from "./type.ts";
import { unparseValue } from "./unparse-value.ts";
import type { Value } from "./value.ts";

const COUNT = amount(600, 100_000);
/** Milligas per run. */
const GAS = 20_000_000;
/** Microseconds of processor time per gas unit over all runs: the rule is 3, the margin is for other load. */
const MOST_FOR_A_UNIT = LONG ? 3 : 12;

const SENDER = addressOf("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx");
const BRANCH = "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2";

interface Outcome {
  readonly gas: number;
  /** Error ids, or the storage. */
  readonly end: unknown;
}

function run(script: Micheline, storage: Type, parameter: Value, before: Value): Outcome {
  const gas = new GasMeter(GAS);
  const frame = loneFrame(gas, { sender: SENDER, source: SENDER, amount: 5n, balance: 7n });
  try {
    const job = runScript(parseScript(script), frame, parameter, before);
    for (;;) {
      const step = job.next();
      if (step.done) return { gas: gas.used, end: unparseValue(storage, step.value.storage, "optimized") };
    }
  } catch (error) {
    if (!(error instanceof MichelsonError)) throw error;
    return { gas: gas.used, end: error.errors.map(({ id }) => id) };
  }
}

const json = (value: unknown): string => JSON.stringify(value);

/** All notations of a value denote the same value. */
function checkValue(t: Type, written: Micheline): void {
  const value = readValue(t, written);
  const packed = toHex(packValue(t, value));
  for (const form of ["readable", "optimized", "packed"] as const) {
    const again = unparseValue(t, value, form);
    const read = readValue(t, again);
    expect(json(unparseValue(t, read, form))).toBe(json(again));
    expect(toHex(packValue(t, read))).toBe(packed);
    checkExpression(again);
  }
  const unpacked = readValue(t, decodeMicheline(Buffer.from(packed, "hex").subarray(1)));
  expect(toHex(packValue(t, unpacked))).toBe(packed);
}

/** Round trips of an expression through bytes and text. */
function checkExpression(node: Micheline): void {
  expect(json(decodeMicheline(encodeMicheline(node)))).toBe(json(node));
  expect(json(canonical(parseMichelineText(print(node))))).toBe(json(canonical(node)));
}

function checkType(t: Type): void {
  for (const written of [plainType(t), binaryType(t)]) {
    expect(sameType(parseType(written), t)).toBe(true);
    checkExpression(written);
  }
}

function checkForging(script: Micheline, storage: Micheline): void {
  const manager = { source: SENDER, fee: "1", counter: "2", gas_limit: "3", storage_limit: "4" };
  const contents: readonly Content[] = [
    { kind: "origination", ...manager, balance: "0", script: { code: script, storage } },
    {
      kind: "transaction",
      ...manager,
      amount: "5",
      destination: SELF,
      parameters: { entrypoint: "go", value: storage },
    },
  ];
  const forged = forgeOperation(BRANCH, contents);
  expect(json(decodeUnsigned(forged).contents)).toBe(json(contents));
}

interface Spent {
  microseconds: number;
  milligas: number;
  readonly ends: Map<string, number>;
}

function checkProgram(random: Random, spent: Spent): void {
  const { script, parameter, storage } = randomScript(random, 1 + below(random, 25));
  typecheckScript(script, noGasLimit(), false);
  const [argument, initial] = [randomValue(random, parameter), randomValue(random, storage)];
  const values = [readValue(parameter, argument), readValue(storage, initial)] as const;
  parseScript(script); // so that only the run is measured
  const { user, system } = process.cpuUsage();
  const outcome = run(script, storage, ...values);
  const after = process.cpuUsage();
  spent.microseconds += after.user + after.system - user - system;
  spent.milligas += outcome.gas;
  expect(json(run(script, storage, ...values))).toBe(json(outcome));
  const end =
    Array.isArray(outcome.end) && typeof outcome.end[0] === "string" ? String(outcome.end.at(-1)) : "done";
  spent.ends.set(end, (spent.ends.get(end) ?? 0) + 1);
  checkValue(storage, initial);
  checkExpression(script);
  checkForging(script, initial);
}

beforeAll(loadBls);

it(
  `${COUNT} random programs and values from the seed ${SEED}`,
  () => {
    const spent: Spent = { microseconds: 0, milligas: 0, ends: new Map() };
    for (let i = 0; i < COUNT; i++) {
      // Each has a seed of its own, with which it can be reproduced alone.
      const seed = SEED + i;
      const random = seededRandom(seed);
      try {
        checkProgram(random, spent);
        const t = randomType(random, 3);
        checkType(t);
        checkValue(t, randomValue(random, t));
      } catch (error) {
        throw new Error(`the program of seed ${seed}`, { cause: error });
      }
    }
    const each = spent.microseconds / (spent.milligas / 1000);
    console.log(
      `${COUNT} programs, seed ${SEED}: ${each.toFixed(2)} us for a gas unit; ` +
        [...spent.ends].map(([end, count]) => `${end} ${count}`).join(", "),
    );
    expect(each).toBeLessThan(MOST_FOR_A_UNIT);
    // Most must end without an error.
    expect(spent.ends.get("done") ?? 0).toBeGreaterThan(COUNT / 2);
  },
  LONG ? 3_600_000 : 60_000,
);
