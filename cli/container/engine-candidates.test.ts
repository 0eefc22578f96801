import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dockerConfig, tlsMaterial } from "./docker-context.ts";
import { addressText } from "./engine-address.ts";
import { engineCandidates } from "./engine-candidates.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "functez-docker-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function context(name: string, host: string): void {
  const id = createHash("sha256").update(name).digest("hex");
  const folder = join(home, ".docker/contexts/meta", id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "meta.json"),
    JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }),
  );
  writeFileSync(join(home, ".docker/config.json"), JSON.stringify({ currentContext: name }));
}

const places = (env: NodeJS.ProcessEnv, setting?: string, platform: NodeJS.Platform = "linux") =>
  engineCandidates({ env: { HOME: home, ...env }, platform, setting }).map(
    ({ source, address }) =>
      `${source}: ${address.kind === "problem" ? address.reason : addressText(address)}`,
  );

it("tries only the setting, or else only DOCKER_HOST", () => {
  context("colima", "unix:///colima.sock");
  const env = { DOCKER_HOST: "tcp://two:1", FUNCTEZ_DOCKER_HOST: "tcp://own:1" };
  expect(places(env, "tcp://one:1")).toEqual(["--engine: tcp://one:1"]);
  expect(places(env)).toEqual(["FUNCTEZ_DOCKER_HOST: tcp://own:1"]);
  expect(places({ DOCKER_HOST: "tcp://two:1" })).toEqual(["DOCKER_HOST: tcp://two:1"]);
});

it("tries the active context first, then the usual sockets", () => {
  context("colima", "unix:///somewhere/colima.sock");
  const [first, second] = places({});
  expect(first).toBe("context colima: unix:///somewhere/colima.sock");
  expect(second).toBe("Docker: unix:///var/run/docker.sock");
  expect(places({ DOCKER_CONTEXT: "default" })[0]).toBe("Docker: unix:///var/run/docker.sock");
});

it("never falls back from a context on another machine to a local engine", () => {
  context("team", "ssh://ana@build.example");
  expect(places({})).toEqual(["context team: ssh://ana@build.example"]);
});

it("continues after a context that does not exist", () => {
  const [first, second] = places({ DOCKER_CONTEXT: "gone" });
  expect(first).toMatch(/^context gone: Docker has no such context/);
  expect(second).toBe("Docker: unix:///var/run/docker.sock");
});

it("knows rootless engines, Desktop, OrbStack, Colima, Rancher and Podman", () => {
  const found = places({ XDG_RUNTIME_DIR: "/run/user/1000" }).join("\n");
  for (const path of [
    "/run/user/1000/docker.sock",
    `${home}/.docker/run/docker.sock`,
    `${home}/.orbstack/run/docker.sock`,
    `${home}/.colima/default/docker.sock`,
    `${home}/.rd/docker.sock`,
    "/run/user/1000/podman/podman.sock",
    "/run/podman/podman.sock",
  ]) {
    expect(found).toContain(`unix://${path}`);
  }
  expect(places({}, undefined, "win32")[0]).toBe("Docker: npipe:////./pipe/docker_engine");
});

it("reports why a setting is not an address", () => {
  expect(places({}, "ftp://x")).toEqual([
    expect.stringMatching(/^--engine: ftp:\/\/x is not an engine address/),
  ]);
});

it.skipIf(process.platform === "win32")("waits for no pipe in the place of Docker's files", () => {
  context("mine", "unix:///mine.sock");
  for (const path of [".docker/config.json", ".docker/contexts/tls/x/docker/ca.pem"]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    rmSync(join(home, path), { force: true });
    execFileSync("mkfifo", [join(home, path)]);
  }
  expect(dockerConfig({ HOME: home })).toEqual({});
  expect(tlsMaterial(join(home, ".docker/contexts/tls/x/docker"))).toBeUndefined();
});
