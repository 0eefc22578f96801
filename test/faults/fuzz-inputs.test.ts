// Random command lines and configuration files: each gives a result or one of our errors with code and next step, never
// a crash, and no account is lost.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { CommanderError, type Command } from "commander";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseCliConfig } from "../../cli/config/parse-config.ts";
import { createContext } from "../../cli/context.ts";
import { createProgram } from "../../cli/program.ts";
import { loadConfig } from "../../daemon/config/load.ts";
import { withOverrides } from "../../daemon/config/overrides.ts";
import { defaultConfig } from "../../daemon/config/schema.ts";
import { parseSandboxdArguments } from "../../daemon/control/arguments.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { amount, SEED } from "../support/long-run.ts";
import { hostileValue, spoilt } from "./support/hostile-input.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT_MS = amount(120_000, 3_600_000);
const { address, publicKey, secretKey } = BOOTSTRAP_ACCOUNTS[2];
const cliConfig = {
  current_alias: "alice",
  accounts: {
    alice: { User: { address, public_key: publicKey, secret_key: secretKey } },
    counter: { SmartFunction: { address: "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni" } },
  },
  default_network: "other",
  networks: {
    other: { octez_node_rpc_endpoint: "http://127.0.0.1:9", jstz_node_endpoint: "http://127.0.0.1:9" },
  },
};

/** Anything thrown that is neither our error nor the argument parser's is a crash. */
function expectOurs(error: unknown, input: unknown): void {
  if (error instanceof CommanderError) return;
  if (!(error instanceof SandboxError)) {
    throw new Error(`crashed on ${JSON.stringify(input)}`, { cause: error });
  }
  expect(error.message).not.toMatch(/undefined|\[object Object\]|[es]d?p?sk[1-9A-HJ-NP-Za-km-z]{8}/);
  expect(error.next.length).toBeGreaterThan(5);
}

/** File contents: nearly valid JSON, and JSON that is cut, doubled or not JSON at all. */
function fileText(document: unknown): fc.Arbitrary<string> {
  const text = spoilt(document).map((value) => (JSON.stringify(value) ?? "").replaceAll(',"', ',\n"'));
  return fc.oneof(
    { weight: 6, arbitrary: text },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([all, part]) => all.slice(0, Math.floor(all.length * part))),
    },
    { weight: 1, arbitrary: text.map((all) => all + all) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
  );
}

it(
  "configuration files of sandboxd load, or are rejected with the place of the mistake",
  () => {
    const documents = [
      defaultConfig(),
      {
        server_port: 0,
        octez_node: { rpc_endpoint: "localhost:18731" },
        jstz_node: { endpoint: "127.0.0.1:8934", mode: "sequencer" },
        protocol: { bootstrap_accounts: [["edpku", 1]] },
      },
      {
        layer1_node: {
          bootstrap_accounts: [{ label: "me", key: secretKey, balance: "1" }],
          command: ["true", "{host}"],
        },
        runtime_node: { oracle: { allowed_hosts: ["x"] } },
      },
    ];
    const file = join(folder, "sandbox.json");
    const property = fc.property(fc.constantFrom(...documents).chain(fileText), (text) => {
      writeFileSync(file, text);
      try {
        const { config } = loadConfig(file);
        expect(withOverrides(config, parseRun([])).server_port).toBeTypeOf("number");
      } catch (error) {
        expectOurs(error, text);
        expect(error).toMatchObject({ code: "CONFIG_INVALID", data: { file } });
        const { line, column } = (error as SandboxError<"CONFIG_INVALID">).data;
        expect([Number(line) > 0, Number(column) > 0]).toEqual([true, true]);
        expect((error as SandboxError).message).not.toContain(secretKey);
      }
    });
    fc.assert(property, { seed: SEED, numRuns: amount(2000, 200_000) });
  },
  LIMIT_MS,
);

const parseRun = (args: readonly string[]) => {
  const command = parseSandboxdArguments(["run", ...args]);
  if (command.kind !== "run") throw new Error(command.kind);
  return command;
};

it(
  "configuration files of the command line load, or are rejected with the place of the mistake",
  () => {
    const property = fc.property(fileText(cliConfig), (text) => {
      try {
        const config = parseCliConfig("config.json", text);
        expect(Object.keys(config)).toContain("accounts");
      } catch (error) {
        expectOurs(error, text);
        expect(error).toMatchObject({ code: "CLI_CONFIG_INVALID" });
        expect((error as SandboxError).message).not.toContain(secretKey);
      }
    });
    fc.assert(property, { seed: SEED, numRuns: amount(3000, 300_000) });
  },
  LIMIT_MS,
);

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    "-",
    "--",
    "alice",
    "counter",
    "bootstrap1",
    "nobody",
    address,
    "1",
    "-1",
    "1e6",
    "0.0000001",
    "99999999999999999999",
    "jstz://counter/x",
    "tezos://x",
    "x: y",
    "__proto__",
    "constructor",
    "other",
    "dev",
    "http://127.0.0.1:9",
    "javascript:1",
    "ERROR",
    "export default () => 1",
  ),
);

it(
  "arguments of sandboxd are accepted or rejected",
  () => {
    const option = fc.constantFrom(
      "run",
      "--lifeline",
      "--free-ports",
      "--bind",
      "--ports",
      "--ports=1,2,3",
      "--ports=0,0,0,0",
      "--ports=70000,1,1",
      "--public-host",
      "--json",
      "--json=1",
      "--log-level",
      "--log-level=loud",
      "--log-file",
      "--version",
      "-h",
      "--unknown",
    );
    const property = fc.property(fc.array(fc.oneof(option, word), { maxLength: 6 }), (args) => {
      try {
        const command = parseSandboxdArguments(args);
        if (command.kind === "run") withOverrides(defaultConfig(), command);
      } catch (error) {
        expectOurs(error, args);
      }
    });
    fc.assert(property, { seed: SEED, numRuns: amount(5000, 200_000) });
  },
  LIMIT_MS,
);

const LANES = 8;

/** Commands that start processes, write projects or run until stopped have their own tests. */
const LEFT_OUT = new Set(["sandbox start", "sandbox restart", "exec", "dev", "repl", "init"]);

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

function leaves(command: Command, path: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return LEFT_OUT.has(path.join(" ")) ? [] : [{ path, command }];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

function silence(command: Command): Command {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  command.commands.forEach(silence);
  return command;
}

it(
  "command lines of functez end with a result or one of our errors, and lose no account",
  async () => {
    const sink = () => new PassThrough().resume() as unknown as NodeJS.WriteStream;
    const run = async (home: string, args: readonly string[]): Promise<void> => {
      const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
      (stdin as unknown as PassThrough).end("");
      const process_ = {
        env: { XDG_CONFIG_HOME: home, FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:9" },
        stdout: sink(),
        stderr: sink(),
        stdin,
      } as unknown as NodeJS.Process;
      const signal = AbortSignal.timeout(amount(2_000, 5_000)); // like Ctrl-C, for commands that follow something
      const context = (json: boolean) => createContext({ json, distFolder: home, signal, process: process_ });
      await silence(createProgram(context, () => undefined)).parseAsync(["node", "functez", ...args]);
    };
    const tree = leaves(
      createProgram(
        () => undefined as never,
        () => undefined,
      ),
    );
    expect(tree.length).toBeGreaterThan(30);
    const commandLine = fc.constantFrom(...tree).chain(({ path, command }) => {
      const options = command.options.flatMap(({ long, short }) => [long, short].filter((name) => name));
      const piece = options.length > 0 ? fc.oneof(fc.constantFrom(...(options as string[])), word) : word;
      return fc
        .tuple(fc.boolean(), fc.array(piece, { maxLength: 8 }))
        .map(([json, rest]) => [...(json ? ["--json"] : []), ...path, ...rest]);
    });
    /** Side by side, because commands that follow something wait until they are interrupted. */
    const lane = (number: number): Promise<void> => {
      const home = join(folder, `lane-${number}`);
      const file = join(home, "functez", "config.json");
      const property = fc.asyncProperty(commandLine, async (args) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, JSON.stringify(cliConfig));
        await run(home, args).catch((error: unknown) => expectOurs(error, args));
        const kept = parseCliConfig(file, readFileSync(file, "utf8"));
        const mayChange = args.includes("delete") || args.some((arg) => /^(-\w*f|--force)/.test(arg));
        if (!mayChange) expect(kept.accounts).toMatchObject(cliConfig.accounts);
      });
      return fc.assert(property, { seed: SEED + number, numRuns: amount(200, 100_000) / LANES });
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  },
  LIMIT_MS,
);
