// Replays the real protocol's recorded type checks of scripts through `typecheck_code`, and compares the remaining gas and
// the stack types after each instruction; and scripts that it rejects. Both are public in tezos/tezos-mirror
// (`tezt/tests/expected/contract_typecheck_regression.ml`, `michelson_test_scripts/ill_typed`) and lie beside the other suites.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadBls } from "../../tezos/curves.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { MichelsonError } from "../michelson/michelson-error.ts";
import { print, scriptFrom, words } from "../testing/recorded-runs.ts";
import { scriptRoutes } from "../testing/script-routes.ts";
import { filesIn, suiteFolder, textOf } from "../testing/suites.ts";

const UNSUPPORTED = /sapling|constant/;
/** Scripts with CAR n or UNPPAIPAIR: our independent parser expands these macros differently from the recording client. */
const OTHER_MACROS = /carn_and_cdrn|unpair_macro|authentication|groth16/;
const GAS = "1040000";

const suite = suiteFolder("octez");
const post = scriptRoutes();

interface Answer {
  readonly type_map: readonly { readonly location: number; readonly stack_after: readonly Micheline[] }[];
  readonly gas: string;
}

interface Recorded {
  readonly script: string;
  readonly gas: string;
  /** The stacks that the client shows after instructions, in the order of the text. */
  readonly stacks: readonly string[];
  /** Whether macros hide some stacks, or views and nested scripts change their order. */
  readonly isMixed: boolean;
}

const WELL_TYPED = /^Well typed \(Gas remaining: ([\d.]+) units remaining\)\t(\S+)\n/m;
const MACRO =
  /\b(?:IF_SOME|IF_RIGHT|ASSERT\w*|(?:IF)?CMP\w+|IF(?:EQ|NEQ|LT|GT|LE|GE)|FAIL|(?:SET|MAP)_C\w+|C[AD]{2,}R|UNP[AIP]{2,}R|P[AIP]{3,}R|DI{2,}P|DU{2,}P)\b/;

function recordedIn(text: string): readonly Recorded[] {
  const [, ...parts] = text.split(WELL_TYPED);
  const found: Recorded[] = [];
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [gas, script, shown] = parts.slice(i) as [string, string, string];
    const stacks = [...shown.matchAll(/\/\* (\[[\s\S]*?\]) \*\//g)].map(([, stack]) => words(stack!));
    found.push({
      script,
      gas,
      stacks,
      isMixed: MACRO.test(shown) || /CREATE_CONTRACT|^ *view /m.test(shown),
    });
  }
  return found;
}

const shownStack = (types: readonly Micheline[]): string =>
  types.length === 0 ? "[]" : `[ ${types.map((type) => print(type)).join(" : ")} ]`;

const file = suite && join(suite, "expected", "contract_typecheck_regression", "Tc scripts.out");
const recorded = file && existsSync(file) ? recordedIn(textOf(file)) : [];
if (suite && recorded.length === 0) console.log(`skipped recorded type checks: there is no ${file}`);

describe.skipIf(recorded.length === 0)("the real protocol's type checks", () => {
  beforeAll(loadBls);
  for (const { script, gas, stacks, isMixed } of recorded)
    it.skipIf(UNSUPPORTED.test(script))(script, async () => {
      const program = scriptFrom(textOf(suite!, script));
      const answer = (await post("typecheck_code", { program, gas: GAS })) as Answer;
      if (!OTHER_MACROS.test(script)) expect(answer.gas).toBe(gas);
      const found = answer.type_map.toReversed().map(({ stack_after }) => shownStack(stack_after));
      if (!isMixed) expect(found).toEqual(stacks);
    });
});

const illTyped = suite && join(suite, "michelson_test_scripts", "ill_typed");
const refused = illTyped && existsSync(illTyped) ? filesIn(illTyped, ".tz") : [];
if (suite && refused.length === 0) console.log(`skipped ill-typed scripts: there is no ${illTyped}`);

/** Scripts that the client rejects before any node sees them. */
const OF_THE_CLIENT = /^badly_indented/;

describe.skipIf(refused.length === 0)("scripts that the real protocol refuses", () => {
  beforeAll(loadBls);
  for (const script of refused)
    it.skipIf(OF_THE_CLIENT.test(script))(script, async () => {
      const program = scriptFrom(textOf(illTyped!, script));
      for (const legacy of [false, true])
        await expect(post("typecheck_code", { program, legacy })).rejects.toBeInstanceOf(MichelsonError);
    });
});
