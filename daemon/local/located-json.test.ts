import { expect, it } from "vitest";
import type { SandboxError } from "../protocol/errors.ts";
import { parseLocatedJson } from "./located-json.ts";

const parse = (text: string) => parseLocatedJson("file.json", text, { invalid: "CONFIG_INVALID" });

it.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
  ["unclosed lists", "[", ""],
])("refuses %s that nest without limit, with their place", (_name, open, close) => {
  const text = `{\n "x": ${open.repeat(100_000)}1${close.repeat(100_000)}}`;
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      data: expect.objectContaining({ line: 2 }) as object,
    }) as Error,
  );
});

it("refuses a duplicate key in one object, but not in two", () => {
  expect(() => parse('{"a": 1, "b": [{"c": 1,\n"c": 2}]}')).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      data: expect.objectContaining({ line: 2, column: 1, key: "c" }) as object,
    }) as Error,
  );
  expect(parse('{"a": {"c": 1}, "b": {"c": 2}}').value).toEqual({ a: { c: 1 }, b: { c: 2 } });
});

it("ignores brackets in strings", () => {
  expect(parse(`{"a": "${"[{".repeat(1000)}\\"["}`).value).toEqual({ a: `${"[{".repeat(1000)}"[` });
});

it.each([
  ["without quotes", '{\n  "admin_secret": hunter2hunter2hunter2\n}'],
  ["in single quotes", "{\n  \"admin_secret\": 'hunter2hunter2hunter2'\n}"],
  ["in unterminated quotes", '{\n  "admin_secret": "hunter2hunter2hunter2\n}'],
  ["with a wrong key", "{\n  admin_secret: hunter2hunter2hunter2\n}"],
  ["after a missing colon", '{\n  "admin_secret" "hunter2hunter2hunter2"\n}'],
  ["twice", '{\n  "admin_secret": "a" hunter2hunter2hunter2\n}'],
  ["on a line of its own", '{\n  "admin_secret":\nhunter2hunter2hunter2\n}'],
])("repeats no secret %s", (_how, text) => {
  let failure: unknown;
  try {
    parse(text);
  } catch (error) {
    failure = error;
  }
  const { code, message, next, data } = failure as SandboxError;
  expect(code).toBe("CONFIG_INVALID");
  const told = message + next + JSON.stringify(data);
  for (let length = 3; length <= "hunter2".length; length++)
    expect(told).not.toContain("hunter2".slice(0, length));
});
