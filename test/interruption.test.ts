// Ctrl-C on a terminal in every waiting command: it exits at once with code 130, restores the cursor and explains what
// happens to work already sent.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BuiltCli, DIST, type ReadyLine, ROOT, startedSandbox } from "./support/built-cli.ts";
import { ownerOf, canBind, configFile, portOf, until, untilFree } from "./support/processes.ts";
import { onTerminal as startOnTerminal, type OnTerminal } from "./support/terminal.ts";

const CTRL_C = "\x03";
/** A program that ignores SIGTERM; it exits when its parent has exited. */
const STUBBORN = `
  process.on("SIGTERM", () => console.log("asked to end"));
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(), 50);
  console.log("deaf");`;
/** For busy machines; otherwise a tenth of a second. */
const AT_ONCE_MS = 3000;

let cli: BuiltCli;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox());
  await cli.functez(["account", "create", "alice"]);
  const funded = await cli.functez(["bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "50"]);
  expect(funded).toMatchObject({ code: 0 });
  await cli.functez(["deploy", "examples/counter/index.ts", "--name", "counter"]);
});
afterAll(() => cli.dispose());

/** Blocks are made only while the chain runs. */
const chain = (go: "pause" | "resume") =>
  fetch(`${ready.layer1}/admin/${go}`, { method: "POST", headers: ownerOf(cli, ready) });

/** A command on its own terminal. */
const onTerminal = (...args: readonly string[]): OnTerminal =>
  startOnTerminal([process.execPath, join(DIST, "functez.mjs"), ...args], { env: cli.env, cwd: ROOT });

/** Presses Ctrl-C. @returns exit code and the output after it */
async function interrupt(command: OnTerminal): Promise<{ code: number | null; shown: string }> {
  const before = command.output().length;
  const since = performance.now();
  command.type(CTRL_C);
  const code = await command.ended;
  expect(performance.now() - since).toBeLessThan(AT_ONCE_MS);
  const output = command.output();
  // The cursor was shown again after it was last hidden.
  expect(output.lastIndexOf("\x1b[?25h")).toBeGreaterThanOrEqual(output.lastIndexOf("\x1b[?25l"));
  expect(output).not.toContain("bug in functez");
  const shown = output.slice(before);
  // The prompt is on its own line. A terminal signals the program first and shows `^C` after that, which is the whole
  // output of a command that has just exited; for one still being loaded the shell ends the line.
  const wasLoaded = before > 0 || shown !== "^C";
  if (wasLoaded && shown !== "") expect(output).toMatch(/\n(\^C)?$/);
  return { code, shown: shown.replace(/\s+/g, " ") };
}

const CANCELLED = "CANCELLED";

it("a deposit that waits for its block", async () => {
  await chain("pause");
  const command = onTerminal("bridge", "deposit", "-f", "bootstrap2", "-t", "alice", "-a", "2");
  await command.shows(/waiting for its block/);
  const { code, shown } = await interrupt(command);
  expect([code, shown]).toEqual([130, expect.stringContaining(CANCELLED)]);
  expect(shown).toMatch(/Waiting for operation o\w{50}.*on its way/);
  await chain("resume"); // it arrives, as promised
  await expect
    .poll(async () => (await cli.functez(["account", "balance", "-a", "alice"])).stdout)
    .toBe("52ꜩ\n");
});

it("a withdrawal that waits for layer 1", async () => {
  await chain("pause");
  const command = onTerminal("bridge", "withdraw", "-t", "bootstrap3", "-a", "1");
  await command.shows(/Waiting for layer 1/);
  const { code, shown } = await interrupt(command);
  await chain("resume");
  expect([code, shown]).toEqual([130, expect.stringContaining("The withdrawal is queued")]);
});

describe("while a receipt is pending", () => {
  /** Forwards everything to the runtime except requests for receipts, which it never answers. */
  const slow = createServer((request, response) => {
    if (request.url!.endsWith("/receipt")) return void slow.emit("asked");
    void text(request).then(async (body) => {
      const { method } = request as { method: string };
      const answer = await fetch(`${ready.runtime}${request.url}`, {
        method,
        ...(method === "POST" ? { body, headers: { "content-type": "application/json" } } : {}),
      });
      response.writeHead(answer.status).end(await answer.text());
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const { port } = slow.address() as { port: number };
    const endpoints = ["--octez-node-rpc-endpoint", ready.layer1, "--jstz-node-endpoint"];
    await cli.functez(["network", "add", "slow", ...endpoints, `http://127.0.0.1:${port}`]);
  });
  afterAll(() => void slow.closeAllConnections());

  it.each([
    ["run", "counter/"],
    ["deploy", "export default () => new Response()"],
    ["transfer", "1", "bootstrap2"],
    ["bridge", "withdraw", "-t", "bootstrap3", "-a", "1"],
    ["repl"],
  ])("%s, which names the operation that was sent", async (...args) => {
    const asked = once(slow, "asked");
    const command = onTerminal(...args, "-n", "slow");
    await asked;
    const { code, shown } = await interrupt(command);
    expect([code, shown]).toEqual([130, expect.stringContaining(CANCELLED)]);
    expect(shown).toMatch(/The operation was sent; `functez call trace [0-9a-f ]{64,66}/);
  });
});

it("a repl, at its prompt", async () => {
  const command = onTerminal("repl");
  await command.shows(/>> /);
  const { code } = await interrupt(command);
  expect(code).toBe(0);
});

it("logs trace and dev, which end in no other way", async () => {
  const logs = onTerminal("logs", "trace", "counter");
  await logs.shows(/Ctrl-C ends/);
  expect((await interrupt(logs)).code).toBe(0);
  const dev = onTerminal("dev", "examples/counter/index.ts", "--name", "counter");
  await dev.shows(/Watching/);
  expect((await interrupt(dev)).code).toBe(0);
});

it.each([
  ["account", "import", "bob"],
  ["account", "create", "bob"],
  ["account", "delete", "alice"],
])("the prompt of %s %s", async (...args) => {
  const accounts = (await cli.functez(["account", "list"])).stdout;
  const command = onTerminal(...args);
  await command.shows(/◆/);
  const { code, shown } = await interrupt(command);
  expect([code, shown]).toEqual([130, expect.stringMatching(/CANCELLED.*Nothing was changed\./)]);
  expect((await cli.functez(["account", "list"])).stdout).toBe(accounts);
});

it("exec: the command ends, and the sandbox with it", async () => {
  const command = onTerminal("exec", "--", process.execPath, "-e", "setInterval(() => 0, 1000)");
  await command.shows(/Sandbox http:\/\/127.0.0.1:\d+/);
  const port = Number(/Sandbox http:\/\/127.0.0.1:(\d+)/.exec(command.output())![1]);
  expect((await interrupt(command)).code).toBe(130);
  expect(await canBind(port)).toBe(true);
});

it.each([[[]], [["-d"]]])("sandbox start %s, at any moment of the start", async (more) => {
  const url = cli.env["FUNCTEZ_SANDBOX_URL"];
  delete cli.env["FUNCTEZ_SANDBOX_URL"];
  try {
    for (const moment of [60, 110, 160, 200, 250, 350, 500]) {
      const { file, ports } = await configFile(cli);
      const command = onTerminal("sandbox", "start", "-c", file, ...more);
      const shutDown = () => fetch(`http://127.0.0.1:${ports[0]}/shutdown`, { method: "PUT" });
      try {
        await Promise.race([new Promise((resolve) => setTimeout(resolve, moment)), command.ended]);
        const { code } = await interrupt(command);
        // 0 when it was already ready: then Ctrl-C is a normal end, or it runs in the background.
        const describeRun = (): string => `Code ${code} after ${moment} ms; it shows:\n${command.output()}`;
        expect([0, 130], describeRun()).toContain(code);
        // An interrupt that comes while the command exits changes its code, but not what it has said and done.
        const runsOn = command.output().includes("The sandbox runs in the background.");
        if (more.length > 0 && code === 0) expect(runsOn, describeRun()).toBe(true);
        if (runsOn) expect((await shutDown()).status, describeRun()).toBe(204);
        await untilFree(ports, describeRun);
      } catch (error) {
        await shutDown().catch(() => undefined); // leave no sandbox behind after a failure
        throw error;
      }
    }
  } finally {
    cli.env["FUNCTEZ_SANDBOX_URL"] = url;
  }
});

/** The commands' ends of all connections to the sandbox. */
function connectedPorts(): readonly string[] {
  const servers = [ready.sandboxd, ready.layer1, ready.runtime].map(portOf);
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , to = "", state]) => state === ESTABLISHED && servers.includes(parseInt(to.slice(-4), 16)))
    .map(([, from = ""]) => from);
}
const ESTABLISHED = "01";

// The kernel accepts connections for a stopped process, and shows them here.
const isLinux = process.platform === "linux";
describe.runIf(isLinux)("while the sandbox accepts connections and does not answer", () => {
  beforeAll(() => void process.kill(ready.pid, "SIGSTOP"));
  afterAll(() => void process.kill(ready.pid, "SIGCONT"));

  it.each([
    ["run", "counter/"],
    ["account", "balance"],
    ["bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "2"],
    ["sandbox", "status"],
    ["sandbox", "stop", "-y"],
    ["sandbox", "logs"],
    ["sandbox", "start"],
  ])("%s %s", async (...args) => {
    const before = connectedPorts();
    const command = onTerminal(...args);
    await until("the command has connected", 20_000, () =>
      connectedPorts().some((port) => !before.includes(port)),
    );
    expect((await interrupt(command)).code).toBe(130);
  });
});

it("twice exits at once, whatever is left to do", async () => {
  const stuck = cli.start("functez", ["exec", "--", process.execPath, "-e", STUBBORN]);
  await stuck.line(/^deaf$/);
  stuck.child.kill("SIGINT");
  await stuck.line(/^asked to end$/);
  stuck.child.kill("SIGINT");
  expect(await once(stuck.child, "exit")).toEqual([130, null]);
});
