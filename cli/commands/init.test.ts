import { expect, it } from "vitest";
import { projectFiles, vitestFor } from "./init.ts";

it.each([
  ["20.12.2", "~3.1.0"],
  ["20.18.9", "~3.1.0"],
  ["20.19.0", "^4.0.0"],
  ["21.7.3", "~3.1.0"],
  ["22.11.0", "~3.1.0"],
  ["22.12.0", "^4.0.0"],
  ["24.0.0", "^4.0.0"],
  ["26.1.0", "^4.0.0"],
])("a project created with Node %s has Vitest %s", (node, vitest) => {
  expect(vitestFor(node)).toBe(vitest);
  const { devDependencies } = JSON.parse(
    projectFiles("name", { functez: "1", vitest: vitestFor(node) })["package.json"]!,
  ) as { devDependencies: object };
  expect(devDependencies).toMatchObject({ functez: "1", vitest });
});
