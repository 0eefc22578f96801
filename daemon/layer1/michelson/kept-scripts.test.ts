import { expect, it } from "vitest";
import type { Micheline } from "../../tezos/micheline.ts";
import { KeptScripts } from "./kept-scripts.ts";

const scripts = (count: number): readonly (readonly [Micheline, { readonly nodes: number }])[] =>
  Array.from({ length: count }, (_, i) => [[{ int: `${i}` }], { nodes: 10 }]);

it("keeps the scripts that were used last, as far as there is room", () => {
  const kept = new KeptScripts(50);
  const all = scripts(6);
  for (const [code, script] of all.slice(0, 5)) kept.set(code, script);
  for (const [code, script] of all.slice(0, 5)) expect(kept.get(code)).toBe(script);
  kept.get(all[0]![0]);
  kept.set(...all[5]!);
  expect(all.map(([code]) => kept.get(code) !== undefined)).toEqual([true, false, true, true, true, true]);
});

it("keeps none that alone is too large, and counts one that is kept again once", () => {
  const kept = new KeptScripts(50);
  const [first, second] = scripts(2);
  const [[code, script], [large]] = [first!, second!];
  for (let i = 0; i < 10; i++) kept.set(code, script);
  expect(kept.get(code)).toBe(script);
  kept.set(large, { nodes: 51 });
  expect(kept.get(large)).toBeUndefined();
});
