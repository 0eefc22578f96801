import { Command } from "commander";
import { expect, it } from "vitest";
import { answerInJson, wantsJson } from "./json-usage.ts";

it.each([
  [["--json", "x"], true],
  [["x", "--json"], true],
  [["exec", "--", "prettier", "--json"], false],
  [["x"], false],
])("asks for JSON with %j: %s", (args, expected) => {
  expect(wantsJson(args)).toBe(expected);
});

async function thrownBy(...args: string[]): Promise<() => { readonly result: object }> {
  const program = new Command("functez").version("functez 1");
  program
    .command("run <url>")
    .option("-m, --method <name>")
    .action(() => undefined);
  const outcome = answerInJson(program);
  const thrown = await program.parseAsync(["node", "functez", ...args]).then(
    () => undefined,
    (error: unknown) => error,
  );
  return () => outcome(thrown);
}

it("answers with version and help", async () => {
  expect((await thrownBy("--version"))()).toEqual({ result: { version: "functez 1" } });
  const { result } = (await thrownBy("run", "--help"))() as { result: { help: string } };
  expect(result.help).toContain("--method");
});

it.each([["nosuch"], ["run"], ["run", "x", "--nosuch"], ["run", "x", "-m"], ["run", "x", "y"]])(
  "answers wrong usage with an error: %s %s %s",
  async (...args) => {
    const outcome = await thrownBy(...args.filter((arg) => arg !== undefined));
    expect(outcome).toThrow(expect.objectContaining({ code: "BAD_USAGE" }) as Error);
  },
);

it("passes on errors that do not concern usage", async () => {
  const program = new Command("functez").action(() => {
    throw new TypeError("a bug");
  });
  const outcome = answerInJson(program);
  const thrown = await program.parseAsync(["node", "functez"]).catch((error: unknown) => error);
  expect(() => outcome(thrown)).toThrow(TypeError);
});
