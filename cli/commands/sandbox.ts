// `functez sandbox start|stop|restart`, without a container.
import { existsSync } from "node:fs";
import { connect } from "node:net";
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { isSamePlace } from "../../daemon/local/kept-secrets.ts";
import { liveOwnerRecords } from "../../daemon/local/owner-record.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { banner } from "../../daemon/text/start-output.ts";
import { warnOfDifferences } from "../config/compare-config.ts";
import { locateSandbox, SANDBOX_URL_VARIABLE, startEndpoint } from "../config/locate-sandbox.ts";
import { clientAt, isOwn, runningSandbox, sandboxClient } from "../config/network.ts";
import { type CliContext, endLine } from "../context.ts";
import { interruptible } from "../interruptible.ts";
import { runForeground, startBackground } from "../sandbox-process.ts";
import { showAccounts, warnOfVersion } from "./sandbox-report.ts";

export { sandboxLogs, sandboxStatus } from "./sandbox-status.ts";

export interface StartOptions {
  readonly detach?: boolean;
  readonly config?: string;
  readonly logLevel?: string;
}

const FIRST_LOOK_MS = 1000;

/** @returns the exit code of the command */
export async function startSandbox(context: CliContext, options: StartOptions): Promise<number> {
  const client = await clientOf(context, options.config);
  // A sandbox that answers later is found by the daemon when its port is in use.
  const running = await client.health(FIRST_LOOK_MS);
  if (running) {
    await refuseOthers(context, client, running);
    context.terminal.print(`The sandbox is already running! (process ${running.pid}, ${client.endpoint})`);
    warnOfVersion(context, running);
    const differences = await warnOfDifferences(context, options.config, await client.config(), {
      inContainer: false,
      detach: options.detach,
    });
    await showAccounts(context, client, running, { differences });
    return 0;
  }
  return launch(context, options, client);
}

async function launch(context: CliContext, options: StartOptions, client: SandboxClient): Promise<number> {
  const process_ = {
    distFolder: context.distFolder,
    env: context.env,
    configFile: options.config,
    logLevel: options.logLevel,
  };
  if (!options.detach && !context.terminal.json) {
    const code = await runForeground(process_, context.signal);
    endLine(context);
    return code;
  }
  // Only the daemon would know its port, so it could never be found.
  if (new URL(client.endpoint).port === "0")
    throw new SandboxError("BAD_OPTION", {
      option: "server_port of the configuration",
      found: "0",
      expected: "a fixed port for a sandbox in the background",
    });
  return context.terminal.withStep("Starting the sandbox", async (step) => {
    const health = await startBackground(process_, client, context.signal, context.terminal.warn);
    step.done();
    context.terminal.print(banner());
    await showAccounts(context, client, health).catch((error: unknown) => {
      if (!context.signal.aborted) throw error; // Ctrl-C came too late: it runs, as the next line says
    });
    await tellHowToReach(context, client);
    return 0;
  });
}

async function tellHowToReach({ terminal, env }: CliContext, client: SandboxClient): Promise<void> {
  const { endpoint } = client;
  const naming = `export ${SANDBOX_URL_VARIABLE}=${endpoint}`;
  if (!(await isOwn(client, env))) {
    // Its record could not be written, so commands would not recognise it.
    terminal.note(`The sandbox runs in the background. To use it, and to stop it: ${naming}`);
    terminal.note("With that, `functez sandbox stop` stops it.");
    return;
  }
  terminal.note("The sandbox runs in the background. Stop it with `functez sandbox stop`.");
  if (!isSamePlace(endpoint, startEndpoint({})))
    terminal.note(`It is at ${endpoint}, where the commands of this user find it. For others: ${naming}`);
}

export async function stopSandbox(context: CliContext, options: { readonly yes?: boolean }): Promise<void> {
  const client = sandboxClient(context);
  const health = await client.health();
  if (!health) {
    context.terminal.print("The sandbox is not running!");
    context.terminal.data({ running: false, stopped: false });
    return;
  }
  await refuseOthers(context, client, health);
  await confirmIfShared(context, health, options.yes === true);
  context.terminal.note(`Stopping the sandbox at ${client.endpoint}...`);
  await shutdown(context, client);
  context.terminal.print("Sandbox stopped");
  context.terminal.data({ running: false, stopped: true, pid: health.pid });
}

export async function restartSandbox(
  context: CliContext,
  given: StartOptions & { readonly yes?: boolean },
): Promise<number> {
  const own = given.config === undefined ? ownWithFile(context) : undefined;
  const options = own ? { ...given, config: own.configFile } : given;
  const client = own ? clientAt(own.endpoint, context) : await clientOf(context, options.config);
  const health = await client.health();
  if (health) {
    await refuseOthers(context, client, health);
    await confirmIfShared(context, health, options.yes === true);
    context.terminal.note("Stopping the sandbox... its state is not kept.");
    await shutdown(context, client);
    await untilGone(client, health.pid);
  }
  return launch(context, options, own ? await clientOf(context, own.configFile) : client);
}

function shutdown({ signal }: CliContext, client: SandboxClient): Promise<void> {
  const interruption = {
    what: "Waiting for the sandbox to stop",
    next: "It is still stopping: check with `functez sandbox status`.",
  };
  return interruptible(signal, interruption, client.shutdown());
}

/**
 * Waits until the old daemon has freed its port. A container engine holds a published port slightly longer than the
 * daemon lives.
 */
export async function untilGone(client: SandboxClient, pid: number): Promise<void> {
  const end = performance.now() + PORT_RELEASE_MS;
  for (;;) {
    const health = await client.health();
    const free = health ? health.pid !== pid : !(await acceptsConnections(client.endpoint));
    if (free || performance.now() > end) return; // the following start reports a port that stays in use
    await pause(20);
  }
}

const PORT_RELEASE_MS = 10_000;

function acceptsConnections(endpoint: string): Promise<boolean> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** A stop takes the sandbox away from all other windows and terminals, so ask first. */
export async function confirmIfShared(
  context: CliContext,
  health: HealthReport,
  yes: boolean,
): Promise<void> {
  const others = Math.max(health.lifelines ?? 0, health.clients);
  if (yes || others <= 1 || !context.terminal.interactive) return;
  const { confirm } = await import("../render/prompt.ts");
  if (!(await confirm(`${others} other windows or terminals use this sandbox. Stop it for all?`))) {
    throw new SandboxError("CANCELLED", { what: "Stopping the sandbox" });
  }
}

/** Runs `work` with the running sandbox. @throws SandboxError SANDBOX_NOT_RUNNING */
export async function withSandbox(
  context: CliContext,
  _options: object,
  work: (client: SandboxClient) => Promise<void>,
): Promise<void> {
  const { client, health } = await runningSandbox(context, "change");
  warnOfVersion(context, health);
  await work(client);
}

/** Refuses to use a sandbox that answers but is unknown here: it belongs to another user. */
async function refuseOthers(
  context: CliContext,
  client: SandboxClient,
  { pid }: HealthReport,
): Promise<void> {
  if (await isOwn(client, context.env)) return;
  const { endpoint } = client;
  throw new SandboxError("SANDBOX_FOREIGN", {
    endpoint,
    pid,
    what: "nothing was started, changed or stopped",
  });
}

/**
 * The running sandbox of this configuration folder that was started with a file. One started without a file is on the
 * usual ports; any other would be missed by a restart without a file, which would start a second one.
 * @throws SandboxError INPUT_NEEDED
 */
function ownWithFile({ env, terminal }: CliContext): { endpoint: string; configFile: string } | undefined {
  const { endpoint, by } = locateSandbox(env);
  const record = liveOwnerRecords(env).find((each) => isSamePlace(each.endpoint, endpoint));
  const configFile = record?.configFile;
  if (configFile !== undefined && existsSync(configFile)) {
    terminal.note(`Using the configuration ${configFile} again.`);
    return { endpoint, configFile };
  }
  if (configFile === undefined && (by !== "own" || isSamePlace(endpoint, startEndpoint(env))))
    return undefined;
  throw new SandboxError("INPUT_NEEDED", {
    what: `The configuration of the sandbox at ${endpoint}`,
    option: "--config, or stop it with `functez sandbox stop`",
  });
}

/** Client for the port of a configuration file, otherwise for the usual port. */
async function clientOf(context: CliContext, configFile: string | undefined): Promise<SandboxClient> {
  const usual = () => clientAt(startEndpoint(context.env), context);
  if (configFile === undefined) return usual();
  const { sandboxdEndpointOf } = await import("../config/daemon-config.ts");
  const endpoint = sandboxdEndpointOf(configFile);
  return endpoint === undefined ? usual() : clientAt(endpoint, context);
}
