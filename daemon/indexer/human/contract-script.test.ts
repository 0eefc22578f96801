import { expect, it } from "vitest";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { bigMapsIn, contractScript, isUseful, normalParameter } from "./contract-script.ts";
import { humanType } from "./human-type.ts";

const script = contractScript(
  parseScriptText(
    "parameter (or (or %inner (nat %add) (nat %sub)) (unit %reset)); storage nat; code { FAILWITH }",
  ),
);

it("finds the innermost entrypoint that a parameter reaches", () => {
  const reach = (entrypoint: string, value: string) => {
    const found = normalParameter(script, entrypoint, parseMichelineText(value));
    return [found.entrypoint, found.value];
  };
  expect(reach("default", "Left (Right 5)")).toEqual(["sub", { int: "5" }]);
  expect(reach("inner", "Left 5")).toEqual(["add", { int: "5" }]);
  expect(reach("reset", "Unit")).toEqual(["reset", { prim: "Unit" }]);
  expect(reach("nobody", "Unit")).toEqual(["nobody", { prim: "Unit" }]);
});

it("omits entrypoints whose branches all have names", () => {
  const useful = [...script.entrypoints].filter(([name, type]) => isUseful(name, type)).map(([name]) => name);
  expect(useful).toEqual(["add", "sub", "reset"]);
});

it("finds big maps at any depth", () => {
  const type = humanType(
    parseMichelineText(
      "pair (big_map %ledger nat nat) (pair %assets (big_map nat nat) (option (big_map %more nat nat))) (map %each string (big_map nat nat))",
    ),
  );
  const storage = parseMichelineText('Pair 1 (Pair 2 (Some 3)) { Elt "k" 4 }');
  expect(bigMapsIn(type, storage).map(({ id, path }) => [id, path])).toEqual([
    [1, "ledger"],
    [2, "assets.big_map"],
    [3, "assets.more"],
    [4, "each.k"],
  ]);
});
