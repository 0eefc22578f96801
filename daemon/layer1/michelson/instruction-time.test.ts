// Measures the time of instructions against their gas. The rule is at most 3 us of processor time per gas unit, whatever
// the arguments: a gas unit is about a microsecond of the machine on which the protocol's costs were measured. Exceptions
// are listed here; scripts that use them are bounded by the processor time of an operation. The normal run leaves a margin
// for shared processors; the long one (FUNCTEZ_LONG=1) applies the rule itself.
import { beforeAll, describe, expect, it } from "vitest";
import { loadBls } from "../../tezos/curves.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import { INSTRUCTION_LOOPS, type Loop } from "../testing/instruction-loops.ts";
import { loneFrame, loneWorld } from "../testing/lone-contract.ts";
import { SUPPORTED_INSTRUCTIONS, checkCode } from "./check.ts";
import { GasMeter } from "./gas.ts";
import { stackOf } from "./instruction.ts";
import { Machine } from "./machine.ts";
import { looseScope } from "./script.ts";
import { StackType } from "./stack-type.ts";

const LONG = process.env["FUNCTEZ_LONG"] === "1";
/** Microseconds of processor time per gas unit. */
const RULE = 3;
const ROOM = LONG ? 1 : 8;
/** Slower instructions with their limits: curves and hashes without native code here, and short arguments, where the
 * runtime's call overhead dominates. */
const SLOWER: readonly (readonly [RegExp, number])[] = [
  [/^CHECK_SIGNATURE|\(G[12]\)|^PAIRING_CHECK/, 60],
  [/^BLAKE2B|^KECCAK|^HASH_KEY|big_map/, 24],
  [/^(?:MAP|ITER|UPDATE|GET_AND_UPDATE|SIZE)|^PACK|^UNPACK|^CONS$|^READ_TICKET|Fr\)/, 16],
  [/\(bytes\)|^(?:NAT|BYTES|ABS|COMPARE)/, 14],
];
const mostFor = (name: string): number => ROOM * (SLOWER.find(([names]) => names.test(name))?.[1] ?? RULE);

/** Enough of each loop for the clock, and in the long run for the JIT compiler. */
const MEASURED_US = LONG ? 15_000 : 3_000;
const TRIES = 30;
/** Repetitions of the body per round of a loop. */
const REPEATED = 20;

const world = loneWorld({ hasEntrypoint: () => true, addressIndex: () => 7n });

const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

function machineOf({ start, body }: Loop): { readonly machine: Machine; readonly gas: GasMeter } {
  const repeated = Array<string>(REPEATED).fill(body).join("; ");
  const tree = parseMichelineText(`{ ${start}; PUSH bool True; LOOP { ${repeated}; PUSH bool True } }`);
  const { code } = finish(checkCode(tree, StackType.EMPTY, looseScope(tree)));
  const gas = new GasMeter(Number.MAX_SAFE_INTEGER);
  const frame = loneFrame(gas, { world });
  // Memory is bounded per run; only time is measured here.
  Object.assign(gas, { reserveText: () => {}, reserveNumber: () => {}, reserveCells: () => {} });
  return { machine: new Machine(frame, code, stackOf()), gas };
}

/** Microseconds per gas unit in the best of several tries: other processes use the processor as well. */
function timeOf(loop: Loop, most: number): number {
  const { machine, gas } = machineOf(loop);
  let best = Infinity;
  for (let i = 0; i < TRIES && best > most; i++) {
    const [begun, used] = [processorTime(), gas.used];
    do machine.run(20_000);
    while (processorTime() - begun < MEASURED_US);
    const spent = (gas.used - used) / 1000;
    best = Math.min(best, (processorTime() - begun) / spent);
  }
  return best;
}

describe("time for gas of", () => {
  beforeAll(loadBls);
  it.each([...INSTRUCTION_LOOPS])("%s", (name, loop) => {
    expect(timeOf(loop, mostFor(name))).toBeLessThanOrEqual(mostFor(name));
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
