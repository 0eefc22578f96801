// The editor's extension host killed or frozen at random moments. The host is a plain Node process with the built
// extension, fast enough for many rounds; test/editor does a few with a real editor.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMANDS } from "../../extension/ids.ts";
import { type BuiltCli, builtCli } from "../support/built-cli.ts";
import { amount, LONG, SEED, seededRandom } from "../support/long-run.ts";
import { canBind, freePorts, isAlive, until } from "../support/processes.ts";
import { totalTez } from "../support/total-tez.ts";
import { type Host, hostStarter } from "./support/hosts.ts";

const GRACE_SECONDS = 2; // the minimum of the setting
/** Longer than the timeout of any request of the extension, and than the grace period. */
const FREEZE_MS = 6000;
/** Nobody answers the question whether operations may be lost, such as one that a killed host has left. */
const UNASKED = { confirm: false };
const LIMIT_MS = LONG ? 3_600_000 : 120_000;
const random = seededRandom(SEED);

let cli: BuiltCli;
let ports: number[];
let endpoint: string;
let source: string;
let hosts: Awaited<ReturnType<typeof hostStarter>>;
beforeEach(async () => {
  cli = builtCli();
  ports = await freePorts(3);
  endpoint = `http://127.0.0.1:${ports[0]}`;
  source = join(cli.configHome, "counter.js");
  writeFileSync(source, 'export default () => { console.log("called"); return new Response("x"); };\n');
  hosts = await hostStarter(cli, {
    "functez.sandbox.serverPort": ports[0],
    "functez.sandbox.layer1Port": ports[1],
    "functez.sandbox.runtimePort": ports[2],
    "functez.sandbox.reloadGrace": GRACE_SECONDS,
  });
});
afterEach(async () => {
  for (const { pid } of hosts.left()) process.kill(pid, "SIGKILL");
  await until("nothing runs", 5000, () => hosts.left().length === 0);
  await cli.dispose();
});

async function nothingIsLeft(round: number): Promise<void> {
  await until(
    `round ${round}: no process`,
    (GRACE_SECONDS + 10) * 1000,
    () => hosts.left().length === 0,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(hosts.left())}`);
  });
  for (const port of ports) expect(await canBind(port), `round ${round} port ${port}`).toBe(true);
}

async function startedHost(): Promise<Host> {
  const host = hosts.start();
  await host.command(COMMANDS.start);
  await host.running();
  return host;
}

it(
  "a host killed at any moment leaves a sandbox that the next one finds, and nothing after the grace period",
  async () => {
    const acknowledged: string[] = [];
    const create = async (host: Host, alias: string) => {
      if (typeof (await host.command(COMMANDS.createAccount, alias)) === "string") acknowledged.push(alias);
    };
    const phases = [
      (host: Host) => host.command(COMMANDS.start),
      (host: Host) => host.command(COMMANDS.deposit, "bootstrap1", "bootstrap4", "3"),
      (host: Host) => host.command(COMMANDS.deploy, `file:${source}`, "counter"),
      (host: Host) => host.command(COMMANDS.stop, UNASKED),
    ];
    const rounds = amount(4, 100);
    for (let round = 0; round < rounds; round++) {
      const phase = round % phases.length;
      const host = phase === 0 ? hosts.start() : await startedHost();
      await create(host, `first${round}`);
      const before = phase === 0 ? undefined : await totalTez(endpoint);
      void phases[phase]!(host);
      void create(host, `second${round}`);
      await delay(random() * (phase === 3 ? 60 : 900));
      host.child.kill("SIGKILL");
      await host.ended;
      if (random() < 0.5) {
        // Sometimes the editor starts the next host at once: it finds the sandbox, or starts one.
        const next = await startedHost();
        if (before !== undefined)
          await until("the tez are all there", 10_000, async () => (await totalTez(endpoint)) === before);
        await next.command(COMMANDS.stop, UNASKED);
        expect(next.state().kind).toBe("stopped");
        next.child.kill("SIGKILL");
      }
      await nothingIsLeft(round);
    }
    const { accounts } = JSON.parse(readFileSync(join(cli.configHome, "functez", "config.json"), "utf8")) as {
      accounts: Record<string, unknown>;
    };
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
    expect(acknowledged.filter((alias) => !Object.hasOwn(accounts, alias))).toEqual([]);
  },
  LIMIT_MS,
);

it("frozen hosts keep their sandbox, which serves others meanwhile, and continue unharmed", async () => {
  const owner = await startedHost();
  const { pid } = await owner.running();
  const second = hosts.start(); // attaches automatically
  expect((await second.running()).pid).toBe(pid);
  await owner.command(COMMANDS.createAccount, "alice");
  expect(await owner.command(COMMANDS.deploy, `file:${source}`, "counter")).toMatchObject({
    alias: "counter",
  });
  for (const { child } of [owner, second]) child.kill("SIGSTOP");
  cli.env["FUNCTEZ_SANDBOX_URL"] = endpoint;
  const frozen = performance.now();
  expect(await cli.functez(["run", "counter/"])).toMatchObject({ code: 0 });
  await delay(Math.max(0, FREEZE_MS - (performance.now() - frozen)));
  expect(isAlive(pid)).toBe(true);
  for (const { child } of [owner, second]) child.kill("SIGCONT");
  for (const host of [owner, second]) {
    expect(await host.command(COMMANDS.deposit, "bootstrap1", "alice", "5")).toMatchObject({
      operation: expect.any(String),
    });
    expect(host.state()).toMatchObject({ kind: "running", sandbox: { pid } });
  }
  expect((await cli.functez(["account", "balance", "-a", "alice"])).stdout).toMatch(/\b10\b/);
  // Killing a frozen host has the same effect.
  for (const { child } of [owner, second]) child.kill("SIGSTOP");
  for (const { child } of [owner, second]) child.kill("SIGKILL");
  await nothingIsLeft(0);
});
