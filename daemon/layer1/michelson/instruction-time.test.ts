// How long instructions take for what they cost. The rule is 3 us of processor time a gas unit at most, whatever the
// arguments: a gas unit is about a microsecond of the machine that the protocol's costs were measured on. What breaks the
// rule is named here; such scripts end by the processor time of an operation. The normal run leaves room for processors
// that others use as well; the long one (FUNCTEZ_LONG=1) judges by the rule.
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
/** Microseconds of processor time for a gas unit. */
const RULE = 3;
const ROOM = LONG ? 1 : 8;
/** What takes longer, and how long at most: curves and hashes that no native code computes here, and short arguments, for
 * which the host's own calls are most of the time. */
const SLOWER: readonly (readonly [RegExp, number])[] = [
  [/^CHECK_SIGNATURE|\(G[12]\)|^PAIRING_CHECK/, 60],
  [/^BLAKE2B|^KECCAK|^HASH_KEY|big_map/, 24],
  [/^(?:MAP|ITER|UPDATE|GET_AND_UPDATE|SIZE)|^PACK|^UNPACK|^CONS$|^READ_TICKET|Fr\)/, 16],
  [/\(bytes\)|^(?:NAT|BYTES|ABS|COMPARE)/, 14],
];
const mostFor = (name: string): number => ROOM * (SLOWER.find(([names]) => names.test(name))?.[1] ?? RULE);

/** Enough of each loop for the clock, and in the long run for the machine's code to be compiled. */
const MEASURED_US = LONG ? 15_000 : 3_000;
const TRIES = 6;
/** In one round of a loop. */
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
  // Room is bounded by the run: what is measured here is time.
  Object.assign(gas, { takeText: () => {}, takeNumber: () => {}, takeCells: () => {} });
  return { machine: new Machine(frame, code, stackOf()), gas };
}

/** Microseconds for a gas unit, in the best of some tries: others use the processor as well. */
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

/** Ends what runs; needs a contract around it; kept by name for scripts that are on the chain. */
const NOT_MEASURED = new Set(["FAILWITH", "NEVER", "SELF"]);

it("every instruction is measured", () => {
  const words = new Set(
    [...INSTRUCTION_LOOPS.values()].flatMap(
      ({ start, body }) => `${start} ${body}`.match(/[A-Z][A-Z_0-9]+/g) ?? [],
    ),
  );
  expect(SUPPORTED_INSTRUCTIONS.filter((name) => !words.has(name) && !NOT_MEASURED.has(name))).toEqual([]);
});
