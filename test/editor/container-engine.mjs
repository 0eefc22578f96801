// Whether the editor suite can start containers here. In CI it must.
import { spawnSync } from "node:child_process";

const IMAGE = "node:22-bookworm-slim";

/** Why the container tests cannot run; undefined when they can. */
export function engineMissing() {
  const docker = (...args) => spawnSync("docker", args, { encoding: "utf8" });
  const version = docker("version");
  if (version.error || version.status !== 0)
    return `no container engine: ${(version.error?.message ?? version.stderr).trim()}`;
  if (docker("image", "inspect", IMAGE).status !== 0) return `the base image ${IMAGE} is not on the engine`;
  if (docker("inspect", "functez-sandbox").status === 0) return "a container functez-sandbox is in use";
  return undefined;
}

/** Makes the next start rebuild the image. */
export function removeImages() {
  const { stdout } = spawnSync("docker", ["images", "-q", "functez/sandbox"], { encoding: "utf8" });
  for (const id of new Set(stdout.split("\n").filter(Boolean))) spawnSync("docker", ["rmi", "-f", id]);
}

/** Removes leftovers of a failed test. */
export function removeContainer() {
  spawnSync("docker", ["rm", "-f", "-v", "functez-sandbox"], { stdio: "ignore" });
}
