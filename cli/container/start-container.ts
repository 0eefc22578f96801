// `functez sandbox --container start`: from the engine to a healthy sandbox in a container.
import { readFileSync } from "node:fs";
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { createSandboxClient } from "../../daemon/client/sandbox-client.ts";
import { forgetAdminSecret, keepAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { ADMIN_SECRET_VARIABLE, randomAdminSecret } from "../../daemon/protocol/admin-secret.ts";
import { LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl, LISTEN_ADDRESS_EXPECTED, listenAddress } from "../../daemon/protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import { BALANCE_HEADING, banner } from "../../daemon/text/start-output.ts";
import { showAccounts, warnOfVersion } from "../commands/sandbox.ts";
import { warnOfDifferences } from "../config/compare-config.ts";
import { SANDBOX_URL_VARIABLE } from "../config/locate-sandbox.ts";
import { sandboxClient } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { readOutput } from "./container-output.ts";
import type { Engine } from "./engine.ts";
import { ensureImage } from "./image.ts";
import { engineGateway, isInsideContainer } from "./inside-container.ts";
import { withHolder } from "./port-in-use.ts";
import { chosenAdminSecret, wantedPorts, withFreePorts } from "./published-ports.ts";
import { forwardCommand, isLoopbackAddress, reachableHost } from "./reach.ts";
import {
  type ContainerOptions,
  checkPublished,
  createContainer,
  findContainer,
  type FoundContainer,
  removeContainer,
  lacksInit,
  nameTaken,
  startAttached,
  type StartedContainer,
  stopContainer,
  wakeUp,
} from "./sandbox-container.ts";

export interface ContainerStartOptions {
  readonly detach?: boolean;
  readonly config?: string;
  readonly logLevel?: string;
  /** Image to use in place of an own build. */
  readonly image?: string;
  /** Address of the engine's machine that the ports are published on. */
  readonly publishAddress?: string;
  /** Detached: the sandbox ends by itself so many seconds after its last lifeline; without it, it lives on. */
  readonly grace?: string;
}

/** Starts the container, or attaches to the running one. @returns the exit code of the command */
export async function startContainer(
  context: CliContext,
  engine: Engine,
  options: ContainerStartOptions,
): Promise<number> {
  const address = publishAddress(options.publishAddress);
  const running = await settled(engine, context.signal);
  if (running) {
    const code = await showRunning(context, engine, running, options);
    return code ?? startContainer(context, engine, options); // it ended meanwhile
  }

  const ports = await withFreePorts(wantedPorts(options.config));
  const image = await ensureImage(engine, {
    distFolder: context.distFolder,
    terminal: context.terminal,
    signal: context.signal,
    env: context.env,
    image: options.image,
  });
  if (context.signal.aborted) throw new SandboxError("CANCELLED", { what: "Starting the sandbox" });
  const attached = options.detach !== true && !context.terminal.json;
  const adminSecret =
    chosenAdminSecret(options.config) ?? (context.env[ADMIN_SECRET_VARIABLE] || randomAdminSecret());
  const specification: ContainerOptions = {
    image,
    adminSecret,
    ports,
    address,
    publicHost: isLoopbackAddress(address) ? undefined : reachableHost(engine, address),
    config: options.config === undefined ? undefined : readConfig(options.config),
    logLevel: options.logLevel,
    attached,
    grace: attached ? undefined : options.grace,
  };
  const made = await makeAndStart(engine, specification).catch((error: unknown) => {
    if (!lacksInit(error)) throw error;
    return makeAndStart(engine, { ...specification, withoutInit: true });
  });
  if (!made) return startContainer(context, engine, options); // another start was first: attach to its
  const { container, started } = made;
  const published: Running = {
    id: container.id,
    ports,
    address,
    adminSecret,
    stop: async () => {
      await stopContainer(container);
      forgetAdminSecret(publishedEndpoint(engine, published), context.env);
    },
  };
  keepSecret(context, engine, published);
  try {
    await checkPublished(container, published);
  } catch (error) {
    started.stream.destroy();
    throw error;
  }
  if (attached) return followToEnd(context, engine, started, published);
  return waitUntilReady(context, engine, started, published);
}

/** @throws SandboxError BAD_OPTION */
function publishAddress(text: string | undefined): string {
  const address = text === undefined ? LOOPBACK : listenAddress(text);
  if (address !== undefined) return address;
  throw new SandboxError("BAD_OPTION", {
    option: "--publish-address",
    found: text,
    expected: LISTEN_ADDRESS_EXPECTED,
  });
}

/** Our container once it runs; a left-over of a broken start or engine is removed. */
async function settled(engine: Engine, signal: AbortSignal): Promise<FoundContainer | undefined> {
  let seen: string | undefined;
  let since = 0;
  for (;;) {
    const found = await findContainer(engine);
    if (found?.id !== seen) since = performance.now();
    seen = found?.id;
    if (!found || found.state === "running") return found;
    if (found.state === "paused") {
      await wakeUp(found);
    } else if (found.state === "created" && performance.now() - since < START_MS) {
      // Another start may have made it a moment ago, and be about to run it.
      if (signal.aborted) throw new SandboxError("CANCELLED", { what: "Starting the sandbox" });
      await pause(100, signal);
    } else {
      await removeContainer(found.container);
    }
  }
}

/** Undefined when there is one of the name already. */
async function makeAndStart(engine: Engine, specification: ContainerOptions) {
  const end = performance.now() + START_MS;
  for (;;) {
    const container = await createContainer(engine, specification);
    if (container) {
      try {
        return { container, started: await startAttached(container, specification) };
      } catch (error) {
        throw await withHolder(error, engine);
      }
    }
    if (await findContainer(engine)) return undefined;
    // Podman takes a name before it shows the container, and gives it back after it has removed it.
    if (performance.now() > end) throw nameTaken();
    await pause(100);
  }
}

/** Longer than an engine takes to run a container it has made. */
const START_MS = 5000;

/** Where the container's sandbox is published, and the secret by which its owner rules it. */
export type Published = Pick<FoundContainer, "ports" | "address" | "adminSecret">;

/** Base URL of the published port. */
export function publishedEndpoint(engine: Engine, { ports, address }: Published): string {
  // The loopback of another machine is reached by a forward, which begins at ours.
  const isForwarded = isLoopbackAddress(address) && engine.remoteHost !== undefined;
  return endpointUrl({ host: isForwarded ? LOOPBACK : reachableHost(engine, address), port: ports.server });
}

/** Client for the published port. */
export function publishedClient(engine: Engine, published: Published, signal?: AbortSignal): SandboxClient {
  const { adminSecret: text } = published;
  const adminSecret = () => (text === undefined ? undefined : { text, isDirect: false });
  return createSandboxClient(publishedEndpoint(engine, published), { signal, adminSecret });
}

/** Lets the commands that follow rule the sandbox without asking the engine. */
function keepSecret({ env, terminal }: CliContext, engine: Engine, published: Published): void {
  if (published.adminSecret === undefined) return;
  const failure = keepAdminSecret(publishedEndpoint(engine, published), published.adminSecret, env);
  if (failure)
    terminal.warn(`the sandbox's secret could not be kept for later commands: ${reasonOf(failure)}`);
}

/** @returns the exit code of the command, or undefined when the container has ended */
async function showRunning(
  context: CliContext,
  engine: Engine,
  found: FoundContainer,
  { config, detach }: Pick<ContainerStartOptions, "config" | "detach">,
): Promise<number | undefined> {
  const client = publishedClient(engine, found);
  keepSecret(context, engine, found);
  const health = await reach(client, engine, found, context);
  if (health === "ended") return undefined;
  context.terminal.print(`The sandbox is already running! (container, ${client.endpoint})`);
  if (!health) return showUnreachable(context, engine, found);
  warnOfVersion(context, health);
  const differences = await warnOfDifferences(context, config, await client.config(), {
    inContainer: true,
    detach,
  });
  await showAccounts(context, client, health, { differences });
  return 0;
}

interface Running extends Published {
  readonly id: string;
  readonly stop: () => Promise<void>;
}

/** Attached: output streams until the sandbox ends; Ctrl-C and SIGTERM stop and remove it. */
async function followToEnd(
  context: CliContext,
  engine: Engine,
  { stream, ended }: StartedContainer,
  running: Running,
): Promise<number> {
  const { terminal, signal } = context;
  let stopping: Promise<void> | undefined;
  const onAbort = () => {
    stopping ??= running.stop();
    stopping.catch(() => undefined); // awaited below
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  if (engine.remoteHost !== undefined) sayHowToReach(context, engine, running);
  // Elsewhere the loopback of the engine's machine is another one; whether that is so shows once the sandbox is ready.
  let isToBeTried = engine.remoteHost === undefined && isOnLoopbackElsewhere(context, running);
  const failure = await readOutput(engine, stream, {
    onStdout: (line) => {
      terminal.print(`${line}\n`);
      if (!isToBeTried || !line.includes(BALANCE_HEADING)) return;
      isToBeTried = false;
      void publishedClient(engine, running)
        .health()
        .then((health) => health ?? terminal.warn(loopbackElsewhere()));
    },
    onStderr: (line) => terminal.note(terminal.interactive ? readableLogLine(line) : line),
  });
  if (stopping) {
    await stopping;
    return 0;
  }
  const code = await ended;
  if (code === undefined) {
    throw new SandboxError("CONTAINER_LOST", { reason: failure ? reasonOf(failure) : "its stream ended" });
  }
  if (code > KILLED)
    throw new SandboxError("SANDBOX_KILLED", {
      how: `exit code ${code}`,
      command: START_COMMAND,
    });
  return code;
}

const START_COMMAND = "functez sandbox --container start";

/** Exit codes above it are those of signals. */
const KILLED = 128;

/** Detached: waits for the daemon's own word that it is ready, then leaves it alone. */
async function waitUntilReady(
  context: CliContext,
  engine: Engine,
  { stream, ended }: StartedContainer,
  running: Running,
): Promise<number> {
  const step = context.terminal.step("Starting the sandbox");
  const log: string[] = [];
  const cancelled = new Promise<"cancelled">((resolve) => {
    if (context.signal.aborted) resolve("cancelled");
    context.signal.addEventListener("abort", () => resolve("cancelled"), { once: true });
  });
  let output: Promise<Error | undefined> | undefined;
  const ready = new Promise<"ready">((resolve) => {
    output = readOutput(engine, stream, {
      onStdout: (line) => line.startsWith(READY) && resolve("ready"),
      onStderr: (line) => log.push(line),
    });
  });
  const outcome = await Promise.race([ready, cancelled, output!.then(() => "ended" as const)]);
  stream.destroy();
  if (outcome === "ready") {
    step.done();
    return showStarted(context, engine, running);
  }
  step.abandon();
  if (outcome === "cancelled") {
    await running.stop();
    throw new SandboxError("CANCELLED", { what: "Starting the sandbox" });
  }
  const code = await ended;
  const error = log.find((line) => line.startsWith("ERROR "));
  const how = code === undefined ? "the engine broke off" : `exit code ${code}`;
  throw new SandboxError("SANDBOX_START_FAILED", {
    reason: error
      ? `${how}: ${error.slice("ERROR ".length)}`
      : `${how}\n${log.slice(-20).map(readableLogLine).join("\n")}`,
  });
}

async function showStarted(context: CliContext, engine: Engine, running: Running): Promise<number> {
  const client = publishedClient(engine, running);
  const health = await reach(client, engine, running, context);
  if (health === "ended")
    throw new SandboxError("SANDBOX_KILLED", { how: "its container is gone", command: START_COMMAND });
  if (!health) return showUnreachable(context, engine, running);
  context.terminal.print(banner());
  await showAccounts(context, client, health);
  context.terminal.note("The sandbox runs in a container. Stop it with `functez sandbox --container stop`.");
  if (engine.remoteHost !== undefined && !isLoopbackAddress(running.address)) {
    sayHowToReach(context, engine, running);
  }
  if (sandboxClient(context).endpoint !== client.endpoint) {
    context.terminal.note(
      `Commands of this shell find it with ${SANDBOX_URL_VARIABLE}=${client.endpoint} in the environment.`,
    );
  }
  return 0;
}

/**
 * Waits until the sandbox answers through its published port: it may be starting for somebody else. undefined
 * when it stays silent, as it does behind the loopback of another machine without a forward; "ended" when its
 * container is no more.
 */
async function reach(
  client: SandboxClient,
  engine: Engine,
  { id, address }: Pick<Running, "id" | "address">,
  { signal, env }: Pick<CliContext, "signal" | "env">,
): Promise<HealthReport | "ended" | undefined> {
  const mayBeElsewhere =
    (engine.remoteHost !== undefined || isInsideContainer(env)) && isLoopbackAddress(address);
  const began = performance.now();
  let nextLook = began + LOOK_MS;
  while (!(await client.health())) {
    if (signal.aborted) throw new SandboxError("CANCELLED", { what: "Waiting for the sandbox" });
    const now = performance.now();
    if (now > began + SILENCE_MS) return undefined;
    if (now > nextLook) {
      const found = await findContainer(engine);
      if (found?.id !== id) return "ended";
      if (mayBeElsewhere && now > began + FORWARD_MS && (await saysReady(found.container))) return undefined;
      nextLook = performance.now() + LOOK_MS;
    }
    await pause(25, signal);
  }
  return client.waitUntilHealthy({ silenceMs: SILENCE_MS, signal });
}

/** Begin of the line that the daemon prints for programs once it serves. */
const READY = '{"ready":true';

/** Whether a sandbox serves, by what it has printed: also one that another start has made. */
async function saysReady(container: FoundContainer["container"]): Promise<boolean> {
  const printed = (await container.logs({ stdout: true, stderr: false })).toString();
  return printed.includes(READY) || printed.includes(BALANCE_HEADING);
}

const SILENCE_MS = 30_000;
/** Time between two looks whether the container is still there. */
const LOOK_MS = 500;
/** A forward that is there answers at once. */
const FORWARD_MS = 1000;

/** The sandbox runs, but its ports are on the loopback of another machine. */
function showUnreachable(context: CliContext, engine: Engine, running: Published): number {
  if (engine.remoteHost === undefined) {
    throw new SandboxError("SANDBOX_NOT_RUNNING", {
      endpoint: publishedClient(engine, running).endpoint,
      next: isOnLoopbackElsewhere(context, running)
        ? loopbackElsewhere()
        : "Its container runs, but does not answer: `functez sandbox --container restart` makes a new one.",
    });
  }
  sayHowToReach(context, engine, running);
  context.terminal.data({
    running: true,
    container: true,
    reachable: false,
    engine: engine.addressText,
    forward: forwardCommand(engine, running.ports),
  });
  return 0;
}

/** Whether the ports may be on the loopback of a machine that this shell's container only runs on. */
const isOnLoopbackElsewhere = ({ env }: Pick<CliContext, "env">, { address }: Pick<Running, "address">) =>
  isInsideContainer(env) && isLoopbackAddress(address);

const loopbackElsewhere = () =>
  `This shell runs in a container itself, and the ports are on the loopback of the engine's machine. Start the sandbox here with \`functez sandbox start\`, or publish it where this container reaches it: \`functez sandbox --container restart --publish-address ${engineGateway() ?? "<address of that machine>"}\`.`;

function sayHowToReach(
  context: CliContext,
  engine: Engine,
  { ports, address }: Pick<Running, "ports" | "address">,
): void {
  if (isLoopbackAddress(address)) {
    context.terminal.note(
      `The sandbox runs on ${engine.remoteHost}, published on that machine's loopback only. Reach it from here through a forward:\n  ${forwardCommand(engine, ports)}`,
    );
  } else {
    context.terminal.note(
      `The sandbox runs on ${engine.remoteHost} and is published on ${address} of it: whoever reaches that address can use and stop it.`,
    );
  }
}

function readConfig(file: string): { file: string; content: Buffer } {
  try {
    return { file, content: readFileSync(file) };
  } catch (error) {
    throw new SandboxError("CONFIG_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
}
