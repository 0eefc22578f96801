// A real container engine for the tests: whether there is one, and its leftovers.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { CONTAINER_NAME } from "../../../cli/container/container-removal.ts";
import { connectEngine, type Engine } from "../../../cli/container/engine.ts";
import { DEFAULT_BASE, inspectImage } from "../../../cli/container/image.ts";
import { until } from "../../support/processes.ts";

export const BASE = process.env["FUNCTEZ_BASE_IMAGE"] || DEFAULT_BASE;

/** The engine of the suites: DOCKER_HOST selects another than the machine's usual one, such as Podman. */
export const ENGINE_SOCKET = (process.env["DOCKER_HOST"] || "unix:///var/run/docker.sock").replace(
  /^unix:\/\//,
  "",
);

/** The suites run against Podman: CONTRIBUTING.md, "Container engines". */
export const IS_PODMAN = process.env["FUNCTEZ_TEST_ENGINE"] === "podman";

/** Why the suites with a real engine cannot run here; undefined when they can. */
async function engineMissing(): Promise<string | undefined> {
  let engine: Engine;
  try {
    engine = await connectEngine({ env: process.env });
  } catch (error) {
    return (error as Error).message;
  }
  try {
    if (!(await inspectImage(engine, BASE))) return `the base image ${BASE} is not on the engine`;
    const container = await engine.docker
      .getContainer(CONTAINER_NAME)
      .inspect()
      .catch(() => undefined);
    return container ? `a container ${CONTAINER_NAME} is in use on the engine` : undefined;
  } finally {
    engine.close();
  }
}

/**
 * The reason to skip; in CI a missing engine is a failure.
 * @throws Error in CI
 */
export async function skipReason(): Promise<string | undefined> {
  const reason = await engineMissing();
  if (reason !== undefined && process.env["CI"]) throw new Error(`no container engine in CI: ${reason}`);
  if (reason !== undefined) process.stderr.write(`container suite skipped: ${reason}\n`);
  return reason;
}

/** The engine's own command line, for actions outside the product. */
export function docker(...args: string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** Whether a container with our name exists, in any state. */
export function containerExists(): boolean {
  return spawnSync("docker", ["inspect", CONTAINER_NAME], { stdio: "ignore" }).status === 0;
}

export function removeLeftOver(): void {
  spawnSync("docker", ["rm", "-f", "-v", CONTAINER_NAME], { stdio: "ignore" });
}

/** All containers of the engine, with what it says of them. */
function containers(): readonly string[] {
  const format = "{{.ID}} {{.Names}} {{.Image}} {{.Status}} {{.Command}}";
  return docker("ps", "-a", "--no-trunc", "--format", format).split("\n").filter(Boolean);
}

const ID_LENGTH = 64;

/** Containers with the last lines about them in the engine's log, where the tests know it. */
function describeFound(found: readonly string[]): string {
  const log = process.env["FUNCTEZ_TEST_ENGINE_LOG"];
  const lines = log !== undefined && existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  return found
    .flatMap((row) => [row, ...lines.filter((line) => line.includes(row.slice(0, ID_LENGTH))).slice(-5)])
    .join("\n");
}

/** Resolves once the engine has that many containers. @throws Error with those that it has, when it does not come to that */
export function untilContainersLeft(moment: string, limitMs: number, count: () => number): Promise<void> {
  const what = (): string => `${moment}: ${count()} containers are left, but\n${describeFound(containers())}`;
  return until(what, limitMs, () => containers().length === count());
}
