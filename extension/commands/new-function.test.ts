import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { firstSentence } from "./new-function.ts";

const ROOT = resolve(import.meta.dirname, "../..");

it.each([
  ["// A counter for each caller.\n\nexport", "A counter for each caller."],
  ["// Tokens: the owner mints.\n// More. And more.\ncode", "Tokens: the owner mints."],
  ["// Greets: `functez run`.\n", "Greets: `functez run`."],
  ["// Over two\n// lines. And more.\n", "Over two lines."],
  ["export default 1", ""],
])("tells what an example is: %j", (source, said) => {
  expect(firstSentence(source)).toBe(said);
});

it("offers examples that deploy without packages, each with a sentence", () => {
  const shipped = readFileSync(join(ROOT, ".vscodeignore"), "utf8").matchAll(
    /^!examples\/(.+)\/index\.ts$/gm,
  );
  const names = [...shipped].map(([, name]) => name!);
  const alone = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !["escrow", "fa-vault"].includes(name)) // need a second function, or a bridge
    .filter((name) => !/^import /m.test(readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8")));
  expect(names).toEqual(alone.sort());
  for (const name of names)
    expect(firstSentence(readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8"))).toMatch(
      /^.{10,200}[.]$/,
    );
});
