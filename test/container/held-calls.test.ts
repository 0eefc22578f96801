// A debugger on the host that holds calls of a sandbox in a container: the paths are those of the host, and the connection
// whose end lets a call go on leads through the published port.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BuiltCli, builtCli, type RunningProcess } from "../support/built-cli.ts";
import { DapClient } from "../support/dap-client.ts";
import { BANK, holdCalls, LINE } from "../support/held-bank.ts";
import { removeLeftOver, skipReason } from "./support/real-engine.ts";

const HOLD_SECONDS = 60;

const reason = await skipReason();

describe.skipIf(reason !== undefined)("calls of a sandbox in a container", () => {
  let cli: BuiltCli;
  let file: string;
  let dap: DapClient;
  let runtime: string;

  beforeEach(async () => {
    cli = builtCli();
    const config = join(cli.configHome, "any ports.json");
    const layer1 = { rpc_endpoint: "127.0.0.1:0", block_time: 0.2 };
    const content = { server_port: 0, layer1_node: layer1, runtime_node: { endpoint: "127.0.0.1:0" } };
    writeFileSync(config, JSON.stringify(content));
    const started = await cli.functez(["--json", "sandbox", "--container", "start", "-d", "-c", config]);
    expect(started).toMatchObject({ code: 0 });
    const { endpoints } = JSON.parse(started.stdout) as { endpoints: { sandboxd: string; runtime: string } };
    cli.env["FUNCTEZ_SANDBOX_URL"] = endpoints.sandboxd;
    ({ runtime } = endpoints);
    await cli.functez(["account", "create", "alice", "--passphrase", ""]);
    file = join(cli.configHome, "bank.ts");
    writeFileSync(file, BANK);
    expect(await cli.functez(["deploy", file, "--name", "bank"])).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    dap.closeInput();
    await dap.ended;
    removeLeftOver();
    await cli.dispose();
  });

  const holding = (client: DapClient): Promise<DapClient> =>
    holdCalls(client, file, { holdSeconds: HOLD_SECONDS });

  const call = (amount: number): RunningProcess => cli.start("functez", ["run", `bank/?add=${amount}`]);

  async function isHeld(): Promise<boolean> {
    const answer = await fetch(`${runtime}/operations/held`);
    return ((await answer.json()) as { held: object | null }).held !== null;
  }

  async function totalOf({ ended, output }: RunningProcess): Promise<number> {
    expect(await ended, output()).toBe(0);
    return Number(/"total":\s*(\d+)/.exec(output())?.[1]);
  }

  it("are held at a breakpoint in the file of the host, and go on when the debugger continues", async () => {
    dap = await holding(new DapClient(cli));
    const stopped = dap.event("stopped");
    const called = call(5);
    expect((await stopped).body).toMatchObject({ reason: "breakpoint" });
    const { stackFrames } = await dap.ask<{ stackFrames: object[] }>("stackTrace", { threadId: 1 });
    expect(stackFrames[0]).toMatchObject({ line: LINE, source: { path: file } });
    expect(await isHeld()).toBe(true);
    const over = dap.event("functez/released");
    await dap.ask("continue", { threadId: 1 });
    expect((await over).body).toMatchObject({ by: "session" });
    expect(await totalOf(called)).toBe(5);
  });

  it("go on when the debugger dies", async () => {
    dap = await holding(new DapClient(cli, [], "process"));
    const stopped = dap.event("stopped");
    const called = call(7);
    await stopped;
    expect(await isHeld()).toBe(true);
    const begun = performance.now();
    dap.kill();
    expect(await totalOf(called)).toBe(7);
    // Not by the time of the hold.
    expect(performance.now() - begun).toBeLessThan((1000 * HOLD_SECONDS) / 2);
    await expect.poll(isHeld).toBe(false);
  });
});
