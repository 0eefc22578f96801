// Life and death of the daemon: it ends with its spawner however that ends, starts are idempotent, ports are freed,
// operators' programs end with it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type BuiltCli, builtCli, DIST, type ReadyLine } from "../support/built-cli.ts";
import { amount } from "../support/long-run.ts";
import { canBind, configFile, freePorts, isAlive, portOf, ready, until } from "../support/processes.ts";

let cli: BuiltCli;
beforeEach(() => {
  cli = builtCli();
});
afterEach(() => cli.dispose());

it("leaves no process and no bound port when its spawner is killed", async () => {
  const { file, ports } = await configFile(cli);
  // The spawner is a separate process, so that SIGKILL leaves it no chance to clean up.
  const source = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, [${JSON.stringify(join(DIST, "sandboxd.cjs"))}, "run", ${JSON.stringify(file)}, "--lifeline", "--grace", "2", "--json"], { stdio: ["pipe", "pipe", "ignore"] });
    child.stdout.pipe(process.stdout);
    setInterval(() => undefined, 1000);`;
  const spawner = spawn(process.execPath, ["-e", source], {
    env: cli.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const line = await new Promise<string>((resolve) =>
    spawner.stdout.once("data", (data: Buffer) => resolve(data.toString())),
  );
  const { pid } = JSON.parse(line) as ReadyLine;
  expect(isAlive(pid)).toBe(true);
  spawner.kill("SIGKILL");
  await until("the daemon is gone", 15_000, () => !isAlive(pid));
  for (const port of ports) expect(await canBind(port)).toBe(true);
  expect(existsSync(join(cli.configHome, "functez", "run", `sandboxd-${ports[0]}.json`))).toBe(false);
});

it("survives for a client that attached meanwhile, and ends one grace period after it", async () => {
  const daemon = cli.start("sandboxd", ["run", "--lifeline", "--grace", "4", "--free-ports", "--json"], {
    stdin: "pipe",
  });
  const { sandboxd, pid } = await ready(daemon);
  const abort = new AbortController();
  const events = await fetch(`${sandboxd}/events?lifeline=1`, { signal: abort.signal });
  expect(events.headers.get("content-type")).toBe("text/event-stream");
  daemon.child.stdin?.end();
  await until("only the client holds it", 5000, async () => {
    const health = (await (await fetch(`${sandboxd}/health`)).json()) as { lifelines: number };
    return health.lifelines === 1;
  });
  abort.abort();
  await until("the daemon is gone", 15_000, () => !isAlive(pid));
  expect(await daemon.ended).toBe(0);
});

it("outlives its last client by its grace period, no less and not much more", async () => {
  const daemon = cli.start("sandboxd", ["run", "--lifeline", "--grace", "2", "--free-ports", "--json"], {
    stdin: "pipe",
  });
  await ready(daemon);
  const started = performance.now();
  daemon.child.stdin?.end();
  expect(await daemon.ended).toBe(0);
  const seconds = (performance.now() - started) / 1000;
  expect(seconds).toBeGreaterThan(1.9);
  expect(seconds).toBeLessThan(8); // the default grace period is 10 s
});

it("creates one daemon for two simultaneous starts, and both callers succeed", async () => {
  for (let round = 0; round < amount(6, 100); round++) {
    const { file, ports } = await configFile(cli);
    const both = [0, 1].map(() =>
      cli.start("sandboxd", ["run", file, "--lifeline", "--json", "--log-level", "error"], { stdin: "pipe" }),
    );
    const lines = await Promise.all(both.map(ready));
    expect(lines.map(({ attached }) => attached).sort()).toEqual([false, true]);
    expect(new Set(lines.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(lines.map(({ layer1 }) => layer1)).size).toBe(1);
    await fetch(`http://127.0.0.1:${ports[0]}/shutdown`, { method: "PUT" });
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
  }
}, 240_000);

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("stops in order and exits with 0 on %s", async (signal) => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const { sandboxd, layer1, runtime } = await ready(daemon);
  daemon.child.kill(signal);
  expect(await daemon.ended).toBe(0);
  for (const url of [sandboxd, layer1, runtime]) expect(await canBind(portOf(url))).toBe(true);
});

it("answers PUT /shutdown with 204 after everything has stopped", async () => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const { sandboxd, layer1, runtime } = await ready(daemon);
  const answer = await fetch(`${sandboxd}/shutdown`, { method: "PUT" });
  expect(answer.status).toBe(204);
  for (const url of [layer1, runtime]) expect(await canBind(portOf(url))).toBe(true);
  expect(await daemon.ended).toBe(0);
});

it("runs the operator's programs, reports the one that dies, and leaves none behind when it is killed", async () => {
  const [layer1Port, runtimePort] = (await freePorts(2)) as [number, number];
  const program = (name: string) => [
    process.execPath,
    join(DIST, `${name}.mjs`),
    "--endpoint",
    "{host}:{port}",
  ];
  const { file } = await configFile(cli, {
    layer1_node: { rpc_endpoint: `127.0.0.1:${layer1Port}`, command: program("layer1-node") },
    runtime_node: {
      endpoint: `127.0.0.1:${runtimePort}`,
      command: [...program("runtime-node"), "--layer1-endpoint", "{layer1_endpoint}"],
    },
  });
  const pidsOf = async (port: number): Promise<number[]> => {
    const { portHolder } = await import("../../daemon/local/port-holder.ts");
    const match = /process (\d+)/.exec((await portHolder(port)) ?? "");
    return match ? [Number(match[1])] : [];
  };

  const first = cli.start("sandboxd", ["run", file, "--json"]);
  const started = await ready(first);
  const [layer1Pid] = await pidsOf(layer1Port);
  const [runtimePid] = await pidsOf(runtimePort);
  expect(new Set([layer1Pid, runtimePid, started.pid]).size).toBe(3);
  process.kill(runtimePid!, "SIGKILL");
  await until("/health names the dead part", 10_000, async () => {
    const answer = await fetch(`${started.sandboxd}/health`);
    const { parts } = (await answer.json()) as { parts: { name: string; state: string; detail: string }[] };
    const runtime = parts.find(({ name }) => name === "runtime_node");
    return answer.status === 503 && runtime?.state === "failed" && runtime.detail.includes("SIGKILL");
  });
  first.child.kill("SIGKILL");
  await first.ended;
  await until("the operator's program is gone", 10_000, () => !isAlive(layer1Pid!));
  await until("its port is free", 5000, () => canBind(layer1Port));
});

it("watches parts that run elsewhere and neither starts nor stops them", async () => {
  const elsewhere = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const { layer1, runtime } = await ready(elsewhere);
  const { file } = await configFile(cli, {
    layer1_node: { rpc_endpoint: layer1, skipped: true },
    runtime_node: { endpoint: runtime, skipped: true },
  });
  const watching = cli.start("sandboxd", ["run", file, "--json"]);
  const own = await ready(watching);
  expect([own.layer1, own.runtime]).toEqual([layer1, runtime]);
  watching.child.kill("SIGTERM");
  expect(await watching.ended).toBe(0);
  expect((await fetch(`${layer1}/chains/main/chain_id`)).status).toBe(200);
});
