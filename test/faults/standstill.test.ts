// A process that stands still for a while: a paused container, a closed laptop, a debugger. What runs at that moment goes
// on afterwards as if nothing had happened.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOSTILE_CODE, hostileScript } from "../../daemon/layer1/testing/hostile-scripts.ts";
import { ALONE_MS } from "../../daemon/layer1/turns.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";

let cli: BuiltCli;
let ready: ReadyLine;
beforeEach(async () => {
  ({ cli, ready } = await startedSandbox());
});
afterEach(async () => {
  process.kill(ready.pid, "SIGCONT");
  await cli.dispose();
});

/** The state of a process: R runs, S sleeps, T is stopped. */
const stateOf = (pid: number): string | undefined =>
  /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];

it.runIf(process.platform === "linux")(
  "the time in which the sandbox stands still does not count as that of an operation",
  async () => {
    const unit = { prim: "Unit" };
    const script = hostileScript(HOSTILE_CODE["number from and to bytes"]!);
    const body = JSON.stringify({ script, storage: unit, input: unit, amount: "0", balance: "0" });
    const url = `${ready.layer1}/chains/main/blocks/head/helpers/scripts/run_code`;
    let isRunning = true;
    const answer = fetch(url, { method: "POST", body }).then(async (response) => {
      isRunning = false;
      return response.text();
    });
    // Twice, because a stop between two slices of the script would cost it nothing anyhow.
    for (let i = 0; i < 2; i++) {
      await pause(100);
      process.kill(ready.pid, "SIGSTOP");
      await expect.poll(() => stateOf(ready.pid)).toBe("T");
      expect(isRunning).toBe(true);
      await pause(ALONE_MS + 200);
      process.kill(ready.pid, "SIGCONT");
    }
    expect(await answer).toContain("gas_exhausted");
  },
  60_000,
);
