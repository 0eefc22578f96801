import { expect, it } from "vitest";
import { parseMichelineText } from "./micheline-text.ts";
import { type Micheline, extentOf } from "./micheline.ts";

/** Many nodes: the extent of what contains them is computed in the other way. */
const MANY: readonly Micheline[] = Array.from({ length: 100 }, (_, i) => ({ int: `${i % 10}` }));

it.each([
  "1",
  '"text"',
  "0xff00",
  "{}",
  "Unit",
  "Pair 1 (Pair 0xabcd { 1; 2; { 3 } })",
  "pair (nat %count) (option :maybe bytes)",
  "{ PUSH int 5; IF { DROP } { FAILWITH } }",
])("has the same extent alone and among many: %s", (text) => {
  const expression = parseMichelineText(text);
  const [{ depth, bytes }, digit] = [extentOf(expression), extentOf({ int: "1" })];
  expect(extentOf([expression, ...MANY])).toEqual({
    depth: depth + 1,
    bytes: extentOf([]).bytes + bytes + MANY.length * digit.bytes,
  });
});

it("counts what is shared on each path, in a time that the shared parts take", () => {
  let shared: Micheline = { int: "1" };
  for (let i = 0; i < 60; i++) shared = { prim: "Pair", args: [shared, shared] };
  const { depth, bytes } = extentOf(shared);
  expect(depth).toBe(61);
  expect(bytes).toBeGreaterThan(2 ** 60);
});
