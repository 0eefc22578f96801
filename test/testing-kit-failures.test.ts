// What the test kit says when a test fails, in the test runners: each runs a suite with a passing test and some that fail.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, builtCli, DIST, ROOT } from "./support/built-cli.ts";

const BANK = `interface Account {
  total: number;
}

function add(account: Account, amount: number): void {
  if (amount > 100) throw new RangeError("too much: \\u001b[31m" + amount);
  account.total += amount;
}

export default (request: Request): Response => {
  const account: Account = { total: 0 };
  add(account, Number(new URL(request.url).searchParams.get("add")));
  return account.total === 1 ? new Response("x".repeat(12_000_000)) : Response.json(account);
};
`;

const suiteOf = (imports: string): string => `${imports}
import { startSandbox } from ${JSON.stringify(pathToFileURL(join(DIST, "testing.mjs")).href)};

let sandbox, alice, bank;
const begin = async () => {
  sandbox = await startSandbox();
  alice = await sandbox.createAccount();
  bank = await sandbox.deploy("bank.ts", { from: alice });
};
const call = (path) => bank.call(path, { from: alice });
beforeAll(begin);
afterEach((test) => sandbox.printFailure(test));
afterAll(() => sandbox.stop());

it("passes", async () => {
  await call("/?add=7");
});
it("fails by the answer of its call", async () => {
  await call("/?add=99");
  const { status } = await call("/?add=101");
  if (status !== 200) throw new Error("status " + status);
});
it("fails with its call", async () => {
  await call("/?add=1").catch((error) => { // its answer is too large
    throw new Error(error.code + " of operation " + error.data.operation);
  });
});
it("fails by its assertion", async () => {
  const { total } = await (await call("/?add=5")).json();
  if (total !== 6) throw new Error("wrong total");
});
`;

let cli: BuiltCli;
let folder: string;
beforeAll(() => {
  cli = builtCli();
  folder = join(cli.configHome, "suite");
  mkdirSync(folder);
  writeFileSync(join(folder, "bank.ts"), BANK);
  const node = `import { it, before as beforeAll, after as afterAll, afterEach } from "node:test";`;
  writeFileSync(join(folder, "node.test.mjs"), suiteOf(node));
  writeFileSync(join(folder, "vitest.test.mjs"), suiteOf(""));
});
afterAll(() => cli.dispose());

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // A runner inside of one of the same kind would report to that one.
    env: { ...cli.env, NODE_TEST_CONTEXT: undefined, VITEST: undefined, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(output).not.toBe("");
  expect(code, output).toBe(1);
  return output;
}

it("shows the operations of failed tests, and where a call failed, in node:test", async () => {
  const output = await run(["--test-reporter", "tap", "node.test.mjs"]);
  expect(output.match(/Operations of the failed test/g)).toHaveLength(3);
  expect(output).not.toContain("add=7"); // of the test that passes
  expect(output).toMatch(/[0-9a-f]{64} {2}GET \/\?add=99 of KT1\w+ {2}200/);
  expect(output).toMatch(/[0-9a-f]{64} {2}GET \/\?add=101 of KT1\w+ {2}500/);
  expect(output).toMatch(/at add \(bank\.ts:6:\d+\)/);
  expect(output).toContain("amount = 101");
  expect(output).toContain("too much: \\u001b[31m101");
  expect(output).toMatch(/[0-9a-f]{64} {2}GET \/\?add=1 of KT1\w+ {2}failed: ResponseTooLarge/);
  expect(output).toMatch(/[0-9a-f]{64} {2}GET \/\?add=5 of KT1\w+ {2}200/);
  expect(output).toContain("FUNCTEZ_KEEP=1");
  expect(output).not.toContain("functez debug"); // the sandbox ends with the test
});

it("keeps the sandbox, and the shown command opens it, in Vitest", async () => {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const output = await run([vitest, "run", "--globals", "--root", ".", "vitest.test.mjs"], {
    FUNCTEZ_KEEP: "1",
  });
  const [, endpoint = ""] = /stays at (\S+?),/.exec(output) ?? [];
  const env = { FUNCTEZ_SANDBOX_URL: endpoint };
  try {
    const commands = [...output.matchAll(/FUNCTEZ_SANDBOX_URL=(\S+) functez debug ([0-9a-f]{64})/g)];
    expect(new Set(commands.map(([, at]) => at))).toEqual(new Set([endpoint]));
    expect(output.match(/Operations of the failed test/g)).toHaveLength(3);
    const [, refused] = /([0-9a-f]{64}) {2}GET \/\?add=1 of KT1\w+ {2}failed: /.exec(output) ?? [];
    expect(output).toContain(`RUN_FAILED of operation ${refused}`);
    const hashOf = (path: string): string =>
      new RegExp(`([0-9a-f]{64}) {2}GET /\\?${path} of`).exec(output)?.[1] ?? "";
    expect(commands.map(([, , hash]) => hash)).toEqual(
      expect.arrayContaining([hashOf("add=101"), hashOf("add=5")]),
    );
    const [failed, passed] = await Promise.all(
      ["add=101", "add=5"].map(
        async (path) => (await cli.functez(["debug", hashOf(path)], { env, cwd: folder })).stdout,
      ),
    );
    expect(failed).toMatch(/at add \(bank\.ts:6:\d+\)/);
    expect(passed).toMatch(/\(bank\.ts:\d+:\d+\)/);
  } finally {
    expect(await cli.functez(["sandbox", "stop"], { env })).toMatchObject({ code: 0 });
  }
});
