// `functez sandbox --container start`: from the engine to a healthy sandbox in a container.
import { forgetAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { readRegularFile } from "../../daemon/local/regular-file.ts";
import { ADMIN_SECRET_VARIABLE, randomAdminSecret } from "../../daemon/protocol/admin-secret.ts";
import { LOOPBACK } from "../../daemon/protocol/constants.ts";
import { LISTEN_ADDRESS_EXPECTED, listenAddress } from "../../daemon/protocol/endpoint.ts";
import { errorInBody, reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import { BALANCE_HEADING } from "../../daemon/text/start-output.ts";
import type { CliContext } from "../context.ts";
import { readOutput } from "./container-output.ts";
import { removeContainer } from "./container-removal.ts";
import type { Engine } from "./engine.ts";
import { ensureImage } from "./image.ts";
import { namePublishedPortHolder } from "./port-in-use.ts";
import { chosenAdminSecret, wantedPorts, withFreePorts } from "./published-ports.ts";
import { isLoopbackAddress, reachableHost } from "./reach.ts";
import {
  READY,
  type Running,
  START_COMMAND,
  isOnLoopbackElsewhere,
  keepSecret,
  loopbackElsewhere,
  publishedClient,
  publishedEndpoint,
  sayHowToReach,
  showRunning,
  showStarted,
} from "./running-container.ts";
import {
  type ContainerOptions,
  checkPublished,
  createContainer,
  findContainer,
  type FoundContainer,
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
  /** Image to use instead of building one. */
  readonly image?: string;
  /** Address of the engine's machine on which to publish the ports. */
  readonly publishAddress?: string;
  /** Detached: the sandbox ends this many seconds after its last lifeline; without it, it keeps running. */
  readonly grace?: string;
}

/** Starts the container, or attaches to the running one. @returns the exit code of the command */
export async function startContainer(
  context: CliContext,
  engine: Engine,
  options: ContainerStartOptions,
): Promise<number> {
  const address = publishAddress(options.publishAddress);
  const running = await runningContainer(engine, context.signal);
  if (running) {
    const code = await showRunning(context, engine, running, options);
    return code ?? startContainer(context, engine, options); // it ended in the meantime
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
  if (!made) return startContainer(context, engine, options); // another start was first: attach to its container
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

/** Our container once it is running; leftovers of a broken start or engine are removed. */
async function runningContainer(engine: Engine, signal: AbortSignal): Promise<FoundContainer | undefined> {
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
      // Another start may have created it a moment ago, and be about to start it.
      if (signal.aborted) throw new SandboxError("CANCELLED", { what: "Starting the sandbox" });
      await pause(100, signal);
    } else {
      await removeContainer(found.container, signal);
    }
  }
}

/** Undefined when the name is already in use. */
async function makeAndStart(engine: Engine, specification: ContainerOptions) {
  const end = performance.now() + START_MS;
  for (;;) {
    const container = await createContainer(engine, specification);
    if (container) {
      try {
        return { container, started: await startAttached(container, specification) };
      } catch (error) {
        throw await namePublishedPortHolder(error, engine);
      }
    }
    if (await findContainer(engine)) return undefined;
    // Podman reserves a name before it lists the container, and releases it after removing it.
    if (performance.now() > end) throw nameTaken();
    await pause(100);
  }
}

/** Longer than an engine takes to start a created container. */
const START_MS = 5000;

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
  // The loopback of the engine's machine may not be ours; that shows once the sandbox is ready.
  let isToBeTried = engine.remoteHost === undefined && isOnLoopbackElsewhere(context, running);
  let isReady = false;
  const failure = await readOutput(engine, stream, {
    onStdout: (line) => {
      terminal.print(`${line}\n`);
      if (!line.includes(BALANCE_HEADING)) return;
      isReady = true;
      if (!isToBeTried) return;
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
  // Docker reports 0 for a container that was killed and removed before it looked at our question for the exit code.
  if (code > KILLED || (code === 0 && !isReady))
    throw new SandboxError("SANDBOX_KILLED", {
      how: isReady ? `exit code ${code}` : `exit code ${code} before it was ready`,
      command: START_COMMAND,
    });
  return code;
}

/** Exit codes above this belong to signals. */
const KILLED = 128;

/** Detached: waits until the daemon reports that it is ready, then leaves it running. */
async function waitUntilReady(
  context: CliContext,
  engine: Engine,
  { stream, ended }: StartedContainer,
  running: Running,
): Promise<number> {
  const log: string[] = [];
  const cancelled = new Promise<"cancelled">((resolve) => {
    if (context.signal.aborted) resolve("cancelled");
    context.signal.addEventListener("abort", () => resolve("cancelled"), { once: true });
  });
  let output: Promise<Error | undefined> | undefined;
  let failure: SandboxError | undefined;
  const ready = new Promise<"ready">((resolve) => {
    output = readOutput(engine, stream, {
      onStdout(line) {
        if (line.startsWith(READY)) resolve("ready");
        else failure ??= errorInBody(line);
      },
      onStderr: (line) => log.push(line),
    });
  });
  const outcome = await context.terminal.withStep("Starting the sandbox", () =>
    Promise.race([ready, cancelled, output!.then(() => "ended" as const)]),
  );
  stream.destroy();
  if (outcome === "ready") return showStarted(context, engine, running);
  if (outcome === "cancelled") {
    await running.stop();
    throw new SandboxError("CANCELLED", { what: "Starting the sandbox" });
  }
  const code = await ended;
  if (failure) throw failure;
  const how = code === undefined ? "the engine closed the stream" : `exit code ${code}`;
  throw new SandboxError("SANDBOX_START_FAILED", {
    reason: `${how}\n${log.slice(-20).map(readableLogLine).join("\n")}`,
  });
}

function readConfig(file: string): { file: string; content: Buffer } {
  try {
    return { file, content: readRegularFile(file) };
  } catch (error) {
    throw new SandboxError("CONFIG_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
}
