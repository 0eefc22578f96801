// The settings of docs/debugging.md for other editors, as the documentation has them: a client that starts the adapter with
// their command line and sends what those editors send.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type BuiltCli, ROOT, startedSandbox } from "./support/built-cli.ts";
import { DapClient } from "./support/dap-client.ts";

const SOURCE = `const add = (n: number): number => {
  const sum = (Kv.get<number>("n") ?? 0) + n;
  if (sum > 5) throw new RangeError("too much");
  Kv.set("n", sum);
  return sum;
};
export default (request: Request): Response => {
  const n = add(Number(new URL(request.url).searchParams.get("n")));
  return new Response(String(n));
};
`;

interface Settings {
  readonly command: string;
  readonly args: readonly string[];
  readonly configurations: readonly Readonly<Record<string, unknown>>[];
}

const PAGE = readFileSync(join(ROOT, "docs/debugging.md"), "utf8");
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(PAGE)![1]!;
const texts = (list: string): string[] => [...list.matchAll(/"([^"]*)"/g)].map(([, text]) => text!);
const valueOf = (text: string): unknown =>
  text === "true" || text === "t" ? true : (JSON.parse(text) as unknown);

/** nvim-dap: tables `{ name = value, … }`, each a configuration that is sent as it is. */
function neovim(): Settings {
  const lua = block("lua");
  const [, command, args] = /command = "(\w+)", args = \{([^}]*)\}/.exec(lua)!;
  const tables = [...lua.matchAll(/\{ type = "functez", request[^}]*\}/g)];
  const configurations = tables.map(([table]) =>
    Object.fromEntries(
      [...table.matchAll(/(\w+) = ("[^"]*"|true|\d+)/g)].map(([, name, value]) => [name!, valueOf(value!)]),
    ),
  );
  return { command: command!, args: texts(args!), configurations };
}

/** dape: property lists, of which the keywords are sent. */
function emacs(): Settings {
  const lisp = block("elisp");
  const [, command, args] = /command "(\w+)"\s+command-args \(([^)]*)\)/.exec(lisp)!;
  const configurations = lisp
    .split("add-to-list")
    .slice(1)
    .map((list) =>
      Object.fromEntries(
        [...list.matchAll(/:(\w+) ("[^"]*"|t\b|\d+)/g)].map(([, name, value]) => [name!, valueOf(value!)]),
      ),
    );
  return { command: command!, args: texts(args!), configurations };
}

/** What the editors tell of themselves. */
const COMMON = { pathFormat: "path", linesStartAt1: true, columnsStartAt1: true };
const ABILITIES = {
  supportsRunInTerminalRequest: true,
  supportsProgressReporting: true,
  supportsStartDebuggingRequest: true,
};
const CLIENTS = {
  "nvim-dap": {
    settings: neovim(),
    initialize: { ...COMMON, ...ABILITIES, clientID: "neovim", clientName: "neovim", adapterID: "nvim-dap" },
  },
  dape: {
    settings: emacs(),
    initialize: { ...COMMON, ...ABILITIES, clientID: "dape", adapterID: "functez" },
  },
};

let cli: BuiltCli;
let file: string;
let dap: DapClient | undefined;

beforeAll(async () => {
  ({ cli } = await startedSandbox());
  await cli.functez(["account", "create", "alice"]);
  file = join(cli.configHome, "adder.ts");
  writeFileSync(file, SOURCE);
  await cli.functez(["deploy", file, "--name", "adder"]);
});
afterAll(() => cli.dispose());
afterEach(async () => {
  dap?.closeInput();
  await dap?.ended;
});

const cases = Object.entries(CLIENTS).flatMap(([editor, { settings, initialize }]) =>
  settings.configurations.map((configuration, i) => ({ editor, i, settings, initialize, configuration })),
);

it("both editors have settings for the last call and for calls to come", () => {
  for (const { settings } of Object.values(CLIENTS)) {
    expect([settings.command, ...settings.args]).toEqual(["functez", "debug", "--dap"]);
    const requests = settings.configurations.map(({ request }) => request);
    expect(requests).toEqual(expect.arrayContaining(["launch", "attach"]));
  }
});

it.each(cases)("$editor debugs with its setting $i", async ({ settings, initialize, configuration }) => {
  const run = (n: number): Promise<unknown> => cli.start("functez", ["run", `adder/?n=${n}`]).ended;
  const isFailure = configuration["stopOnError"] === true;
  if (configuration["request"] === "launch") await run(isFailure ? 100 : 1);
  const args = settings.args.slice(1, -1); // the client itself adds `debug` and `--dap`
  dap = new DapClient(cli, args);
  await dap.ask("initialize", initialize);
  await dap.ask(String(configuration["request"]), configuration);
  await dap.event("initialized");
  await dap.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
  const source = { path: file, name: "adder.ts" };
  await dap.ask("setBreakpoints", { source, breakpoints: [{ line: 4 }], lines: [4], sourceModified: false });
  const stopped = dap.event("stopped");
  await dap.ask("configurationDone");
  const called = configuration["request"] === "attach" ? run(1) : undefined;
  expect((await stopped).body).toMatchObject({ threadId: 1, allThreadsStopped: true });
  const frame = async (): Promise<{ line: number; path: string }> => {
    const { stackFrames } = await dap!.ask<{ stackFrames: { line: number; source: { path: string } }[] }>(
      "stackTrace",
      { threadId: 1 },
    );
    return { line: stackFrames[0]!.line, path: stackFrames[0]!.source.path };
  };
  const line = isFailure ? 3 : called === undefined ? 8 : 4;
  expect(await frame()).toEqual({ line, path: file });
  await dap.move("stepBack");
  expect((await frame()).line).toBe(line === 4 ? 3 : line);
  await called;
  await dap.ask("disconnect", { restart: false, terminateDebuggee: true });
});
