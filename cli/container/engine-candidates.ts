// Places where a container engine may be, in the order in which they are tried.
import { join } from "node:path";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import { activeContext, contextAddress, homeFolder, tlsMaterial } from "./docker-context.ts";
import { type EngineAddress, parseEngineAddress, remoteHost } from "./engine-address.ts";

/** Environment variable that names the engine for functez only. */
const ENGINE_VARIABLE = "FUNCTEZ_DOCKER_HOST";

export interface Candidate {
  /** Where the address comes from: "DOCKER_HOST", "context colima", "Podman". */
  readonly source: string;
  /** The address, or why there is none. */
  readonly address: EngineAddress | { readonly kind: "problem"; readonly reason: string };
}

export interface CandidateOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** Value of `--engine`. */
  readonly setting: string | undefined;
}

/**
 * The places to try. Only the setting or DOCKER_HOST if given, because falling back to another engine than the chosen
 * one would be a surprise; otherwise the active context, then well-known sockets. A context on another machine counts
 * as chosen too.
 */
export function engineCandidates({ env, platform, setting }: CandidateOptions): Candidate[] {
  const fromSetting = setting || env[ENGINE_VARIABLE];
  if (fromSetting) {
    return [
      candidateOf(setting ? "--engine" : ENGINE_VARIABLE, () => parseEngineAddress(fromSetting, tlsOf(env))),
    ];
  }
  const dockerHost = env["DOCKER_HOST"];
  if (dockerHost) return [candidateOf("DOCKER_HOST", () => parseEngineAddress(dockerHost, tlsOf(env)))];
  const context = activeContext(env);
  const contexts =
    context === undefined ? [] : [candidateOf(`context ${context}`, () => contextAddress(context, env))];
  const [active] = contexts;
  if (active && active.address.kind !== "problem" && remoteHost(active.address)) return contexts;
  const local = wellKnown(env, platform).map(([source, path]): Candidate => ({
    source,
    address: { kind: "socket", path },
  }));
  return [...contexts, ...local];
}

function candidateOf(source: string, address: () => EngineAddress): Candidate {
  try {
    return { source, address: address() };
  } catch (error) {
    return { source, address: { kind: "problem", reason: reasonOf(error) } };
  }
}

/** The TLS settings for DOCKER_HOST. */
function tlsOf(env: NodeJS.ProcessEnv) {
  if (!env["DOCKER_TLS_VERIFY"] && !env["DOCKER_CERT_PATH"]) return undefined;
  return tlsMaterial(env["DOCKER_CERT_PATH"] || join(homeFolder(env), ".docker")) ?? {};
}

function wellKnown(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): [source: string, path: string][] {
  if (platform === "win32") {
    return [
      ["Docker", "//./pipe/docker_engine"],
      ["Docker Desktop", "//./pipe/dockerDesktopLinuxEngine"],
      ["Podman", "//./pipe/podman-machine-default"],
    ];
  }
  const home = homeFolder(env);
  const runtime = env["XDG_RUNTIME_DIR"];
  const colima = env["COLIMA_HOME"] || join(home, ".colima");
  const inRuntime = (source: string, path: string): [string, string][] =>
    runtime ? [[source, join(runtime, path)]] : [];
  return [
    ["Docker", "/var/run/docker.sock"],
    ...inRuntime("Docker, rootless", "docker.sock"),
    ["Docker Desktop", join(home, ".docker/run/docker.sock")],
    ["Docker Desktop", join(home, ".docker/desktop/docker.sock")],
    ["OrbStack", join(home, ".orbstack/run/docker.sock")],
    ["Colima", join(colima, "default/docker.sock")],
    ["Colima", join(colima, "docker.sock")],
    ["Colima", join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "colima/default/docker.sock")],
    ["Rancher Desktop", join(home, ".rd/docker.sock")],
    ...inRuntime("Podman, rootless", "podman/podman.sock"),
    ["Podman machine", join(home, ".local/share/containers/podman/machine/podman.sock")],
    ["Podman", "/run/podman/podman.sock"],
  ];
}
