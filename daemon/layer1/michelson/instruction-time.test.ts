// Measures the time of instructions against their gas. The rule is at most 3 us of processor time per gas unit, whatever
// the arguments: a gas unit is about a microsecond of the machine on which the protocol's costs were measured. Exceptions
// are listed here; scripts that use them are bounded by the processor time of an operation. The normal run leaves a margin
// for shared processors; the long one (FUNCTEZ_LONG=1) applies the rule itself.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as FROM_SOURCE from "../../../bench/michelson-time.ts";
import { importBundled } from "../../../tools/bundle.mjs";
import { INSTRUCTION_LOOPS } from "../testing/instruction-loops.ts";
import { SUPPORTED_INSTRUCTIONS } from "./check.ts";

const LONG = process.env["FUNCTEZ_LONG"] === "1";
/** Microseconds of processor time per gas unit. */
const RULE = 3;
const ROOM = LONG ? 1 : 8;
/** Instructions that are about as slow as the rule allows, and slower on a slow machine: curves without native code here,
 * code that is read, trees of thousands of elements, and division of the longest numbers, whose gas does not pay for the
 * products that it needs.
 */
const AT_THE_LIMIT =
  /^CHECK_SIGNATURE (?:of|\(BLS\))|^PAIRING_CHECK|^UPDATE|^GET_AND_UPDATE|^UNPACK|\(Fr\)|^EDIV of 8700 /;
const MOST_AT_THE_LIMIT = 4;
const mostFor = (name: string): number => ROOM * (AT_THE_LIMIT.test(name) ? MOST_AT_THE_LIMIT : RULE);

/** Enough of each loop for the clock, and in the long run for the JIT compiler. */
const MEASURED_US = LONG ? 15_000 : 3_000;
/** The best counts: what else the machine does in the others is not the instruction's. */
const TRIES = LONG ? 100 : 30;
/** The rule is for the product: the test runner's modules are some 10 % slower than the bundle, which takes time to make. */
const loadMeasured = (): Promise<typeof FROM_SOURCE> =>
  LONG
    ? (importBundled(join("bench", "michelson-time.ts"), join(".cache", "instruction-time.mjs")) as Promise<
        typeof FROM_SOURCE
      >)
    : Promise.resolve(FROM_SOURCE);

describe("time for gas of", () => {
  let measured: typeof FROM_SOURCE;
  beforeAll(async () => {
    measured = await loadMeasured();
    await Promise.all([measured.loadBls(), measured.loadHashes(), measured.loadSecp256k1()]);
  });
  it.each([...INSTRUCTION_LOOPS])("%s", (name, loop) => {
    const most = mostFor(name);
    expect(measured.timePerGas(loop, { each: MEASURED_US, tries: TRIES, enough: most })).toBeLessThanOrEqual(
      most,
    );
  });
});

/** They end the run, need a contract around them, or exist only in stored scripts. */
const NOT_MEASURED = new Set(["FAILWITH", "NEVER", "SELF"]);

it("every instruction is measured", () => {
  const words = new Set(
    [...INSTRUCTION_LOOPS.values()].flatMap(
      ({ start, body }) => `${start} ${body}`.match(/[A-Z][A-Z_0-9]+/g) ?? [],
    ),
  );
  expect(SUPPORTED_INSTRUCTIONS.filter((name) => !words.has(name) && !NOT_MEASURED.has(name))).toEqual([]);
});
