import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it, vi } from "vitest";
import { commandReference, type EditorManifest, withTables } from "./command-docs.ts";
import { completionScript } from "./commands/completions.ts";
import { SHELLS } from "./completions/command-table.ts";
import { createProgram } from "./program.ts";

const ROOT = resolve(import.meta.dirname, "..");
const program = createProgram(
  () => {
    throw new Error("no command runs here");
  },
  () => undefined,
);

const read = (name: string) => readFileSync(resolve(ROOT, name), "utf8");
const manifest = JSON.parse(read("package.json")) as EditorManifest;
const texts = JSON.parse(read("package.nls.json")) as Record<string, string>;

it("is up to date in docs/commands.md (npm run docs writes it)", () => {
  expect(read("docs/commands.md")).toBe(commandReference(program, manifest, texts));
});

it("is up to date in the README", () => {
  const readme = read("README.md");
  expect(readme).toBe(withTables(readme, program, manifest, texts));
  expect(() => withTables("no place for tables", program, manifest, texts)).toThrow(Error);
});

it("has a description for every command and option", () => {
  const walk = (command: typeof program): void => {
    for (const child of command.commands) {
      expect(child.description(), child.name()).toEqual(expect.stringMatching(/\w/));
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

it.each([
  ["an option", ["--\u009b2J\u202e"]],
  ["a command", ["\u009b2J\u202e"]],
  ["a command of a group", ["account", "\u009b2J\u202e"]],
  ["an argument", ["account", "list", "\u009b2J\u202e"]],
])("escapes %s that it does not know", async (_what, args) => {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  const fresh = createProgram(
    () => {
      throw new Error("no command runs here");
    },
    () => undefined,
  );
  const throwing = (command: typeof program): void => {
    command.exitOverride();
    command.commands.forEach(throwing);
  };
  throwing(fresh);
  try {
    await expect(fresh.parseAsync(args, { from: "user" })).rejects.toMatchObject({ exitCode: 1 });
  } finally {
    write.mockRestore();
  }
  const text = written.join("");
  expect(text).not.toMatch(/[\u0080-\u009f\u202e]/);
  if (args.length < 3) expect(text).toContain("\\u009b2J\\u202e");
});
