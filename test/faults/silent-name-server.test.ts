// A name server that does not answer: a look-up blocks a thread, and nothing can abort it.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type BuiltCli, builtCli } from "../support/built-cli.ts";
import { isAlive, ready } from "../support/processes.ts";

/** Without an end of look-ups the daemon would never exit. */
const LIMIT_MS = 20_000;

let cli: BuiltCli;
afterEach(() => cli.dispose());

/**
 * Look-ups of one name open a named pipe, which blocks a thread like a look-up that waits for its name server.
 * @returns a pipe that ends when one begins
 */
function withSilentName(): string {
  cli = builtCli();
  const place = (name: string) => join(cli.configHome, name);
  execFileSync("mkfifo", [place("asked"), place("pipe")]);
  writeFileSync(
    place("silent.cjs"),
    `const dns = require("node:dns");
    const { open, writeFileSync } = require("node:fs");
    for (const from of [dns, dns.promises]) {
      const { lookup } = from;
      from.lookup = (host, ...rest) => {
        if (host !== "silent.example") return lookup(host, ...rest);
        writeFileSync(${JSON.stringify(place("asked"))}, "");
        const wait = (done) => open(${JSON.stringify(place("pipe"))}, "r", done);
        return from === dns ? wait(rest.at(-1)) : new Promise(wait);
      };
    }`,
  );
  cli.env["NODE_OPTIONS"] = `--require ${place("silent.cjs")}`;
  return place("asked");
}

/** The processes that were started by one. */
const childrenOf = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return (
          readFileSync(`/proc/${name}/stat`, "utf8")
            .replace(/^.*\) /s, "")
            .split(" ")[1] === `${pid}`
        );
      } catch {
        return false; // ended meanwhile
      }
    })
    .map(Number);

it.skipIf(process.platform !== "linux")(
  "holds no sandbox that was told to stop",
  async () => {
    const asked = withSilentName();
    const daemon = cli.start("sandboxd", ["run", "--lifeline", "--free-ports", "--json"], { stdin: "pipe" });
    const { sandboxd, pid } = await ready(daemon);
    cli.env["FUNCTEZ_SANDBOX_URL"] = sandboxd;
    await cli.functez(["account", "create", "alice"]);
    const source = 'export default async () => fetch("http://silent.example/");';
    const deployed = await cli.functez(["deploy", source, "--name", "asking"]);
    expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
    void cli.functez(["run", "asking/"]);
    await readFile(asked);
    const helpers = childrenOf(pid);
    const started = performance.now();
    await fetch(`${sandboxd}/shutdown`, { method: "PUT" });
    expect(await daemon.ended).toBe(0);
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
    // They are killed with it; a busy system takes its time to remove them.
    await expect.poll(() => helpers.filter(isAlive)).toEqual([]);
  },
  60_000,
);
