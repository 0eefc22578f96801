// Which sandbox the command line uses, with several sandboxes and users on one machine.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { keepAdminSecret } from "../daemon/local/kept-secrets.ts";
import { writeOwnerRecord } from "../daemon/local/owner-record.ts";
import { DEFAULT_PORTS } from "../daemon/protocol/constants.ts";
import { type BuiltCli, builtCli, DIST, type RunningProcess } from "./support/built-cli.ts";
import { amount } from "./support/long-run.ts";
import { canBind, configFile, isAlive, ready, until } from "./support/processes.ts";

const opened: BuiltCli[] = [];
afterEach(async () => {
  for (const cli of opened.splice(0)) await cli.dispose();
});

/** A user of the machine, with their own configuration folder. */
function user(): BuiltCli {
  const cli = builtCli();
  delete cli.env["FUNCTEZ_SANDBOX_URL"];
  opened.push(cli);
  return cli;
}

async function running(
  cli: BuiltCli,
): Promise<{ readonly endpoint: string; readonly daemon: RunningProcess }> {
  const { file } = await configFile(cli);
  const daemon = cli.start("sandboxd", ["run", file, "--lifeline", "--json"], { stdin: "pipe" });
  return { endpoint: (await ready(daemon)).sandboxd, daemon };
}

const statusOf = async (cli: BuiltCli) =>
  JSON.parse((await cli.functez(["sandbox", "status", "--json"])).stdout) as {
    running: boolean;
    pid?: number;
    endpoints?: { sandboxd: string };
  };

it("is the user's own on other ports, without a remark", async () => {
  const cli = user();
  const { endpoint } = await running(cli);
  expect((await statusOf(cli)).endpoints?.sandboxd).toBe(endpoint);
  expect(await cli.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
  const deposit = ["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "1"];
  expect(await cli.functez(deposit)).toMatchObject({ code: 0 });
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0, stdout: "Sandbox stopped\n" });
});

it("is the one started last, and the command says that there are others", async () => {
  const cli = user();
  const first = await running(cli);
  const second = await running(cli);
  const { stdout, stderr } = await cli.functez(["account", "balance", "-a", "bootstrap1"]);
  expect(stdout).toBe("0ꜩ\n");
  expect(stderr).toContain(`this is the one at ${second.endpoint}`);
  expect(stderr).toContain(first.endpoint);
});

it("is never another user's for a change", async ({ skip }) => {
  // Another user's sandbox is found on the usual port.
  if (!(await canBind(DEFAULT_PORTS.sandboxd))) skip("the usual port is taken on this machine");
  const [owner, other] = [user(), user()];
  const file = join(owner.configHome, "usual.json");
  writeFileSync(
    file,
    JSON.stringify({
      layer1_node: { rpc_endpoint: "127.0.0.1:0" },
      runtime_node: { endpoint: "127.0.0.1:0" },
    }),
  );
  const daemon = owner.start("sandboxd", ["run", file, "--lifeline", "--json"], { stdin: "pipe" });
  const { sandboxd } = await ready(daemon);
  expect(await other.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
  const changes = [
    ["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "1"],
    ["deploy", "examples/counter/index.ts", "--name", "counter"],
    ["run", "jstz://jstz/withdraw", "-m", "POST", "-d", "{}"],
    ["sandbox", "snapshot"],
    ["sandbox", "stop"],
    ["sandbox", "restart", "-d"],
    ["sandbox", "start", "-d"],
  ];
  for (const args of changes) {
    const { code, stdout } = await other.functez(["--json", ...args]);
    const { error } = JSON.parse(stdout) as { error?: { code: string } };
    expect([code, error?.code], args.join(" ")).toEqual([1, "SANDBOX_FOREIGN"]);
  }
  const looked = await other.functez(["account", "balance", "-a", "bootstrap1"]);
  expect(looked).toMatchObject({ code: 0, stdout: "0ꜩ\n" });
  expect(looked.stderr).toContain("started by another user");
  // If named explicitly, it is used.
  const named = { env: { FUNCTEZ_SANDBOX_URL: sandboxd } };
  expect(await other.functez(changes[0]!, named)).toMatchObject({ code: 0 });
  expect((await statusOf(owner)).running).toBe(true);
});

it("is no foreign one in the place of a former container of ours", async () => {
  const [owner, other] = [user(), user()];
  const { endpoint } = await running(owner);
  expect(keepAdminSecret(endpoint, "secret-of-a-container-that-is-gone", other.env)).toBeUndefined();
  for (const args of [
    ["sandbox", "stop"],
    ["sandbox", "snapshot"],
  ]) {
    const { code, stdout } = await other.functez(["--json", ...args]);
    const { error } = JSON.parse(stdout) as { error?: { code: string } };
    expect([code, error?.code], args.join(" ")).toEqual([1, "SANDBOX_FOREIGN"]);
  }
  expect((await statusOf(owner)).running).toBe(true);
});

it("reports on a second start how it differs from the file, and how to reach the first", async () => {
  const cli = user();
  const { file, ports } = await configFile(cli);
  const first = await cli.functez(["sandbox", "start", "-d", "-c", file]);
  expect(first.stderr).toContain(`FUNCTEZ_SANDBOX_URL=http://127.0.0.1:${ports[0]}`);
  const same = await cli.functez(["--json", "sandbox", "start", "-d", "-c", file]);
  expect([same.stderr, JSON.parse(same.stdout)]).toMatchObject(["", { running: true, differences: [] }]);
  const config = JSON.parse(readFileSync(file, "utf8")) as { layer1_node?: object };
  const other = join(cli.configHome, "other.json");
  const write = (layer1: object) =>
    writeFileSync(
      other,
      JSON.stringify({ ...config, layer1_node: { ...config.layer1_node, ...layer1 }, unheard_of: 1 }),
    );
  write({ block_time: 30 });
  const second = await cli.functez(["--json", "sandbox", "start", "-d", "-c", other]);
  expect(JSON.parse(second.stdout)).toMatchObject({
    differences: [{ key: "layer1_node.block_time", wanted: 30 }],
  });
  const warnings = second.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { warning?: string });
  expect(warnings.map(({ warning }) => /unheard_of|block_time/.exec(warning ?? "")?.[0])).toEqual([
    "unheard_of",
    "block_time",
  ]);
  // It keeps running as it was started: in the background.
  expect(warnings[1]!.warning).toContain(`\`functez sandbox restart -d -c ${other}\``);
  write({ block_time: "never" });
  const wrong = await cli.functez(["--json", "sandbox", "start", "-d", "-c", other]);
  expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([1, { error: { code: "CONFIG_INVALID" } }]);
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0 });
});

it.each(["by its record", "by the environment"])(
  "keeps its secret from another program that took its port, known %s",
  async (known) => {
    const cli = user();
    let received = "";
    const impostor = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        received += bytes.toString("latin1");
        const body = JSON.stringify({
          pid: process.pid,
          version: "1",
          status: "healthy",
          parts: [],
          clients: 0,
        });
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
    const { port } = impostor.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const secret = "secret-that-only-its-owner-may-know";
    try {
      const env: NodeJS.ProcessEnv = { FUNCTEZ_SANDBOX_URL: endpoint };
      if (known === "by the environment") env["FUNCTEZ_ADMIN_SECRET"] = secret;
      else {
        const record = {
          startedAt: "",
          version: "1",
          endpoint,
          adminSecret: secret,
          life: "detached" as const,
        };
        expect(writeOwnerRecord(port, { ...record, pid: process.pid }, cli.env)).toBeUndefined();
      }
      const { stdout } = await cli.functez(["--json", "sandbox", "snapshot"], { env });
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: "OWNER_UNPROVEN" } });
      await cli.functez(["--json", "sandbox", "status"], { env });
      expect(received).toContain("/owner/proof?nonce=");
      expect(received).not.toContain(secret);
    } finally {
      impostor.close();
    }
  },
);

it("is restarted with the configuration of its start, and not at all when that is missing", async () => {
  const cli = user();
  const { file } = await configFile(cli);
  expect(await cli.functez(["sandbox", "start", "-d", "-c", file])).toMatchObject({ code: 0 });
  const before = await statusOf(cli);
  expect(await cli.functez(["sandbox", "restart", "-d"])).toMatchObject({ code: 0 });
  const after = await statusOf(cli);
  expect(after.endpoints).toEqual(before.endpoints);
  expect(after.pid).not.toBe(before.pid);
  rmSync(file);
  const { code, stdout } = await cli.functez(["--json", "sandbox", "restart", "-d"]);
  expect([code, (JSON.parse(stdout) as { error?: { code: string } }).error?.code]).toEqual([
    1,
    "INPUT_NEEDED",
  ]);
  expect(await statusOf(cli)).toMatchObject({ running: true, pid: after.pid });
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0 });
});

it("is never one started for a single command", async () => {
  const cli = user();
  const inside = await cli.functez([
    "exec",
    "--",
    process.execPath,
    "-e",
    `const { spawnSync } = require("node:child_process");
     const env = { ...process.env };
     delete env.FUNCTEZ_SANDBOX_URL;
     const run = (env) => JSON.parse(
       spawnSync(process.execPath, [${JSON.stringify(join(DIST, "functez.mjs"))}, "sandbox", "status", "--json"], { env }).stdout,
     );
     const url = process.env.FUNCTEZ_SANDBOX_URL;
     console.log(run(process.env).endpoints.sandboxd === url, run(env).endpoints?.sandboxd === url);`,
  ]);
  expect(inside.stdout).toBe("true false\n");
});

it("is not started in the background on an unknown port", async () => {
  const cli = user();
  const file = join(cli.configHome, "any-port.json");
  writeFileSync(file, JSON.stringify({ server_port: 0 }));
  const { code, stdout } = await cli.functez(["--json", "sandbox", "start", "-d", "-c", file]);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "BAD_OPTION" } }]);
});

/** Delays each daemon before it does anything, and writes down its pid. */
const SLOW_DAEMON = `
  if (/sandboxd\\.cjs$/.test(process.argv[1] ?? "")) {
    require("node:fs").writeFileSync(process.env.SLOW_DAEMON_PID, String(process.pid));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  }`;

it("is not replaced after its stop by the daemon of a slower start", async () => {
  const cli = user();
  const { file } = await configFile(cli);
  const preload = join(cli.configHome, "slow.cjs");
  const pidFile = join(cli.configHome, "slow.pid");
  writeFileSync(preload, SLOW_DAEMON);
  const start = (env = {}) => cli.functez(["--json", "sandbox", "start", "-d", "-c", file], { env });
  const slow = start({ NODE_OPTIONS: `--require "${preload}"`, SLOW_DAEMON_PID: pidFile });
  await until("the slow daemon has begun", 10_000, () => existsSync(pidFile));
  const quick = await start();
  const pids = [quick, await slow].map(({ stdout }) => (JSON.parse(stdout) as { pid?: number }).pid);
  expect(pids[0]).toBeGreaterThan(0);
  expect(pids[1]).toBe(pids[0]);
  expect(isAlive(Number(readFileSync(pidFile, "utf8")))).toBe(false);
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0, stdout: "Sandbox stopped\n" });
});

/** Processes with a file among their arguments, where the system shows them. */
const processesWith = (file: string): number[] =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((name) => commandOf(name).includes(file))
        .map(Number)
    : [];
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended in the meantime
  }
};

it(
  "is the same for simultaneous starts, and each of them succeeds",
  async () => {
    const cli = user();
    for (let pair = 0; pair < amount(3, 500); pair++) {
      const { file } = await configFile(cli);
      const start = () => cli.functez(["--json", "sandbox", "start", "-d", "-c", file]);
      const late = new Promise((resolve) => setTimeout(resolve, pair % 11));
      const both = await Promise.all([start(), late.then(start)]);
      const pids = both.map(({ stdout }) => (JSON.parse(stdout) as { pid?: number }).pid);
      expect([pair, ...both.map(({ code }) => code)]).toEqual([pair, 0, 0]);
      expect(pids[0]).toBe(pids[1]);
      if (process.platform === "linux") expect(processesWith(file)).toEqual([pids[0]]);
      expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0, stdout: "Sandbox stopped\n" });
    }
  },
  amount(120_000, 3_600_000),
);
