// Kills and freezes of the container, its process and the command line, at random moments of their life: nothing is
// left behind, the next start works, and nothing of the user's is lost.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CONTAINER_NAME } from "../../cli/container/container-removal.ts";
import { BUILD_LABEL, OWN_IMAGE } from "../../cli/container/image.ts";
import { type BuiltCli, builtCli, type CommandResult } from "../support/built-cli.ts";
import { amount, LONG, SEED, seededRandom } from "../support/long-run.ts";
import { configFile, until, untilFree } from "../support/processes.ts";
import {
  containerExists,
  docker,
  removeLeftOver,
  skipReason,
  untilContainersLeft,
} from "./support/real-engine.ts";

/** The last one costs the lifeline's grace period each time: the normal run leaves it to real-engine.test.ts. */
const VICTIMS = [
  "container",
  "process in it",
  "paused container",
  "stopped process",
  "command line",
] as const;
const PHASES = ["start", "deposit", "deploy", "shutdown"] as const;
type Victim = (typeof VICTIMS)[number];

const LIMIT_MS = LONG ? 3_600_000 : 180_000;
/** The grace period of the lifeline is 10 s; stopping and removing take a little more. */
const GONE_MS = 25_000;
const random = seededRandom(SEED);
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const reason = await skipReason();

describe.skipIf(reason !== undefined)("kills of a sandbox in a container", () => {
  let cli: BuiltCli;
  let file: string;
  let ports: number[];
  let imagesBefore: string;

  beforeAll(async () => {
    cli = builtCli();
    ({ file, ports } = await configFile(cli));
    cli.env["FUNCTEZ_SANDBOX_URL"] = `http://127.0.0.1:${ports[0]}`;
    expect(await cli.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
    expect(await inContainer("start", "-d", "-c", file)).toMatchObject({ code: 0 }); // ensures that the image exists
    expect(await inContainer("stop")).toMatchObject({ code: 0 });
    expect(await inContainer("prune")).toMatchObject({ code: 0 });
    imagesBefore = danglingImages();
  });
  afterEach(removeLeftOver);
  afterAll(() => cli.dispose());

  const inContainer = (...args: string[]): Promise<CommandResult> =>
    cli.functez(["--json", "sandbox", "--container", ...args]);
  const deposit = () =>
    cli.functez(["--json", "bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "3"]);
  const deploy = () => cli.functez(["--json", "deploy", "export default () => new Response('x')"]);

  it(
    "leave nothing behind at any moment, and the next start works",
    async () => {
      const rounds = amount(VICTIMS.length - 1, 60);
      for (let round = 0; round < rounds; round++) {
        // The numbers of victims and phases are coprime: all combinations occur.
        const victim = VICTIMS[round % VICTIMS.length]!;
        const phase = PHASES[round % PHASES.length]!;
        const moment = `${round}: ${victim}, ${phase}`;
        const accounts = readFileSync(configPath(), "utf8");

        const attached = cli.start("functez", ["sandbox", "--container", "start", "-c", file]);
        const isOver = { value: false };
        void attached.ended.then(() => (isOver.value = true));
        if (phase === "start") {
          if (victim !== "command line") await until("the container is there", 20_000, containerExists);
        } else await attached.line(/ready at/);
        const work =
          phase === "deposit"
            ? deposit()
            : phase === "deploy"
              ? deploy()
              : phase === "shutdown"
                ? inContainer("stop")
                : undefined;
        await delay(random() * (phase === "start" ? 1000 : 400));
        const struck = strike(victim, () => attached.child.kill("SIGKILL"));
        if (victim === "paused container" && struck) await wake(moment, phase);
        if (victim === "stopped process" && struck) {
          await delay(random() * 500);
          signalProcess("SIGCONT");
        }
        const result = await work;
        if (result) expectToldWell(moment, result, victim);
        const survives = victim === "paused container" || victim === "stopped process";
        if (survives && phase !== "shutdown") {
          if (phase === "start") await attached.line(/ready at/);
          expect((await inContainer("stop")).code, moment).toBe(0);
        }
        // It may have been resumed after it had already stopped: then it is a new sandbox.
        if (victim === "paused container" && phase === "shutdown")
          expect((await inContainer("stop")).code, moment).toBe(0);
        await until(`${moment}: the command line ends`, GONE_MS, () => isOver.value);
        if (struck && (victim === "container" || victim === "process in it") && phase !== "shutdown")
          expect(attached.output(), moment).toEqual(expect.stringContaining("SANDBOX_KILLED"));
        await expectNothingLeft(moment);
        expect(readFileSync(configPath(), "utf8"), moment).toEqual(accounts);
      }
      expect(await inContainer("start", "-d", "-c", file)).toMatchObject({ code: 0 });
      expect(await deposit()).toMatchObject({ code: 0 });
      expect((await cli.functez(["account", "balance", "-a", "alice"])).stdout).toBe("3ꜩ\n");
      expect(await inContainer("stop")).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  it(
    "leave no half image and no container of a build, and the next start builds it",
    async () => {
      const rounds = amount(1, 12);
      for (let round = 0; round < rounds; round++) {
        spawnSync("docker", ["rmi", "-f", OWN_IMAGE], { stdio: "ignore" });
        const building = cli.start("functez", [
          "--json",
          "sandbox",
          "--container",
          "start",
          "-d",
          "-c",
          file,
        ]);
        await building.line(/Building .*: step/);
        await delay(random() * 1500);
        building.child.kill("SIGKILL");
        await building.ended;
        // Except the sandbox's own, if the build was already finished: running, or created but not started.
        await untilContainersLeft(`after build ${round}`, GONE_MS, () => (state() === "none" ? 0 : 1));
        // The engine's leftovers are the start of the next build, or are removed by `prune`.
        if (round % 2 === 1) {
          expect(await inContainer("prune")).toMatchObject({ code: 0 });
          expect(danglingImages(), `round ${round}`).toBe("");
        }
        expect(await inContainer("start", "-d", "-c", file)).toMatchObject({ code: 0 });
        expect(await inContainer("stop")).toMatchObject({ code: 0 });
        await expectNothingLeft(`after build ${round}`);
      }
    },
    LIMIT_MS,
  );

  const configPath = () => join(cli.configHome, "functez", "config.json");

  function state(): string {
    const { stdout } = spawnSync("docker", ["inspect", CONTAINER_NAME, "-f", "{{.State.Status}}"], {
      encoding: "utf8",
    });
    return stdout.trim() || "none";
  }

  /** Unnamed images of no use, ours or not. */
  function danglingImages(): string {
    return docker("images", "-q", "--filter", "dangling=true", "--no-trunc");
  }

  /** @returns false when there was nothing (left) to strike */
  function strike(victim: Victim, killCommandLine: () => boolean): boolean {
    switch (victim) {
      case "container":
        return spawnSync("docker", ["kill", CONTAINER_NAME], { stdio: "ignore" }).status === 0;
      case "process in it":
        return signalProcess("SIGKILL");
      case "command line":
        return killCommandLine();
      case "paused container":
        return spawnSync("docker", ["pause", CONTAINER_NAME], { stdio: "ignore" }).status === 0;
      case "stopped process":
        return signalProcess("SIGSTOP");
    }
  }

  /** Sends a signal to the daemon's process, as seen from outside the container. */
  function signalProcess(signal: NodeJS.Signals): boolean {
    const inspect = ["inspect", CONTAINER_NAME, "-f", "{{.State.Pid}}"];
    const first = spawnSync("docker", inspect, { encoding: "utf8" }).stdout.trim();
    if (!/^[1-9]\d*$/.test(first)) return false;
    try {
      // The first process is the engine's init, with the daemon as its child, or the daemon itself.
      const children = readFileSync(`/proc/${first}/task/${first}/children`, "utf8").trim();
      const daemon = Number(children === "" ? first : children.split(" ")[0]);
      return process.kill(daemon, signal);
    } catch {
      return false; // it has just ended
    }
  }

  /** A paused sandbox is reported as such, and a start resumes it. */
  async function wake(moment: string, phase: string): Promise<void> {
    const status = await inContainer("status");
    // The shutdown may have resumed it itself, and may still be running.
    const isEnding = phase === "shutdown";
    const expected = expect.stringContaining(isEnding ? '"running"' : '"paused"');
    expect(isEnding ? [0, 1] : [1], moment).toContain(status.code);
    expect(status.stdout, moment).toEqual(expected);
    const woken = await inContainer("start", "-d", "-c", file);
    expect([woken.code, woken.stdout], moment).toEqual([0, expect.stringContaining('"running":true')]);
  }

  /** A command whose sandbox was struck meanwhile has finished its work, or reports a code with a next step. */
  function expectToldWell(moment: string, { code, stdout }: CommandResult, victim: Victim): void {
    // Stopped for half a second it continues; paused, it may exceed the command's timeout.
    if (victim === "stopped process") expect([code, stdout], moment).toEqual([0, expect.anything()]);
    if (code === 0) return;
    const { error } = JSON.parse(stdout) as { error: { code: string; next: string } };
    expect([code, error], moment).toEqual([
      1,
      expect.objectContaining({
        code: expect.stringMatching(/^(NETWORK_UNREACHABLE|SANDBOX_NOT_RUNNING|OPERATION_FAILED)$/),
        next: expect.stringMatching(/functez /),
      }),
    ]);
  }

  async function expectNothingLeft(moment: string): Promise<void> {
    // A kill between creating and starting a container leaves an idle one: the next start removes it.
    await until(`${moment}: the container is gone`, GONE_MS, () => /^(none|created)$/.test(state()));
    await untilFree(ports, () => `After ${moment} ms.`);
    if (state() === "none") {
      expect(docker("volume", "ls", "-q", "--filter", "label=functez.sandbox"), moment).toBe("");
      // The engine takes the name from a container before it removes it.
      await untilContainersLeft(moment, GONE_MS, () => 0);
    }
    expect(danglingImages(), moment).toEqual(imagesBefore);
    expect(docker("images", "-q", "--filter", `label=${BUILD_LABEL}`).split("\n").length, moment).toBe(1);
  }
});
