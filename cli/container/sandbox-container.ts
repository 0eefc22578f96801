// The one container of this product on an engine: its definition, start and stop. A container of the same name without
// our label belongs to another program and is never touched.
import { basename } from "node:path";
import type { Duplex } from "node:stream";
import type { Container, ContainerCreateOptions } from "dockerode";
import { pack } from "tar-stream";
import { ADMIN_SECRET_VARIABLE } from "../../daemon/protocol/admin-secret.ts";
import { VERSION } from "../../daemon/protocol/constants.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { CONTAINER_NAME, LABEL, removeContainer } from "./container-removal.ts";
import { engineFailure, statusOf } from "./engine-failure.ts";
import type { Engine } from "./engine.ts";
import { plainName } from "./image.ts";
import { type PublishedPorts, portList } from "./published-ports.ts";

const PORTS_LABEL = "functez.ports";
const ADDRESS_LABEL = "functez.address";
const SECRET_SETTING = `${ADMIN_SECRET_VARIABLE}=`;

/** Configuration folder inside; a volume, because the container's root is read-only. */
const CONFIG_FOLDER = "/config";
/** Anonymous, so that it is removed with its container; labelled, in case the engine dies first. */
const CONFIG_VOLUME = {
  Type: "volume",
  Source: "",
  Target: CONFIG_FOLDER,
  VolumeOptions: { NoCopy: true, Labels: { [LABEL]: "1" }, DriverConfig: { Name: "", Options: {} } },
} as const;
const MEMORY_BYTES = 1024 ** 3;
const PIDS = 128;
/** Seconds between SIGTERM and SIGKILL. */
const STOP_SECONDS = 8;

export interface FoundContainer {
  readonly container: Container;
  readonly id: string;
  readonly image: string;
  readonly state: "running" | "paused" | "created" | "dead";
  readonly ports: PublishedPorts;
  /** Address of the engine's machine on which the ports are published. */
  readonly address: string;
  /** The owner's secret; anyone who may inspect the container can control it anyhow. */
  readonly adminSecret: string | undefined;
}

/** Our container, or undefined. @throws SandboxError CONTAINER_FOREIGN */
export async function findContainer({ docker }: Engine): Promise<FoundContainer | undefined> {
  const container = docker.getContainer(CONTAINER_NAME);
  let found: Awaited<ReturnType<Container["inspect"]>>;
  try {
    found = await container.inspect();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineFailure("look for the container", error);
  }
  const labels = found.Config.Labels ?? {};
  if (labels[LABEL] === undefined) throw new SandboxError("CONTAINER_FOREIGN", { name: CONTAINER_NAME });
  const [server = 0, layer1, runtime] = (labels[PORTS_LABEL] ?? "")
    .split(",")
    .map((text) => (text === "" ? undefined : Number(text)));
  const { State } = found;
  return {
    container: docker.getContainer(found.Id),
    id: found.Id,
    image: plainName(found.Config.Image),
    state: State.Paused
      ? "paused"
      : State.Running
        ? "running"
        : State.Status === "created"
          ? "created"
          : "dead",
    ports: { server, layer1, runtime },
    address: labels[ADDRESS_LABEL] ?? "",
    adminSecret: found.Config.Env?.find((text) => text.startsWith(SECRET_SETTING))?.slice(
      SECRET_SETTING.length,
    ),
  };
}

export interface ContainerOptions {
  readonly image: string;
  readonly adminSecret: string;
  readonly withoutInit?: boolean;
  readonly ports: PublishedPorts;
  /** Address of the engine's machine to publish on. */
  readonly address: string;
  /** Host name for clients, if it is not a loopback name. */
  readonly publicHost: string | undefined;
  readonly config: { readonly file: string; readonly content: Buffer } | undefined;
  readonly logLevel: string | undefined;
  /** Lives as long as the attached stream, and prints banner and table; otherwise prints one JSON line. */
  readonly attached: boolean;
  /** Seconds that a detached sandbox outlives its last lifeline; undefined: it runs until it is stopped. */
  readonly grace: string | undefined;
}

/**
 * Creates the container without starting it.
 * @returns undefined when a container of this name was created in the meantime
 * @throws SandboxError IMAGE_UNAVAILABLE, CONTAINER_FAILED
 */
export async function createContainer(
  { docker }: Engine,
  options: ContainerOptions,
): Promise<Container | undefined> {
  let container: Container;
  try {
    container = await docker.createContainer(specification(options));
  } catch (error) {
    // Podman reports a name conflict with another start only in words.
    if (statusOf(error) === 409 || /name .* is already in use/.test(reasonOf(error))) return undefined;
    if (statusOf(error) === 404) {
      throw new SandboxError("IMAGE_UNAVAILABLE", {
        image: options.image,
        reason: "it disappeared in the meantime",
        next: "Start again.",
      });
    }
    throw engineFailure("create the container", error);
  }
  if (!options.config) return container;
  try {
    // Sent as an archive instead of a bind mount: the engine may run on another machine.
    const tar = pack();
    tar.entry({ name: basename(options.config.file), mode: 0o444 }, options.config.content);
    tar.finalize();
    await container.putArchive(tar, { path: CONFIG_FOLDER });
    return container;
  } catch (error) {
    await removeContainer(container);
    throw engineFailure("copy the configuration", error);
  }
}

function specification(options: ContainerOptions): ContainerCreateOptions {
  const { ports, attached, config } = options;
  const published = portList(ports);
  return {
    name: CONTAINER_NAME,
    Image: options.image,
    Labels: {
      [LABEL]: "1",
      [PORTS_LABEL]: `${ports.server},${ports.layer1 ?? ""},${ports.runtime ?? ""}`,
      [ADDRESS_LABEL]: options.address,
      "functez.version": VERSION,
    },
    Env: [`FUNCTEZ_PORT=${ports.server}`, `${SECRET_SETTING}${options.adminSecret}`],
    Cmd: [
      ...(config ? [`${CONFIG_FOLDER}/${basename(config.file)}`] : []),
      "--ports",
      `${ports.server},${ports.layer1 ?? 0},${ports.runtime ?? 0}`,
      ...(options.publicHost === undefined ? [] : ["--public-host", options.publicHost]),
      // A log file would be lost with the container; the engine keeps standard error.
      "--log-file",
      "",
      ...(options.logLevel === undefined ? [] : ["--log-level", options.logLevel]),
      attached ? "--lifeline" : "--json",
      ...(options.grace === undefined ? [] : ["--lifeline", "--grace", options.grace]),
    ],
    ExposedPorts: Object.fromEntries(published.map((port) => [`${port}/tcp`, {}])),
    AttachStdin: attached,
    // The engine closes stdin when we exit, however that happens: the daemon's lifeline.
    OpenStdin: attached,
    StdinOnce: attached,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    StopTimeout: STOP_SECONDS,
    HostConfig: {
      AutoRemove: true,
      // The daemon's only children are operators' programs, so it can do without.
      Init: options.withoutInit !== true,
      ReadonlyRootfs: true,
      Tmpfs: { "/tmp": "rw,nosuid,nodev,noexec,size=67108864" },
      ...(config ? { Mounts: [CONFIG_VOLUME] } : {}),
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges:true"],
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES, // memory and swap together
      PidsLimit: PIDS,
      PortBindings: Object.fromEntries(
        published.map((port) => [`${port}/tcp`, [{ HostIp: options.address, HostPort: String(port) }]]),
      ),
    },
  };
}

export interface StartedContainer {
  /** Output of the container; ending the stream closes the container's stdin. */
  readonly stream: Duplex;
  /** Resolves when the container has ended, with its exit code; undefined when the engine cannot report it. */
  readonly ended: Promise<number | undefined>;
}

/** Attaches to a container and starts it. It is removed when that fails. @throws SandboxError PORT_IN_USE, CONTAINER_FAILED */
export async function startAttached(
  container: Container,
  options: Pick<ContainerOptions, "attached" | "ports" | "address">,
): Promise<StartedContainer> {
  let stream: Duplex | undefined;
  try {
    stream = (await container.attach({
      stream: true,
      stdin: options.attached,
      stdout: true,
      stderr: true,
      hijack: true,
    })) as Duplex;
    const ended = exitCode(container);
    await container.start();
    return { stream, ended };
  } catch (error) {
    stream?.destroy();
    await removeContainer(container);
    throw portInUse(error, options) ?? engineFailure("start the container", error, NOTHING_RUNS);
  }
}

/**
 * Compares the published ports with the requested ones: an engine that does not understand an address may publish on
 * all addresses. The container is stopped when they differ.
 * @throws SandboxError CONTAINER_FAILED
 */
export async function checkPublished(
  container: Container,
  { address, stop }: { readonly address: string; readonly stop: () => Promise<void> },
): Promise<void> {
  let ports: Readonly<Record<string, readonly { readonly HostIp: string }[] | null>> | undefined;
  try {
    ports = (await container.inspect()).NetworkSettings?.Ports;
  } catch (error) {
    if (statusOf(error) === 404) return; // it has already ended, which is reported elsewhere
    throw engineFailure("inspect its ports", error);
  }
  const isAll = address === "0.0.0.0" || address === "::";
  const others = Object.values(ports ?? {})
    .flatMap((bindings) => bindings ?? [])
    .map(({ HostIp }) => HostIp)
    .filter((at) => !isAll && at !== address);
  if (others.length === 0) return;
  await stop();
  throw new SandboxError("CONTAINER_FAILED", {
    what: `publish its ports on ${address}`,
    reason: `it published them on ${[...new Set(others)].map((at) => at || "all addresses").join(", ")}; the container was stopped`,
  });
}

/** Podman reports 0 for a removed container, however it ended, so its exit is queried as well. */
async function exitCode(container: Container): Promise<number | undefined> {
  const waitFor = async (condition: "next-exit" | "removed"): Promise<number | undefined> => {
    try {
      return ((await container.wait({ condition })) as { StatusCode: number }).StatusCode;
    } catch {
      return undefined; // the engine is gone; only the stream's end is visible
    }
  };
  const [exit, removed] = await Promise.all([waitFor("next-exit"), waitFor("removed")]);
  return exit || (removed ?? exit);
}

/** Whether an engine lacks the init program that reaps zombies: Podman next to Docker's files. */
export function lacksInit(error: unknown): boolean {
  return /container-init|catatonit|docker-init|\btini\b/.test(reasonOf(error));
}

/** Error for a container that exists but is not listed. */
export function nameTaken(): SandboxError {
  return new SandboxError("CONTAINER_FAILED", {
    what: "create the container",
    reason: `its name, ${CONTAINER_NAME}, is in use by something that the engine does not list as a container`,
    next: `Remove that and start again; in Podman: \`podman rm --force ${CONTAINER_NAME}\`.`,
  });
}

/** The engine's message for a port in use, as our error; `namePublishedPortHolder` completes it. */
function portInUse(
  error: unknown,
  { ports, address }: Pick<ContainerOptions, "ports" | "address">,
): SandboxError | undefined {
  const reason = reasonOf(error);
  if (
    !/address already in use|port is already allocated|ports are not available|Only one usage/i.test(reason)
  ) {
    return undefined;
  }
  const numbers = [...reason.matchAll(/:(\d{1,5})\b/g)].map(([, digits]) => Number(digits));
  const port = numbers.find((number) => portList(ports).includes(number)) ?? ports.server;
  const [purpose, key] =
    port === ports.layer1
      ? ["layer1_node", "layer1_node.rpc_endpoint"]
      : port === ports.runtime
        ? ["runtime_node", "runtime_node.endpoint"]
        : ["sandboxd", "server_port"];
  return new SandboxError("PORT_IN_USE", { host: address, port, for: purpose, key }, { cause: error });
}

/** Resumes a paused container: only then can it answer, and stop gracefully. @throws SandboxError */
export async function wakeUp({ container, state }: FoundContainer): Promise<void> {
  if (state !== "paused") return;
  try {
    await container.unpause();
  } catch (error) {
    const isOverAlready = statusOf(error) === 404 || /not paused|not running/.test(reasonOf(error));
    if (!isOverAlready) throw engineFailure("resume the container", error);
  }
}

/** Graceful stop, forced after a deadline; resolves when the container and its volume are removed. */
export async function stopContainer(container: Container): Promise<void> {
  const gone = exitCode(container);
  try {
    await container.stop({ t: STOP_SECONDS });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return;
    if (status !== 304) throw engineFailure("stop the container", error);
  }
  const reported = new AbortController();
  await Promise.race([gone, pause(REPORT_MS, reported.signal)]);
  reported.abort();
  await removeContainer(container);
}

/** How long the engine may take to report the end of a stopped container. */
const REPORT_MS = 5000;

/** For a container that was removed again: it has no output. */
const NOTHING_RUNS =
  "Nothing was left running. Correct that and start again, or start the sandbox without a container: `functez sandbox start`.";
