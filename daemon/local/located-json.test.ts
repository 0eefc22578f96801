import { expect, it } from "vitest";
import { parseLocatedJson } from "./located-json.ts";

const parse = (text: string) => parseLocatedJson("file.json", text, { invalid: "CONFIG_INVALID" });

it.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
  ["lists that never end", "[", ""],
])("refuses %s that nest without end, with their place", (_name, open, close) => {
  const text = `{\n "x": ${open.repeat(100_000)}1${close.repeat(100_000)}}`;
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      data: expect.objectContaining({ line: 2 }) as object,
    }) as Error,
  );
});

it("does not count brackets in texts", () => {
  expect(parse(`{"a": "${"[{".repeat(1000)}\\"["}`).value).toEqual({ a: `${"[{".repeat(1000)}"[` });
});
