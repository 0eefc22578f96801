// SIGKILL at random moments: nothing acknowledged is lost, nothing is left behind, the next start works.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { type BuiltCli, builtCli, DIST, ROOT } from "../support/built-cli.ts";
import { amount, LONG, SEED, seededRandom } from "../support/long-run.ts";
import { canBind, configFile, isAlive, ready, until } from "../support/processes.ts";
import { totalTez } from "../support/total-tez.ts";

let cli: BuiltCli;
beforeEach(() => {
  cli = builtCli();
});
afterEach(() => cli.dispose());

const LIMIT_MS = LONG ? 3_600_000 : 120_000;
const random = seededRandom(SEED);
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const exitOf = (child: ChildProcess) => new Promise<void>((resolve) => child.once("close", () => resolve()));

/** A program that adds accounts as fast as it can and prints the name of each one written. */
async function writerProgram(): Promise<string> {
  const { address, publicKey, secretKey } = BOOTSTRAP_ACCOUNTS[1];
  const account = { User: { address, public_key: publicKey, secret_key: secretKey } };
  const outfile = join(cli.configHome, "writer.mjs");
  await build({
    stdin: {
      contents: `
        import { createConfigFile } from "./cli/config/config-file.ts";
        const file = createConfigFile(process.env);
        for (let i = 0; ; i++) {
          const name = "a" + process.pid + "x" + i;
          await file.update((config) => ({ ...config, accounts: { ...config.accounts, [name]: ${JSON.stringify(account)} } }));
          process.stdout.write(name + "\\n");
        }`,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    outfile,
    logLevel: "error",
    banner: { js: 'import { createRequire as r } from "node:module"; const require = r(import.meta.url);' },
  });
  return outfile;
}

it(
  "kills of writers lose no account and never leave a partial configuration",
  async () => {
    const program = await writerProgram();
    const kills = amount(40, 2000);
    const acknowledged: string[] = [];
    let left = kills;

    /** Starts writers one after the other and kills each at a random moment of a write. */
    async function lane(): Promise<void> {
      while (left-- > 0) {
        const writer = spawn(process.execPath, [program], {
          env: cli.env,
          stdio: ["ignore", "pipe", "inherit"],
        });
        const gone = exitOf(writer);
        const lines = createInterface({ input: writer.stdout });
        const first = new Promise<void>((resolve, reject) => {
          lines.once("line", () => resolve());
          void gone.then(() => reject(new Error("a writer ended by itself")));
        });
        lines.on("line", (line) => acknowledged.push(line));
        await first;
        await delay(random() * 12);
        writer.kill("SIGKILL");
        await gone;
      }
    }
    await Promise.all([lane(), lane(), lane()]);

    const list = await cli.functez(["--json", "account", "list"]);
    expect(list.code).toBe(0);
    const folder = join(cli.configHome, "functez");
    const { accounts } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as {
      accounts: Record<string, unknown>;
    };
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
    expect(acknowledged.filter((name) => !Object.hasOwn(accounts, name))).toEqual([]);
    // The next command that writes gets past the leftovers of the last kill, and removes them.
    expect(await cli.functez(["account", "create", "afterwards"])).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(["config.json"]);
  },
  LIMIT_MS,
);

it(
  "a daemon killed at any moment frees its ports, and the next one starts",
  async () => {
    const { file, ports } = await configFile(cli);
    const endpoint = `http://127.0.0.1:${ports[0]}`;
    cli.env["FUNCTEZ_SANDBOX_URL"] = endpoint;
    await cli.functez(["account", "create", "alice"]);
    const deposit = ["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "3"];
    const phases = [
      () => undefined, // while it starts
      () => cli.functez(deposit),
      () => cli.functez(["deploy", "export default () => new Response('x')"]),
      () => fetch(`${endpoint}/shutdown`, { method: "PUT" }).catch(() => undefined),
    ];
    const rounds = amount(8, 100);
    for (let round = 0; round < rounds; round++) {
      const phase = round % phases.length;
      const daemon = cli.start("sandboxd", ["run", file, "--json", "--log-level", "error"]);
      if (phase === 0) await Promise.race([delay(random() * 500), daemon.ended]);
      else await ready(daemon);
      const work = phases[phase]!();
      await delay(random() * (phase === 3 ? 30 : 300));
      daemon.child.kill(random() < 0.2 ? "SIGSTOP" : "SIGKILL");
      daemon.child.kill("SIGKILL");
      await daemon.ended;
      await work; // a command ends when its daemon is gone
      for (const port of ports) expect(await canBind(port), `round ${round} port ${port}`).toBe(true);
    }
    const last = cli.start("sandboxd", ["run", file, "--json"]);
    await ready(last);
    // A fresh sandbox, with the user's accounts unchanged.
    expect(await cli.functez(deposit)).toMatchObject({ code: 0 });
    expect((await cli.functez(["account", "balance", "-a", "alice"])).stdout).toContain("3");
    last.child.kill("SIGTERM");
    expect(await last.ended).toBe(0);
  },
  LIMIT_MS,
);

it(
  "a command line killed while starting or using the sandbox leaves a working one, or none",
  async () => {
    const { file, ports } = await configFile(cli);
    const endpoint = `http://127.0.0.1:${ports[0]}`;
    cli.env["FUNCTEZ_SANDBOX_URL"] = endpoint;
    const pidOf = async () => ((await (await fetch(`${endpoint}/health`)).json()) as { pid: number }).pid;
    const functez = (...args: string[]) =>
      spawn(process.execPath, [join(DIST, "functez.mjs"), ...args], { env: cli.env, stdio: "ignore" });
    try {
      const rounds = amount(4, 50);
      for (let round = 0; round < rounds; round++) {
        const starting = functez("sandbox", "start", "-d", "-c", file);
        await Promise.race([delay(random() * 1000), exitOf(starting)]);
        starting.kill("SIGKILL");
        // The next start attaches to the sandbox of the killed one, or starts a new one.
        expect(await cli.functez(["sandbox", "start", "-d", "-c", file])).toMatchObject({ code: 0 });
        const before = await totalTez(endpoint);
        const using = functez("bridge", "deposit", "-f", "bootstrap2", "-t", "bootstrap4", "-a", "7");
        await Promise.race([delay(random() * 600), exitOf(using)]);
        using.kill("SIGKILL");
        await until("pending work has finished", 10_000, async () => (await totalTez(endpoint)) === before);
        const pid = await pidOf();
        expect(await cli.functez(["sandbox", "stop", "-y"])).toMatchObject({ code: 0 });
        await until("the daemon is gone", 10_000, () => !isAlive(pid));
      }
    } finally {
      await fetch(`${endpoint}/shutdown`, { method: "PUT" }).catch(() => undefined);
    }
  },
  LIMIT_MS,
);

it("ends even when the client of the shutdown disconnects first", async () => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const { sandboxd } = await ready(daemon);
  const { hostname, port } = new URL(sandboxd);
  const socket = connect(Number(port), hostname);
  socket.write(`PUT /shutdown HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`, () => socket.resetAndDestroy());
  expect(await daemon.ended).toBe(0);
});

it("responds within its timeouts when the daemon is stopped by SIGSTOP, and continues afterwards", async () => {
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  const { sandboxd } = await ready(daemon);
  cli.env["FUNCTEZ_SANDBOX_URL"] = sandboxd;
  daemon.child.kill("SIGSTOP");
  expect(await cli.functez(["sandbox", "status"])).toMatchObject({ code: 1 });
  daemon.child.kill("SIGCONT");
  expect(await cli.functez(["sandbox", "status"])).toMatchObject({ code: 0 });
});
