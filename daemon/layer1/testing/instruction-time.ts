// Times loops over Michelson instructions in the interpreter itself, without a chain around it.
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import { checkCode } from "../michelson/check.ts";
import { GasMeter } from "../michelson/gas.ts";
import { stackOf } from "../michelson/instruction.ts";
import { Machine } from "../michelson/machine.ts";
import { looseScope } from "../michelson/script.ts";
import { StackType } from "../michelson/stack-type.ts";
import type { Loop } from "./instruction-loops.ts";
import { loneFrame, loneWorld } from "./lone-contract.ts";

/** Repetitions of the body per round of a loop. */
const REPEATED = 20;
/** Milligas from one look at the clock to the next. A look takes microseconds, so it must be rare to be none of the time. */
const STRETCH = 400_000;

const world = loneWorld({ hasEntrypoint: () => true, addressIndex: () => 7n });

/** Microseconds of processor time of this process. */
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

export interface Measure {
  /** Microseconds for which one try runs the loop at least. */
  readonly each: number;
  /** Tries; the best counts, for other processes use the processor as well. */
  readonly tries: number;
  /** No more tries once one took at most this; default: all tries. */
  readonly enough?: number;
}

/**
 * Microseconds of processor time per gas unit.
 * @throws BlsNeeded when the loop computes with BLS12-381, which is not loaded
 */
export function timePerGas(loop: Loop, { each, tries, enough = -1 }: Measure): number {
  const { machine, gas } = machineOf(loop);
  let best = Infinity;
  for (let i = 0; i < tries && best > enough; i++) {
    const [begun, used] = [processorTime(), gas.used];
    do machine.run(STRETCH);
    while (processorTime() - begun < each);
    const spent = (gas.used - used) / 1000;
    best = Math.min(best, (processorTime() - begun) / spent);
  }
  return best;
}
