import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { commandReference, type EditorManifest } from "./command-docs.ts";
import { completionScript, SHELLS } from "./commands/completions.ts";
import { createProgram } from "./program.ts";

const ROOT = resolve(import.meta.dirname, "..");
const program = createProgram(
  () => {
    throw new Error("no command runs here");
  },
  () => undefined,
);

it("is described in docs/commands.md as it is (node tools/command-docs.mjs writes it)", () => {
  const read = (name: string) => JSON.parse(readFileSync(resolve(ROOT, name), "utf8")) as unknown;
  const reference = commandReference(
    program,
    read("package.json") as EditorManifest,
    read("package.nls.json") as Record<string, string>,
  );
  expect(readFileSync(resolve(ROOT, "docs/commands.md"), "utf8")).toBe(reference);
});

it("has a description for every command and option", () => {
  const walk = (command: typeof program): void => {
    for (const child of command.commands) {
      expect([child.name(), child.description()]).toEqual([child.name(), expect.stringMatching(/\w/)]);
      for (const option of child.options) expect(option.description).toMatch(/\w/);
      walk(child);
    }
  };
  walk(program);
});

it.each(SHELLS)("completes every command in %s", (shell) => {
  const script = completionScript(program, shell);
  for (const word of ["sandbox", "deposit", "completions", "--network", "--detach"]) {
    expect(script).toContain(shell === "fish" ? word.replace(/^--/, "") : word);
  }
});
