import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { isInside } from "./inside-folder.ts";

const folder = resolve("project");

it.each([
  ["the folder itself", folder, true],
  ["a file in it", join(folder, "a.ts"), true],
  ["a file below it", join(folder, "a", "b", "c.ts"), true],
  ["a name that begins with two dots", join(folder, "..a"), true],
  ["the folder above", resolve("."), false],
  ["a folder beside it whose name begins alike", `${folder}-2`, false],
])("%s", (_, path, inside) => {
  expect(isInside(path, folder)).toBe(inside);
});
