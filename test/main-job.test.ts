// A user's main workflow, exactly as in the README, through the built command line against a real sandbox.
import { existsSync, writeFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type BuiltCli,
  builtCli,
  type CommandResult,
  type ReadyLine,
  type RunningProcess,
  startedSandbox,
} from "./support/built-cli.ts";
import { freePorts } from "./support/processes.ts";

let cli: BuiltCli;
let sandbox: RunningProcess;
let ready: ReadyLine;

beforeAll(async () => {
  ({ cli, process: sandbox, ready } = await startedSandbox());
});
afterAll(() => cli.dispose());

const run = (line: string, input?: string): Promise<CommandResult> =>
  cli.functez(line.split(" "), input === undefined ? {} : { input });

/** Error code of a rejected command, with the checks that every rejection must pass. */
function refusal(result: CommandResult): string | undefined {
  expect(result.code).toBe(1);
  expect(result.stdout).toBe("");
  return /ERROR (\w+): /.exec(result.stderr)?.[1];
}

it("goes from nothing to a called smart function", async () => {
  expect(await run("account create alice")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^User created with address: tz1\w{33}\n$/) as string,
  });
  expect(await run("bridge deposit --from bootstrap1 --to alice --amount 1000 -n dev")).toMatchObject({
    code: 0,
    stdout: "Deposited 1000 XTZ from bootstrap1 to alice\n",
  });
  expect(await run("account balance -a alice -n dev")).toMatchObject({ code: 0, stdout: "1000ꜩ\n" });
  const deployed = await run("deploy examples/counter/index.ts --name counter -n dev");
  expect(deployed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Smart function deployed by alice at address: KT1\w{33}\nRun with `functez run jstz:/,
    ) as string,
  });
  expect(await run("run jstz://counter/increment -n dev")).toMatchObject({
    code: 0,
    stdout: '{\n  "count": 1\n}\n',
  });
  expect(await run("run counter/increment -n dev")).toMatchObject({
    code: 0,
    stdout: '{\n  "count": 2\n}\n',
  });
});

it("moved the tez on layer 1 and in the runtime, to the mutez", async () => {
  const { accounts } = (await (await fetch(`${ready.sandboxd}/accounts`)).json()) as {
    accounts: { label: string; layer1_balance: string }[];
  };
  expect(accounts.map(({ label }) => label)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `bootstrap${index}`));
  const spent = 100_000_000_000n - BigInt(accounts[1]!.layer1_balance);
  // 1000 tez, and a fee and a storage burn that together stay below a hundredth of a tez
  expect(spent).toBeGreaterThan(1_000_000_000n);
  expect(spent).toBeLessThan(1_000_050_000n);
  expect(accounts[2]!.layer1_balance).toBe("100000000000");
});

it("runs the hello and faucet examples as in their READMEs", async () => {
  await run("deploy examples/hello/index.ts --name hello -n dev");
  expect(await run("run hello/?name=Ada -n dev")).toMatchObject({ code: 0, stdout: "Hello, Ada!\n" });
  await run("deploy examples/faucet/index.ts --name faucet -n dev");
  await run("bridge deposit --from bootstrap2 --to faucet --amount 10 -n dev");
  const before = await run("account balance -n dev");
  const rude = await cli.functez(["run", "faucet/", "-m", "POST", "-d", '{"message":"give"}', "-n", "dev"]);
  expect(rude.stdout).toBe('Say "please".\n');
  expect(await run("account balance -n dev")).toEqual(before);
  const polite = await cli.functez([
    "run",
    "faucet/",
    "-m",
    "POST",
    "-d",
    '{"message":"please"}',
    "-n",
    "dev",
  ]);
  expect(polite.stdout).toBe('{\n  "paid": 1000000,\n  "total": 1000000\n}\n');
  expect((await run("account balance -n dev")).stdout).toBe("1001ꜩ\n");
  expect((await run("account balance -a faucet -n dev")).stdout).toBe("9ꜩ\n");
});

it.each([
  ["bridge deposit --from bootstrap9 --to alice --amount 1", "UNKNOWN_BOOTSTRAP"],
  ["bridge deposit --from nobody --to alice --amount 1", "UNKNOWN_BOOTSTRAP"],
  ["bridge deposit --from bootstrap1 --to alice --amount 0", "BAD_AMOUNT"],
  ["bridge deposit --from bootstrap1 --to alice --amount=-1", "BAD_AMOUNT"],
  ["bridge deposit --from bootstrap1 --to alice --amount 0.0000001", "BAD_AMOUNT"],
  ["bridge deposit --from bootstrap1 --to alice --amount 1e3", "BAD_AMOUNT"],
  ["bridge deposit --from bootstrap1 --to alice --amount 100001", "INSUFFICIENT_BALANCE"],
  // The whole balance: nothing is left for fee and storage.
  ["bridge deposit --from bootstrap4 --to alice --amount 100000", "INSUFFICIENT_BALANCE"],
  ["bridge deposit --from bootstrap1 --to tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSy --amount 1", "BAD_ADDRESS"],
  [
    "bridge deposit --from bootstrap1 --to tz4EECtMxAuJ9UDLaiMZH7G1GCFYUWsj8HZn --amount 1",
    "UNSUPPORTED_RECEIVER",
  ],
  [
    "bridge deposit --from bootstrap1 --to sr1PuFMgaRUN12rKQ3J2ae5psNtwCxPNmGNK --amount 1",
    "UNSUPPORTED_RECEIVER",
  ],
  ["bridge deposit --from bootstrap1 --to bob --amount 1", "UNKNOWN_ALIAS"],
  ["bridge deposit --from bootstrap1 --to alice --amount 1 -n nowhere", "UNKNOWN_NETWORK"],
])("refuses `functez %s`", async (line, code) => {
  const before = await (await fetch(`${ready.sandboxd}/accounts`)).text();
  expect(refusal(await run(line))).toBe(code);
  expect(await (await fetch(`${ready.sandboxd}/accounts`)).text()).toBe(before);
});

it("rejects a function with a syntax error and reports its position", async () => {
  const folder = join(cli.configHome, "broken");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.ts"), "export default function (\n  request: Request {\n}\n");
  const result = await run(`deploy ${join(folder, "index.ts")} --name broken`);
  expect(refusal(result)).toBe("BUILD_FAILED");
  expect(result.stderr).toMatch(/index\.ts:2:\d+/);
  expect((await run("account list")).stdout).not.toContain("broken");
  const plain = await cli.functez(["deploy", "export default function ( {", "--name", "broken"]);
  expect(refusal(plain)).toBe("DEPLOY_FAILED");
});

it("stops an endless loop with a clear error and keeps running", async () => {
  await cli.functez(["deploy", "export default () => { while (true); }", "--name", "spin"]);
  const result = await run("run spin/");
  expect(result.stdout + result.stderr).toMatch(/gas/i);
  expect((await run("run counter/get")).stdout).toBe('{\n  "count": 2\n}\n');
});

it("reports what is wrong with a broken configuration, and deleting the folder fixes it", async () => {
  const other = builtCli({ FUNCTEZ_SANDBOX_URL: ready.sandboxd });
  try {
    const folder = join(other.configHome, "functez");
    mkdirSync(folder);
    writeFileSync(join(folder, "config.json"), '{\n  "accounts": 5\n}\n');
    const result = await other.functez(["account", "list"]);
    expect(refusal(result)).toBe("CLI_CONFIG_INVALID");
    expect(result.stderr).toContain("improperly configured");
    expect(result.stderr).toMatch(/line 2, column 15/);
    rmSync(folder, { recursive: true });
    expect(await other.functez(["account", "create", "bob"])).toMatchObject({ code: 0 });
  } finally {
    await other.dispose();
  }
});

it("locates the mistake in a malformed sandbox configuration", async () => {
  const file = join(cli.configHome, "sandbox.json");
  writeFileSync(file, '{\n  "server_port": "x"\n}\n');
  const result = await run(`sandbox start -c ${file}`);
  expect(refusal(result)).toBe("CONFIG_INVALID");
  expect(result.stderr).toMatch(/line 2, column 18 \(server_port\): found "x"/);
  const executed = await run(`exec -c ${file} -- true`);
  expect([refusal(executed), executed.stderr.match(/ERROR/g)]).toEqual(["CONFIG_INVALID", ["ERROR"]]);
});

it("names the port that is in use and a free one", async () => {
  const port = new URL(ready.layer1).port;
  const file = join(cli.configHome, "taken.json");
  writeFileSync(file, JSON.stringify({ server_port: 0, layer1_node: { rpc_endpoint: `127.0.0.1:${port}` } }));
  const second = cli.start("sandboxd", ["run", file]);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(
    new RegExp(`ERROR PORT_IN_USE: Port ${port} .* is in use by .*process ${ready.pid}`),
  );
  expect(second.output()).toMatch(/layer1_node\.rpc_endpoint .* for example \d+/);
  const [free] = await freePorts(1);
  writeFileSync(
    file,
    JSON.stringify({ server_port: free, layer1_node: { rpc_endpoint: `127.0.0.1:${port}` } }),
  );
  const other = builtCli();
  const inBackground = await other.functez(["sandbox", "start", "--detach", "-c", file]);
  await other.dispose();
  expect(refusal(inBackground)).toBe("PORT_IN_USE");
  expect(inBackground.stderr).toMatch(/layer1_node\.rpc_endpoint .* for example \d+/);
});

it("stops, and leaves no process and no owner record", async () => {
  expect(await run("sandbox stop")).toMatchObject({ code: 0, stdout: "Sandbox stopped\n" });
  expect(await sandbox.ended).toBe(0);
  const port = new URL(ready.sandboxd).port;
  expect(existsSync(join(cli.configHome, "functez", "run", `sandboxd-${port}.json`))).toBe(false);
  expect(await run("sandbox stop")).toMatchObject({ code: 0, stdout: "The sandbox is not running!\n" });
  expect(refusal(await run("account balance -a alice"))).toBe("SANDBOX_NOT_RUNNING");
});
