import fc from "fast-check";
import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { JsonTooDeep, parseShallow } from "./shallow-json.ts";

it("parses what JSON.parse parses", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseShallow(text)).toEqual(JSON.parse(text));
      const long = `[${text},"${'[{\\"'.repeat(10_000)}"]`;
      expect(parseShallow(long)).toEqual(JSON.parse(long));
    }),
    { seed: 1, numRuns: 50 },
  );
  expect(() => parseShallow("<html>")).toThrow(SyntaxError);
});

it("refuses deep nesting in linear time, before anything is built", () => {
  const begun = processorTime();
  for (const open of ["[", '{"a":', '[{"a":"\\\\"},'])
    expect(() => parseShallow(open.repeat(5_000_000))).toThrow(JsonTooDeep);
  expect(processorTime() - begun).toBeLessThan(1_000);
  const deepest = `${"[".repeat(4_096)}"${"x".repeat(40_000)}"${"]".repeat(4_096)}`;
  expect(parseShallow(deepest)).toBeInstanceOf(Array);
});
