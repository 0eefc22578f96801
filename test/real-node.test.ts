// Every command that speaks to a network, against the interface of a real Jstz node: what works here works there, and
// what does not says why.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../cli/program.ts";
import { BOOTSTRAP_ACCOUNTS } from "../daemon/protocol/constants.ts";
import { LIMITS } from "../daemon/protocol/real-runtime.ts";
import { type BuiltCli, builtCli, type CommandResult, startedSandbox } from "./support/built-cli.ts";
import { type RealNode, startRealNode } from "./support/real-node.ts";

let behind: BuiltCli;
let node: RealNode;
/** Has no sandbox of its own: whatever it does goes over the network. */
let cli: BuiltCli;

beforeAll(async () => {
  const sandbox = await startedSandbox({ runtime_node: { strict: true } });
  behind = sandbox.cli;
  node = await startRealNode(sandbox.ready.runtime);
  cli = builtCli({ FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:9" });
  const endpoints = [
    "--octez-node-rpc-endpoint",
    sandbox.ready.layer1,
    "--jstz-node-endpoint",
    node.endpoint,
  ];
  await cli.functez(["network", "add", "real", ...endpoints]);
  await cli.functez(["account", "create", "alice"]);
  const { address } = JSON.parse((await cli.functez(["--json", "whoami"])).stdout) as { address: string };
  await behind.functez(["bridge", "deposit", "--from", "bootstrap1", "--to", address, "--amount", "50"]);
  const counter = join(cli.configHome, "counter.ts");
  writeFileSync(
    counter,
    "export default (request: Request): Response => {\n" +
      "  const count = (Kv.get<number>('count') ?? 0) + 1;\n" +
      "  Kv.set('count', count);\n  console.log(`count ${count}`);\n  return Response.json({ count });\n};\n",
  );
  expect((await onReal("deploy", counter, "--name", "counter")).code).toBe(0);
});
afterAll(async () => {
  await node.close();
  await cli.dispose();
  await behind.dispose();
});

const onReal = (...args: string[]): Promise<CommandResult> => cli.functez([...args, "-n", "real"]);

interface Expected {
  readonly args: readonly string[];
  readonly input?: string;
  readonly stdout?: RegExp;
  /** Code of the error that it ends with. */
  readonly fails?: string;
}

/** Each command with what it says; those that run until they are stopped are tested below. */
const COMMANDS: Readonly<Record<string, readonly Expected[]>> = {
  "account balance": [{ args: ["account", "balance"], stdout: /^50ꜩ/ }],
  "account code": [{ args: ["account", "code", "-a", "counter"], stdout: /console\.log/ }],
  deploy: [
    { args: ["deploy", "export default () => new Response()"], stdout: /deployed by alice/ },
    { args: ["deploy", "export default () => new Response(Kv.has('a'))"], fails: "CHECK_FAILED" },
    { args: ["deploy", "export default () => new Response(Kv.has('a'))", "--no-check"], stdout: /KT1/ },
  ],
  run: [
    { args: ["run", "counter/"], stdout: /"count": 1/ },
    { args: ["run", "counter/", "-i"], stdout: /^200 OK\ncontent-type: application\/json/ },
    { args: ["run", "counter/", "-t"], stdout: /"count": 3/ },
    {
      args: ["run", "counter/", "-m", "POST", "-d", "x".repeat(LIMITS.operationBytes)],
      fails: "OPERATION_TOO_LARGE",
    },
  ],
  "kv get": [{ args: ["kv", "get", "count", "-a", "counter"], stdout: /^3\n/ }],
  "kv list": [{ args: ["kv", "list", "-a", "counter"], stdout: /^count\n/ }],
  transfer: [{ args: ["transfer", "1", "counter"], stdout: /^Transferred 1 XTZ/ }],
  "call trace": [
    { args: ["call", "trace", "0".repeat(64)], fails: "NOT_FOUND" },
    { args: ["call", "trace", "0".repeat(64), "--source"], fails: "BAD_OPTION" },
  ],
  repl: [{ args: ["repl"], input: "1 + 1\n", stdout: /2/ }],
  "bridge deposit": [
    {
      args: ["bridge", "deposit", "--from", "bootstrap2", "--to", "alice", "--amount", "2"],
      fails: "PUBLIC_KEY_REFUSED",
    },
    {
      args: [
        "bridge",
        "deposit",
        "--from",
        "bootstrap2",
        "--to",
        "alice",
        "--amount",
        "2",
        "--yes-public-key",
      ],
      stdout: /^Deposited 2 XTZ/,
    },
  ],
  "bridge withdraw": [
    { args: ["bridge", "withdraw", "--to", "alice", "--amount", "1"], fails: "OPERATION_FAILED" },
  ],
  "bridge fa-deploy": [
    {
      args: ["bridge", "fa-deploy", "--source", "bootstrap3", "--total-ticket-supply", "100"],
      fails: "PUBLIC_KEY_REFUSED",
    },
    {
      args: [
        ...["bridge", "fa-deploy", "--source", "bootstrap3", "--total-ticket-supply", "100"],
        "--yes-public-key",
      ],
      stdout: /KT1/,
    },
  ],
  "bridge fa-deposit": [
    {
      args: [
        ...["bridge", "fa-deposit", "--bridge", "fa-token-bridge", "--from", "bootstrap3", "--to", "alice"],
        ...["--amount", "30", "--no-wait"],
      ],
      fails: "PUBLIC_KEY_REFUSED",
    },
    {
      args: [
        ...["bridge", "fa-deposit", "--bridge", "fa-token-bridge", "--from", "bootstrap3", "--to", "alice"],
        ...["--amount", "30", "--no-wait", "--yes-public-key"],
      ],
      stdout: /^Deposited 30 tokens/,
    },
  ],
  "bridge fa-withdraw": [
    {
      args: ["bridge", "fa-withdraw", "--bridge", "fa-token-bridge", "--to", "alice", "--amount", "1"],
      fails: "OPERATION_FAILED",
    },
  ],
};
/** They run until they are stopped. */
const FOLLOWING = ["logs trace", "dev"];

describe("on a real node", () => {
  // In this order: later commands read what earlier ones made.
  for (const [name, runs] of Object.entries(COMMANDS))
    it.each(runs)(`${name}: $args`, async ({ args, input, stdout, fails }) => {
      const result = await cli.functez([...args, "-n", "real"], input === undefined ? {} : { input });
      const code = /ERROR (\w+)/.exec(result.stderr)?.[1];
      expect([code, result.code], result.stderr).toEqual([fails, fails === undefined ? 0 : 1]);
      if (stdout !== undefined) expect(result.stdout).toMatch(stdout);
    });

  it("logs trace follows the log of a function", async () => {
    const following = cli.start("functez", ["logs", "trace", "counter", "-n", "real"]);
    await following.line(/Connected to smart function/);
    await onReal("run", "counter/");
    expect(await following.line(/count \d/)).toMatch(/^\[INFO\]: count \d/);
    following.child.kill("SIGINT");
    await following.ended;
  });

  it("dev deploys and follows", async () => {
    const file = join(cli.configHome, "counter.ts");
    const following = cli.start("functez", ["dev", file, "--name", "watched", "-n", "real"]);
    await following.line(/Watching/);
    expect((await onReal("run", "watched/")).stdout).toContain('"count": 1');
    await following.line(/count 1/);
    following.child.kill("SIGINT");
    await following.ended;
  });

  it("covers every command that has --network", () => {
    const named: string[] = [];
    const look = (command: ReturnType<typeof createProgram>, path: readonly string[]): void => {
      if (command.options.some(({ long }) => long === "--network")) named.push(path.join(" "));
      for (const child of command.commands) look(child, [...path, child.name()]);
    };
    look(
      createProgram(
        () => undefined as never,
        () => undefined,
      ),
      [],
    );
    expect([...Object.keys(COMMANDS), ...FOLLOWING].sort()).toEqual(named.sort());
  });

  it("uses its routes only, except where it asks whether there is more", () => {
    const foreign = node.seen.filter((line) => /404$/.test(line) && !/receipt|accounts/.test(line));
    expect([...new Set(foreign)].sort()).toEqual(["GET /deposits 404", "GET /operations/:/trace 404"]);
    expect(node.seen).toContain("GET /operations/:/receipt 404");
  });

  it("signs with no published key, whatever alias it was imported under", async () => {
    const { secretKey } = BOOTSTRAP_ACCOUNTS[4];
    await cli.functez(["account", "import", "mine"], { input: `${secretKey}\n` });
    await cli.functez(["login", "mine"]);
    const refused = await onReal("run", "counter/");
    await cli.functez(["login", "alice"]);
    expect(/ERROR (\w+)/.exec(refused.stderr)?.[1]).toBe("PUBLIC_KEY_REFUSED");
  });
});
