import { expect, it } from "vitest";
import { agentOutput, MAX_RESULT } from "./agent-output.ts";
import { JsonText } from "./exact-json.ts";

it("is portable JSON with the same values", () => {
  const result = {
    ...{ amount: 5n, body: new JsonText("9007199254740993"), gone: undefined, none: null, ok: true },
    list: [1, { deep: ["a", 2n] }],
  };
  expect(agentOutput(result)).toEqual({
    ...{ amount: "5", body: "9007199254740993", none: null, ok: true },
    list: [1, { deep: ["a", "2"] }],
  });
});

it("truncates a long text", () => {
  expect(agentOutput({ text: "x".repeat(50_000) })).toEqual({
    text: `${"x".repeat(20_000)}… (30000 more characters)`,
  });
});

const LONG = "x".repeat(15_000);
it.each([
  ["long texts", { lines: Array.from({ length: 200 }, () => ({ text: LONG })) }],
  ["short texts", { keys: Array.from({ length: 100_000 }, (_one, i) => `key ${i}`) }],
  ["empty texts", { keys: Array.from({ length: 100_000 }, () => "") }],
  ["numbers", { keys: Array.from({ length: 100_000 }, (_one, i) => i) }],
  ["lists", { lists: Array.from({ length: 50_000 }, () => [[]]) }],
  ["fields", { headers: Object.fromEntries(Array.from({ length: 50_000 }, (_one, i) => [`x-${i}`, "1"])) }],
  [
    "long names of fields",
    { headers: Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => [i + LONG, ""])) },
  ],
])("is bounded for many %s, and has all its own fields", (_name, many) => {
  const shown = agentOutput({ ...many, last: LONG });
  expect(JSON.stringify(shown).length).toBeLessThan(MAX_RESULT * 1.4);
  expect(Object.keys(shown)).toEqual([...Object.keys(many), "last"]);
  expect(shown["last"]).toMatch(/… \(\d+ more characters\)$/);
  expect(JSON.stringify(shown)).toMatch(/\d more\)?"/);
});
