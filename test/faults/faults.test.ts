// Faults of the machine: full disks, unwritable folders, no file descriptors, jumping clocks, unresolvable names.
// Nothing is lost, and failures are reported.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { runContent, Signer } from "../../daemon/runtime/test-node.ts";
import { type BuiltCli, builtCli, type CommandResult, DIST, type ReadyLine } from "../support/built-cli.ts";
import { canBind, configFile, ready, until } from "../support/processes.ts";

let cli: BuiltCli;
beforeEach(() => {
  cli = builtCli();
});
afterEach(() => cli.dispose());

/** Limits and redirections need a shell; without one (Windows) these tests do not apply. */
const HAS_SHELL = process.platform !== "win32";
const HAS_DEV_FULL = process.platform === "linux";
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

const shell = (script: string, env = cli.env) =>
  spawn("bash", ["-c", script, process.execPath, DIST], { env, stdio: ["ignore", "pipe", "pipe"] });

function run(script: string): Promise<CommandResult> {
  const child = shell(script);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code: code ?? -1, stdout, stderr })));
}

/** A sandbox started by a script, which must replace the shell with it (`exec`). */
async function sandboxBy(script: string): Promise<{ ready: ReadyLine; stop: () => Promise<number | null> }> {
  const child = shell(script);
  child.stderr.resume();
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { ready: JSON.parse(line) as ReadyLine, stop };
}

async function expectWorks({ sandboxd }: ReadyLine): Promise<void> {
  cli.env["FUNCTEZ_SANDBOX_URL"] = sandboxd;
  const answer = await cli.functez(["bridge", "deposit", "-f", "bootstrap1", "-t", "bootstrap2", "-a", "1"]);
  expect(answer.code, answer.stderr).toBe(0);
}

it.runIf(HAS_SHELL)(
  "a disk that fills up in the middle of a write leaves the accounts unchanged",
  async () => {
    await cli.functez(["account", "create", "a"]);
    const file = join(cli.configHome, "functez/config.json");
    const config = JSON.parse(readFileSync(file, "utf8")) as { accounts: Record<string, unknown> };
    for (let i = 0; i < 8; i++) config.accounts[`a${i}`] = config.accounts["a"];
    const before = JSON.stringify(config);
    writeFileSync(file, before);
    expect(before.length).toBeGreaterThan(1024);
    // One block of 1024 bytes can be written, and no more: the write itself is partial.
    const answer = await run(`trap '' XFSZ; ulimit -f 1; "$0" "$1/functez.mjs" --json account create late`);
    expect(answer.code).toBe(1);
    expect(answer.stdout).toContain("CLI_CONFIG_UNWRITABLE");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(await cli.functez(["account", "create", "late"])).toMatchObject({ code: 0 });
  },
);

it("an unwritable configuration folder stops no sandbox; commands that need it report it", async () => {
  // A file in place of the folder: not even the superuser can write there.
  const blocked = join(cli.configHome, "file");
  writeFileSync(blocked, "");
  cli.env["XDG_CONFIG_HOME"] = blocked;
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  await expectWorks(await ready(daemon));
  const answer = await cli.functez(["--json", "account", "create", "alice"]);
  expect([answer.code, answer.stdout.includes("CLI_CONFIG")]).toEqual([1, true]);
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});

it("a background sandbox with an unwritable folder says how to reach and stop it", async () => {
  const { file, ports } = await configFile(cli);
  const blocked = join(cli.configHome, "file");
  writeFileSync(blocked, "");
  cli.env["XDG_CONFIG_HOME"] = blocked;
  const started = await cli.functez(["sandbox", "start", "-d", "-c", file]);
  expect(started.code).toBe(0);
  expect(started.stderr).toContain("is not writable");
  // The lines are followed literally: an export, then a command.
  const exported = /export (\w+)=(\S+)$/m.exec(started.stderr)!;
  expect(exported[2]).toBe(`http://127.0.0.1:${ports[0]}`);
  expect(started.stderr.match(/`functez [^`]*`/g)).toEqual(["`functez sandbox stop`"]);
  const env = { [exported[1]!]: exported[2]! };
  expect((await cli.functez(["sandbox", "status"], { env })).stdout).toContain("Sandbox healthy");
  expect(await cli.functez(["sandbox", "stop"], { env })).toMatchObject({
    code: 0,
    stdout: "Sandbox stopped\n",
  });
});

it.runIf(HAS_DEV_FULL).each([
  ["its log file", `--log-file /dev/full --log-level debug`],
  ["its standard error", `--log-level debug 2>/dev/full`],
])("a full disk under %s ends no sandbox", async (_name, more) => {
  const started = await sandboxBy(`exec "$0" "$1/sandboxd.cjs" run --free-ports --json ${more}`);
  await expectWorks(started.ready);
  expect(await started.stop()).toBe(0);
});

it.runIf(HAS_DEV_FULL)("an unwritable standard output ends no sandbox", async () => {
  const { file, ports } = await configFile(cli);
  const child = shell(`exec "$0" "$1/sandboxd.cjs" run "${file}" >/dev/full`);
  child.stderr.resume();
  const sandboxd = `http://127.0.0.1:${ports[0]}`;
  const isHealthy = () =>
    fetch(`${sandboxd}/health`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until("it is healthy", 15_000, isHealthy);
  child.kill("SIGTERM");
  expect((await once(child, "close")) as unknown[]).toEqual([0, null]);
});

it.runIf(HAS_SHELL)("a sandbox that ran out of file descriptors recovers", async () => {
  const started = await sandboxBy(
    `ulimit -n 80; exec "$0" "$1/sandboxd.cjs" run --free-ports --json 2>/dev/null`,
  );
  const { hostname, port } = new URL(started.ready.sandboxd);
  const sockets: Socket[] = Array.from({ length: 300 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const socket of sockets) socket.destroy();
  await until("it answers again", 10_000, () =>
    fetch(`${started.ready.sandboxd}/health`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  await expectWorks(started.ready);
  expect(await started.stop()).toBe(0);
});

it("a port that another program takes at the last moment is reported, and no other port stays bound", async () => {
  const { file, ports } = await configFile(cli);
  for (const taken of [ports[1]!, ports[2]!]) {
    const stranger = createServer().listen(taken, "127.0.0.1");
    await once(stranger, "listening");
    const daemon = cli.start("sandboxd", ["run", file, "--json"]);
    expect(await daemon.ended).toBe(1);
    expect(daemon.output()).toContain(`"code":"PORT_IN_USE","message":"Port ${taken} `);
    for (const port of ports) expect(await canBind(port), `port ${port}`).toEqual(port !== taken);
    await new Promise((resolve) => stranger.close(resolve));
  }
});

it("a clock that jumps by hours, forward and back, ends nothing early, stops no blocks and loses no deposit", async () => {
  // Every thread of daemon and commands sees a clock that jumps every 20 ms: between any two reads.
  const jumping = `const real = Date.now, start = performance.now();
    Date.now = () => real() + [0, 3600e3, -7200e3, 86400e3][Math.floor((performance.now() - start) / 20) % 4];`;
  cli.env["NODE_OPTIONS"] = `--import data:text/javascript,${encodeURIComponent(jumping)}`;
  const { file } = await configFile(cli, {});
  const daemon = cli.start("sandboxd", ["run", file, "--json"]);
  const { sandboxd, layer1 } = await ready(daemon);
  const level = async () =>
    ((await (await fetch(`${layer1}/chains/main/blocks/head/header`)).json()) as { level: number }).level;
  const before = await level();
  cli.env["FUNCTEZ_SANDBOX_URL"] = sandboxd;
  for (let i = 0; i < 3; i++) {
    const args = ["bridge", "deposit", "-f", `bootstrap${i}`, "-t", "bootstrap4", "-a", "2"];
    expect(await cli.functez(args)).toMatchObject({ code: 0 });
  }
  expect(await cli.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
  const source = join(cli.configHome, "hello.js");
  writeFileSync(source, "export default () => new Response('hello');");
  expect(await cli.functez(["deploy", source, "--name", "hello"])).toMatchObject({ code: 0 });
  expect(await cli.functez(["run", "jstz://hello/"])).toMatchObject({ code: 0 });
  await until("blocks are made", 15_000, async () => (await level()) >= before + 5);
  const { accounts } = (await (await fetch(`${sandboxd}/accounts`)).json()) as {
    accounts: { label: string; runtime_balance: string }[];
  };
  expect(accounts.find(({ label }) => label === "bootstrap4")?.runtime_balance).toBe("6000000");
  expect((await fetch(`${sandboxd}/health`)).status).toBe(200);
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0 });
  expect(await daemon.ended).toBe(0);
  expect(await cli.functez(["sandbox", "start", "--detach", "-c", file])).toMatchObject({ code: 0 });
  expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0 });
});

it("works for a host name of either loopback address", async () => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const endpoints = await ready(daemon);
  for (const base of [endpoints.sandboxd, endpoints.layer1, endpoints.runtime]) {
    const { port } = new URL(base);
    for (const host of hasIpv6 ? ["127.0.0.1", "[::1]"] : ["127.0.0.1"]) {
      const answer = await fetch(`http://${host}:${port}/health`);
      expect(answer.status < 500, host).toBe(true);
    }
  }
});

it("a main heap close to its limit handles an ordinary workload", async () => {
  cli.env["NODE_OPTIONS"] = "--max-old-space-size=64";
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const endpoints = await ready(daemon);
  delete cli.env["NODE_OPTIONS"];
  const signer = new Signer(createRuntimeClient(endpoints.runtime));
  const address = await signer.deploy(
    "export default () => { for (let i = 0; i < 50; i++) console.log('x'.repeat(1000)); return new Response('x'.repeat(100000)); }",
  );
  for (let i = 0; i < 150; i++) {
    expect(await signer.run(`jstz://${address}/`)).toMatchObject({ statusCode: 200 });
  }
  await expectWorks(endpoints);
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});

it("a full main heap ends the daemon at once; nothing is left behind, and the next start is a fresh sandbox", async () => {
  await cli.functez(["account", "create", "alice"]);
  const config = join(cli.configHome, "functez/config.json");
  const accounts = readFileSync(config, "utf8");
  const { file, ports } = await configFile(cli);
  cli.env["NODE_OPTIONS"] = "--max-old-space-size=40";
  const daemon = cli.start("sandboxd", ["run", file, "--json"]);
  const endpoints = await ready(daemon);
  delete cli.env["NODE_OPTIONS"];
  const runtime = createRuntimeClient(endpoints.runtime);
  const signer = new Signer(runtime);
  // Only the main thread keeps receipts; their limit is more than this heap has left.
  const address = await signer.deploy("export default () => new Response('x'.repeat(4_000_000));");
  let answered = 0;
  const ended = once(daemon.child, "exit") as Promise<[number | null]>;
  const filling = (async () => {
    for (; answered < 40; answered++) await signer.send(runContent(`jstz://${address}/`));
  })().catch((error: unknown) => error);
  expect((await ended)[0]).not.toBe(0);
  expect(daemon.output()).toMatch(/heap/i);
  expect(await filling).toBeInstanceOf(Error);
  expect(answered).toBeGreaterThan(0);
  for (const port of ports) expect(await canBind(port), `port ${port}`).toBe(true);

  cli.env["FUNCTEZ_SANDBOX_URL"] = endpoints.sandboxd;
  const answer = await cli.functez([
    "--json",
    "bridge",
    "deposit",
    "-f",
    "bootstrap1",
    "-t",
    "alice",
    "-a",
    "1",
  ]);
  expect([answer.code, answer.stdout.includes("SANDBOX_NOT_RUNNING")]).toEqual([1, true]);
  expect(readFileSync(config, "utf8")).toBe(accounts);
  const next = cli.start("sandboxd", ["run", file, "--json"]);
  const fresh = await ready(next);
  expect(await createRuntimeClient(fresh.runtime).account(address)).toBeUndefined();
  await expectWorks(fresh);
  next.child.kill("SIGTERM");
  expect(await next.ended).toBe(0);
});

it("a function whose host name does not resolve gets an error, and the sandbox keeps running", async () => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const endpoints = await ready(daemon);
  const signer = new Signer(createRuntimeClient(endpoints.runtime));
  const address = await signer.deploy(
    `export default async () => { const answer = await fetch("http://no-such-host.invalid/", { method: "POST" }); return new Response(String(answer.status)); }`,
  );
  const { body } = await signer.run(`jstz://${address}/`);
  expect(["502", "408"]).toContain(body);
  await expectWorks(endpoints);
});
