// A running sandbox in a container: where it is published, whether it is reachable from here, and what a start shows.
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { createSandboxClient } from "../../daemon/client/sandbox-client.ts";
import { keepAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl } from "../../daemon/protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { BALANCE_HEADING, banner } from "../../daemon/text/start-output.ts";
import { showAccounts, warnOfVersion } from "../commands/sandbox-report.ts";
import { warnOfDifferences } from "../config/compare-config.ts";
import { SANDBOX_URL_VARIABLE } from "../config/locate-sandbox.ts";
import { sandboxClient } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import type { Engine } from "./engine.ts";
import { engineGateway, isInsideContainer } from "./inside-container.ts";
import { forwardCommand, isLoopbackAddress, reachableHost } from "./reach.ts";
import { findContainer, type FoundContainer } from "./sandbox-container.ts";

/** Where the container's sandbox is published, and its owner's secret. */
export type Published = Pick<FoundContainer, "ports" | "address" | "adminSecret">;

/** Base URL of the published port. */
export function publishedEndpoint(engine: Engine, { ports, address }: Published): string {
  // The loopback of another machine is reached through a forward, which starts at ours.
  const isForwarded = isLoopbackAddress(address) && engine.remoteHost !== undefined;
  return endpointUrl({ host: isForwarded ? LOOPBACK : reachableHost(engine, address), port: ports.server });
}

/** Client for the published port. */
export function publishedClient(engine: Engine, published: Published, signal?: AbortSignal): SandboxClient {
  const { adminSecret: text } = published;
  const adminSecret = () => (text === undefined ? undefined : { text, isDirect: false });
  return createSandboxClient(publishedEndpoint(engine, published), { signal, adminSecret });
}

/** Lets later commands control the sandbox without asking the engine. */
export function keepSecret({ env, terminal }: CliContext, engine: Engine, published: Published): void {
  if (published.adminSecret === undefined) return;
  const failure = keepAdminSecret(publishedEndpoint(engine, published), published.adminSecret, env);
  if (failure)
    terminal.warn(`the sandbox's secret could not be kept for later commands: ${reasonOf(failure)}`);
}

export interface Running extends Published {
  readonly id: string;
  readonly stop: () => Promise<void>;
}

export const START_COMMAND = "functez sandbox --container start";

/** @returns the exit code of the command, or undefined when the container has ended */
export async function showRunning(
  context: CliContext,
  engine: Engine,
  found: FoundContainer,
  { config, detach }: { readonly config?: string; readonly detach?: boolean },
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

export async function showStarted(context: CliContext, engine: Engine, running: Running): Promise<number> {
  const client = publishedClient(engine, running);
  const health = await reach(client, engine, running, context);
  if (health === "ended")
    throw new SandboxError("SANDBOX_KILLED", { how: "its container is gone", command: START_COMMAND });
  if (!health) return showUnreachable(context, engine, running);
  context.terminal.print(banner());
  await showAccounts(context, client, health);
  context.terminal.note(
    "The sandbox is running in a container. Stop it with `functez sandbox --container stop`.",
  );
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
 * Waits until the sandbox answers through its published port, as another start may have just launched it. undefined
 * when it stays silent, as behind the loopback of another machine without a forward; "ended" when its container is
 * gone.
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

/** Start of the line that the daemon prints for programs once it is ready. */
export const READY = '{"ready":true';

/** Whether a sandbox is ready according to its output, also one that another start created. */
async function saysReady(container: FoundContainer["container"]): Promise<boolean> {
  const printed = (await container.logs({ stdout: true, stderr: false })).toString();
  return printed.includes(READY) || printed.includes(BALANCE_HEADING);
}

const SILENCE_MS = 30_000;
/** Interval of checks whether the container still exists. */
const LOOK_MS = 500;
/** An existing forward answers at once. */
const FORWARD_MS = 1000;

/** The sandbox is running, but its ports are on the loopback of another machine. */
function showUnreachable(context: CliContext, engine: Engine, running: Published): number {
  if (engine.remoteHost === undefined) {
    throw new SandboxError("SANDBOX_NOT_RUNNING", {
      endpoint: publishedClient(engine, running).endpoint,
      next: isOnLoopbackElsewhere(context, running)
        ? loopbackElsewhere()
        : "Its container runs, but does not answer: `functez sandbox --container restart` creates a new one.",
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

/** Whether the ports may be on the loopback of the machine that hosts this shell's container. */
export const isOnLoopbackElsewhere = (
  { env }: Pick<CliContext, "env">,
  { address }: Pick<Running, "address">,
) => isInsideContainer(env) && isLoopbackAddress(address);

export const loopbackElsewhere = () =>
  `This shell runs in a container itself, and the ports are on the loopback of the engine's machine. Start the sandbox here with \`functez sandbox start\`, or publish it where this container reaches it: \`functez sandbox --container restart --publish-address ${engineGateway() ?? "<address of that machine>"}\`.`;

export function sayHowToReach(
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
      `The sandbox runs on ${engine.remoteHost} and is published on its address ${address}: anyone who can reach that address can use and stop it.`,
    );
  }
}
