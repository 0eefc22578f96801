// The commands in README and docs, run in order like a reader would, each document with accounts of its own.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, ROOT, startedSandbox } from "./support/built-cli.ts";

/** Commands that start, watch or prompt: they have their own tests. */
const NOT_RUN = /^functez (sandbox (--container )?(start|restart)|dev|repl|logs trace|init|exec)\b/;
/** Such a command changes the sandbox for all: its document has one of its own. */
const OWN_SANDBOX = /^functez sandbox\b/;
/** Needs a public web address. */
const NEEDS_NETWORK = ["examples/oracle-reader/README.md"];

const documents = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, "examples"))
    .filter((name) => !name.includes("."))
    .map((name) => `examples/${name}/README.md`),
].filter((name) => !NEEDS_NETWORK.includes(name));

/** Lines of indented blocks with functez commands, without comments. */
function commandsOf(document: string): string[] {
  return readFileSync(join(ROOT, document), "utf8")
    .split("\n")
    .filter((line) => /^ {4}(npx )?functez /.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^npx /, "")
        .replace(/\s{2,}#.*$/, ""),
    )
    .filter((line) => !NOT_RUN.test(line));
}

/** Words of a shell line with single or double quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

let shared: BuiltCli;
beforeAll(async () => {
  shared = (await startedSandbox()).cli;
});
afterAll(() => shared.dispose());

/** The command line of somebody who has no accounts yet. */
async function readersCli(commands: readonly string[]): Promise<BuiltCli> {
  if (commands.some((line) => OWN_SANDBOX.test(line))) return (await startedSandbox()).cli;
  rmSync(join(shared.configHome, "functez", "config.json"), { force: true });
  return shared;
}

it.each(
  documents
    .map((document) => [document, commandsOf(document)] as const)
    .filter(([, commands]) => commands.length > 0),
)("%s: every command succeeds", async (_document, commands) => {
  const cli = await readersCli(commands);
  try {
    const addresses = new Map<string, string>();
    if (!commands.some((line) => line.startsWith("functez account create"))) {
      await cli.functez(["account", "create", "reader"]);
      await cli.functez(["bridge", "deposit", "--from", "bootstrap0", "--to", "reader", "--amount", "10"]);
    }
    for (const line of commands) {
      if (line.includes("<your address>")) {
        const whoami = JSON.parse((await cli.functez(["--json", "whoami"])).stdout) as { address: string };
        addresses.set("your address", whoami.address);
      }
      const filled = line.replace(
        /<(?:address of )?([^>]+)>/g,
        (whole, name: string) => addresses.get(name) ?? whole,
      );
      if (/<[a-z ]+>/.test(filled)) continue; // a value that only the reader has, such as an operation's hash
      const result = await cli.functez(words(filled).slice(1));
      expect([result.code, result.stderr], line).toEqual([0, expect.anything()]);
      const alias = /--name (\S+)/.exec(line)?.[1];
      const address = /KT1\w{33}/.exec(result.stdout)?.[0];
      if (alias && address) addresses.set(alias, address);
    }
  } finally {
    if (cli !== shared) await cli.dispose();
  }
});

it("links only to documents that exist", () => {
  for (const document of documents) {
    const folder = join(ROOT, document, "..");
    const links = [...readFileSync(join(ROOT, document), "utf8").matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(
      (match) => match[1]!,
    );
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      expect(
        readdirSync(join(folder, link, "..")).includes(link.split("/").at(-1)!),
        `${document} ${link}`,
      ).toBe(true);
    }
  }
});

it.each(["docs/security.md", "docs/reliability.md"])("%s names existing tests", (document) => {
  const named = readFileSync(join(ROOT, document), "utf8").match(/[\w./-]+\.test\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(10);
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".test.ts") && !path.includes("node_modules"),
  );
  expect(named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))).toEqual(
    [],
  );
});
