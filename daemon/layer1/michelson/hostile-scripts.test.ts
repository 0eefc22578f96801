// Scripts of every kind that try to run forever: each is stopped by a limit of its own or by gas, and never holds the
// thread for long between two pauses.
import { expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { loadBls } from "../../tezos/curves.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import { HOSTILE_CODE, hostileScript } from "../testing/hostile-scripts.ts";
import { loneFrame } from "../testing/lone-contract.ts";
import { GasMeter } from "./gas.ts";
import { MichelsonError } from "./michelson-error.ts";
import { runScript } from "./run-script.ts";
import { parseScript } from "./script.ts";

/** Pauses that a script is given: enough to see it make progress, few enough to be quick. */
const RESTS = 40;
/** Pauses come much sooner; the margin is for slow machines and garbage collection. */
const STRETCH_MS = 500;

interface Course {
  /** Milligas between two pauses. */
  readonly spent: readonly number[];
  readonly longestMs: number;
  /** How it ended, if it did. */
  readonly end: string | undefined;
}

function courseOf(code: string): Course {
  const gas = new GasMeter(1_040_000_000);
  const frame = loneFrame(gas);
  const spent: number[] = [];
  let longestMs = 0;
  try {
    const job = runScript(parseScript(hostileScript(code)), frame, true, true);
    for (let rest = 0; rest < RESTS; rest++) {
      const [before, start] = [gas.used, processorTime()];
      const { done } = job.next();
      longestMs = Math.max(longestMs, processorTime() - start);
      if (done) return { spent, longestMs, end: "returned" };
      spent.push(gas.used - before);
    }
    return { spent, longestMs, end: undefined };
  } catch (error) {
    if (!(error instanceof MichelsonError)) throw error;
    return { spent, longestMs, end: error.errors.at(-1)!.id };
  }
}

/** Scripts that end within the first pauses; the others run until gas, memory or time is used up. */
const ENDS: Readonly<Record<string, string>> = {
  "shift of numbers": "sandbox.value_too_large",
  "shift of bytes that grow": "sandbox.value_too_large",
  "product that grows": "sandbox.value_too_large",
  "text that grows": "sandbox.value_too_large",
  "texts of a list that grows": "sandbox.value_too_large",
  "hash of bytes that grow": "sandbox.value_too_large",
  "pack that grows": "sandbox.value_too_large",
  "pairs of pairs": "michelson_v1.type_too_large",
  "options of options": "michelson_v1.unparsing_stack_overflow",
  "APPLY that nests": "gas_exhausted.operation",
  "recursion without end": "sandbox.too_many_recursive_calls",
  "recursion that returns": "returned",
};

it.each(Object.entries(HOSTILE_CODE))("%s pauses, and pays for each stretch", async (name, code) => {
  await loadBls();
  const { spent, longestMs, end } = courseOf(code);
  expect(end).toBe(ENDS[name]);
  for (const milligas of spent) expect(milligas).toBeGreaterThanOrEqual(200_000);
  expect(longestMs).toBeLessThan(STRETCH_MS);
});

/** Runs a script to its end. @returns what ended it */
function endOf(code: string, gas: number): string {
  const frame = loneFrame(new GasMeter(gas));
  try {
    const script = parseMichelineText(`{ parameter unit; storage unit; code { DROP; ${code}; FAILWITH } }`);
    finish(runScript(parseScript(script), frame, true, true));
    return "returned";
  } catch (error) {
    return (error as MichelsonError).errors.at(-1)!.id;
  }
}

const ROUNDS = "PUSH bool True; LOOP";
/** Milligas for several times the memory that a run may take. */
const MUCH = 400_000_000;
it.each([
  ["temporary pairs", `PUSH int 0; ${ROUNDS} { DUP; PAIR; CAR; PUSH bool True }`],
  ["texts", `PUSH string "${"a".repeat(100)}"; ${ROUNDS} { DUP; DUP; CONCAT; DROP; PUSH bool True }`],
  [
    "a map that is updated constantly",
    `EMPTY_MAP nat nat; ${ROUNDS} { PUSH (option nat) (Some 1); PUSH nat 1; UPDATE; PUSH bool True }`,
  ],
])("charges memory for %s only while in use", (_what, code) => {
  expect(endOf(code, MUCH)).toBe("gas_exhausted.operation");
});

it.each([
  ["on the stack", `NIL int; ${ROUNDS} { PUSH int 1; CONS; PUSH bool True }`],
  ["below a DIP", `NIL int; ${ROUNDS} { PUSH int 1; CONS; DUP; DIP { UNIT; DROP }; DROP; PUSH bool True }`],
  [
    "in lambdas",
    `NIL (lambda unit unit); ${ROUNDS} { LAMBDA (pair (list int) unit) unit { CDR }; NIL int; PUSH int 1; CONS; APPLY; CONS; PUSH bool True }`,
  ],
])("stops a script by the memory of values kept %s", (_where, code) => {
  expect(endOf(code, 1e13)).toBe("sandbox.memory_exhausted");
});
