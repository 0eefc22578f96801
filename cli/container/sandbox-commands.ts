// `functez sandbox --container start|stop|restart|status|logs|prune`.
import { Readable } from "node:stream";
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { forgetAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl } from "../../daemon/protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import {
  partLines,
  showAccounts,
  warnOfVersion,
  withReachableEndpoints,
} from "../commands/sandbox-report.ts";
import { confirmIfShared, untilGone } from "../commands/sandbox.ts";
import { warnOfDifferences } from "../config/compare-config.ts";
import { startEndpoint } from "../config/locate-sandbox.ts";
import { clientAt } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { readOutput } from "./container-output.ts";
import { CONTAINER_NAME, pruneContainers, pruneVolumes, removeContainer } from "./container-removal.ts";
import { engineFailure } from "./engine-failure.ts";
import { connectEngine, type Engine } from "./engine.ts";
import { pruneImages } from "./image.ts";
import { wantedPorts } from "./published-ports.ts";
import { publishedClient, publishedEndpoint } from "./running-container.ts";
import { findContainer, stopContainer, wakeUp } from "./sandbox-container.ts";
import { type ContainerStartOptions, startContainer } from "./start-container.ts";

interface EngineOption {
  readonly engine?: string;
}

export type StartOptions = ContainerStartOptions & EngineOption;

/** @returns the exit code of the command */
export async function startSandbox(context: CliContext, options: StartOptions): Promise<number> {
  const client = localClient(context, options.config);
  const health = await client?.health();
  // A sandbox that is already running is used: in a container or not makes no difference.
  if (client && health && !(await runsInContainer(context, options))) {
    context.terminal.print(
      `The sandbox is already running, without a container! (process ${health.pid}, ${client.endpoint})`,
    );
    context.terminal.note(
      "All commands work with it. To run it in a container: `functez sandbox --container restart`.",
    );
    warnOfVersion(context, health);
    const differences = await warnOfDifferences(context, options.config, await client.config(), {
      inContainer: false,
    });
    await showAccounts(context, client, health, { differences });
    return 0;
  }
  return withEngine(context, options, (engine) => startContainer(context, engine, options));
}

export async function stopSandbox(
  context: CliContext,
  options: EngineOption & { readonly yes?: boolean },
): Promise<void> {
  await withEngine(context, options, async (engine) => {
    const found = await findContainer(engine);
    if (!found || found.state === "dead") {
      if (found) await removeContainer(found.container, context.signal);
      context.terminal.print("The sandbox is not running in a container!");
      context.terminal.data({ running: false, stopped: false });
      return;
    }
    await wakeUp(found);
    const health = await publishedClient(engine, found).health();
    if (health) await confirmIfShared(context, health, options.yes === true);
    context.terminal.note("Stopping the sandbox...");
    await stopContainer(found.container);
    forgetAdminSecret(publishedEndpoint(engine, found), context.env);
    context.terminal.print("Sandbox stopped");
    context.terminal.data({ running: false, stopped: true, container: found.id });
  });
}

/** Resets the sandbox: stops the running one, in a container or not. @returns the exit code */
export async function restartSandbox(
  context: CliContext,
  options: StartOptions & { readonly yes?: boolean },
): Promise<number> {
  return withEngine(context, options, async (engine) => {
    const found = await findContainer(engine);
    if (found) await wakeUp(found);
    const client = found ? publishedClient(engine, found) : localClient(context, options.config);
    const health = await client?.health();
    if (health) await confirmIfShared(context, health, options.yes === true);
    if (found || health) context.terminal.note("Stopping the sandbox... its state is not kept.");
    if (found) {
      await stopContainer(found.container);
    } else if (client && health) {
      await client.shutdown();
      await untilGone(client, health.pid);
    }
    return startContainer(context, engine, options);
  });
}

/** Runs `work` with the sandbox in the container. @throws SandboxError SANDBOX_NOT_RUNNING */
export async function withSandbox(
  context: CliContext,
  options: EngineOption,
  work: (client: SandboxClient) => Promise<void>,
): Promise<void> {
  await withEngine(context, options, async (engine) => {
    const found = await findContainer(engine);
    const client = found?.state === "running" ? publishedClient(engine, found, context.signal) : undefined;
    const health = await client?.health();
    if (!client || !health) {
      throw new SandboxError("SANDBOX_NOT_RUNNING", {
        endpoint: client?.endpoint ?? `${CONTAINER_NAME} on ${engine.addressText}`,
        next: "`functez sandbox --container status` shows its state; `start` starts it.",
      });
    }
    warnOfVersion(context, health);
    await work(client);
  });
}

export async function sandboxStatus(context: CliContext, options: EngineOption): Promise<number> {
  return withEngine(context, options, async (engine) => {
    const found = await findContainer(engine);
    if (!found || found.state === "dead" || found.state === "created") {
      context.terminal.print("The sandbox is not running in a container.");
      context.terminal.note("Start it with `functez sandbox --container start`.");
      context.terminal.data({ running: false });
      return 1;
    }
    const client = publishedClient(engine, found);
    // A paused container accepts connections and never answers.
    const answer = found.state === "paused" ? undefined : await client.health();
    const endpoints = answer && (await client.endpoints());
    const health = answer && endpoints && withReachableEndpoints(answer, endpoints);
    const container = {
      id: found.id,
      name: CONTAINER_NAME,
      image: found.image,
      state: found.state,
      engine: engine.addressText,
    };
    const state =
      (found.state === "paused" ? "paused" : health?.status) ??
      (engine.remoteHost === undefined ? "does not answer" : "not reachable from here");
    context.terminal.print(
      [
        `Sandbox ${state}: container ${CONTAINER_NAME} (${found.id.slice(0, 12)}, ${found.state}), image ${found.image}`,
        `  ${"engine".padEnd(13)} ${engine.addressText} (${engine.source})`,
        `  ${"sandboxd".padEnd(13)} ${client.endpoint}`,
        ...(health ? partLines(health) : []),
      ].join("\n"),
    );
    if (found.state === "paused") context.terminal.note("`functez sandbox --container start` resumes it.");
    if (health) warnOfVersion(context, health);
    context.terminal.data({
      running: true,
      container,
      ...health,
      endpoints: { sandboxd: client.endpoint, ...endpoints },
      ...(found.adminSecret === undefined ? {} : { adminSecret: found.adminSecret }),
    });
    return health?.status === "healthy" ? 0 : 1;
  });
}

export async function sandboxLogs(
  context: CliContext,
  options: EngineOption & { readonly follow?: boolean },
): Promise<void> {
  await withEngine(context, options, async (engine) => {
    const found = await findContainer(engine);
    if (!found)
      throw new SandboxError("SANDBOX_NOT_RUNNING", {
        endpoint: `${CONTAINER_NAME} on ${engine.addressText}`,
        next: "Start one with `functez sandbox --container start`.",
      });
    try {
      const wanted = { stdout: true, stderr: true, tail: 500 };
      const stream = options.follow
        ? await found.container.logs({ ...wanted, follow: true, abortSignal: context.signal })
        : Readable.from([await found.container.logs(wanted)]);
      const broken = await readOutput(engine, stream, {
        onStdout: () => undefined, // banner and table; the log is on stderr
        onStderr: (line) => showLogLine(context, line),
      });
      if (broken) throw broken;
    } catch (error) {
      if (!context.signal.aborted) throw engineFailure("read the log", error);
    }
  });
}

function showLogLine(context: CliContext, line: string): void {
  context.terminal.print(readableLogLine(line));
  let data: unknown = line;
  try {
    data = JSON.parse(line);
  } catch {
    // output of a library, bypassing the log
  }
  context.terminal.data(data);
}

export async function pruneSandbox(context: CliContext, options: EngineOption): Promise<void> {
  await withEngine(context, options, async (engine) => {
    const { containers, stuck } = await pruneContainers(engine, context.signal); // first: they hold images and volumes
    const { removed, kept } = await pruneImages(engine);
    const volumes = await pruneVolumes(engine);
    const bytes = removed.reduce((sum, image) => sum + image.bytes, 0);
    context.terminal.print(
      removed.length === 0
        ? "No old images of the sandbox."
        : `Removed ${removed.length} old ${removed.length === 1 ? "image" : "images"} of the sandbox:\n${removed.map((image) => `  ${imageName(image)}`).join("\n")}`,
    );
    if (containers.length > 0)
      context.terminal.print(
        `Removed ${containers.length} ended ${containers.length === 1 ? "container" : "containers"}.`,
      );
    for (const { id, reason } of stuck)
      context.terminal.warn(`the engine keeps the container ${id.slice(0, 12)}: ${reason}`);
    for (const image of kept)
      context.terminal.warn(`the engine keeps the old image ${imageName(image)}: ${image.reason}`);
    context.terminal.data({ removed, kept, bytes, volumes, containers, stuck });
  });
}

const imageName = ({ id, tags }: { readonly id: string; readonly tags: readonly string[] }): string =>
  tags.join(", ") || id.slice(7, 19);

async function withEngine<T>(
  context: CliContext,
  options: EngineOption,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await connectEngine({ env: context.env, setting: options.engine });
  try {
    return await work(engine);
  } catch (error) {
    throw userErrorOf(error);
  } finally {
    engine.close();
  }
}

/** Errors of the engine or the connection to it are not bugs of ours. */
function userErrorOf(error: unknown): unknown {
  if (error instanceof SandboxError) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  return statusCode === undefined && code === undefined ? error : engineFailure("answer", error);
}

/** Client for the configured port on this machine; undefined when any free port may be used. */
function localClient(context: CliContext, configFile: string | undefined): SandboxClient | undefined {
  if (configFile === undefined) return clientAt(startEndpoint(context.env), context);
  const { server: port } = wantedPorts(configFile);
  return port === 0 ? undefined : clientAt(endpointUrl({ host: LOOPBACK, port }), context);
}

async function runsInContainer(context: CliContext, options: EngineOption): Promise<boolean> {
  try {
    return await withEngine(
      context,
      options,
      async (engine) => engine.remoteHost !== undefined || (await findContainer(engine))?.state === "running",
    );
  } catch (error) {
    context.terminal.note(`(the container engine was not asked: ${reasonOf(error)})`);
    return false;
  }
}
