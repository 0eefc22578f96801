import { expect, it } from "vitest";
import {
  booleanField,
  tryDecode,
  fieldsOf,
  integerField,
  listField,
  MalformedJson,
  naturalField,
  nullableField,
  numberField,
  optionalField,
  textField,
} from "./json-fields.ts";

const PORT = { least: 0, most: 65_535 };

it.each([
  ["an object", () => fieldsOf([1], "a"), "a: expected an object, found a list of 1"],
  ["an object that is null", () => fieldsOf(null, "a"), "a: expected an object, found null"],
  ["a text", () => textField({}, "a.b"), "a.b: expected a text, found an object"],
  [
    "a text of a certain form",
    () => textField("", "a", "a name", (text) => text),
    "a: expected a name, found an empty text",
  ],
  ["a number", () => numberField(undefined, "n"), "n: expected a number, found nothing"],
  [
    "a whole number",
    () => integerField(1.5, "n", PORT),
    "n: expected a whole number from 0 to 65535, found a number",
  ],
  [
    "a number in its range",
    () => integerField(-1, "n", PORT, "a port"),
    "n: expected a port, found a number",
  ],
  ["a boolean", () => booleanField("yes", "b"), "b: expected true or false, found another text"],
  ["a list", () => listField(true, "l", "a list"), "l: expected a list, found true"],
  [
    "a short enough list",
    () => listField([1, 2], "l", "one", { most: 1 }),
    "l: expected one, found a list of 2",
  ],
  [
    "a natural number",
    () => naturalField(7, "fee"),
    "fee: expected a natural number as text, found a number",
  ],
])("names the place where it expects %s, and what it found", (_name, read, message) => {
  expect(read).toThrow(MalformedJson);
  expect(read).toThrow(message);
});

it("keeps the found value out of its message, for it may be a secret", () => {
  try {
    textField("edsk…", "key", "a public key", () => false);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ at: "key", expected: "a public key", found: "edsk…" });
    expect((error as Error).message).not.toContain("edsk");
  }
});

it("accepts absent or null fields where allowed, and nothing else", () => {
  const text = (value: unknown): string => textField(value, "a");
  expect([optionalField(undefined, text), optionalField("x", text)]).toEqual([undefined, "x"]);
  expect([nullableField(null, text), nullableField("x", text)]).toEqual([null, "x"]);
  expect(() => optionalField(null, text)).toThrow(MalformedJson);
});

it("returns undefined for malformed JSON or another shape, and propagates other errors", () => {
  const read = (json: unknown): string => textField(fieldsOf(json, "file")["a"], "a");
  expect(tryDecode('{"a":"x"}', read)).toBe("x");
  expect(tryDecode('{"a":1}', read)).toBeUndefined();
  expect(tryDecode("{", read)).toBeUndefined();
  expect(() =>
    tryDecode("{}", () => {
      throw new TypeError("a mistake");
    }),
  ).toThrow(TypeError);
});
