// sandboxd: composes the two parts with the control server and starts them.
import { resolve } from "node:path";
import { adminSecretOf } from "./config/admin-secret.ts";
import { withOverrides } from "./config/overrides.ts";
import { defaultConfig } from "./config/schema.ts";
import { sandboxAccounts } from "./control/accounts.ts";
import { parseSandboxdArguments, SANDBOXD_HELP } from "./control/arguments.ts";
import { attachToRunning } from "./control/attach.ts";
import { type DaemonLog, openLog } from "./control/log.ts";
import { namePortHolder } from "./control/port-in-use.ts";
import { publicConfig } from "./control/public-config.ts";
import { createSandbox } from "./control/sandbox.ts";
import { explorerOf } from "./explorer-part.ts";
import { indexerOf } from "./indexer-part.ts";
import { layer1Part } from "./layer1-part.ts";
import { VERSION } from "./protocol/constants.ts";
import { isError, reasonOf, SandboxError } from "./protocol/errors.ts";
import { runtimePart, type RuntimePartOptions } from "./runtime-part.ts";
import { attachStdin } from "./supervisor/lifeline.ts";
import { accountTable, banner, explorerLine } from "./text/start-output.ts";
import { visible } from "./text/visible-text.ts";

type RunCommand = Extract<ReturnType<typeof parseSandboxdArguments>, { kind: "run" }>;

/** The engine options that the entry file passes. */
export type EngineOptions = Pick<RuntimePartOptions, "engineDirectory" | "engineThread">;

/** Runs the command line. Failures are reported and end the process. */
export async function main(args: readonly string[], engine: EngineOptions): Promise<void> {
  // A spawner that has exited with its pipes, or a full disk, must not end the daemon: the lifeline decides.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  try {
    await perform(args, engine);
  } catch (error) {
    reportFailure(await namePortHolder(error), args.includes("--json"));
    process.exit(1);
  }
}

async function perform(args: readonly string[], engine: EngineOptions): Promise<void> {
  const command = parseSandboxdArguments(args);
  if (command.kind === "help") process.stdout.write(SANDBOXD_HELP);
  else if (command.kind === "version") process.stdout.write(`sandboxd ${VERSION}\n`);
  else if (command.kind === "config") await showConfig(command.configFile);
  else await run(command, engine);
}

/** One line of JSON: the configuration with its warnings, or the error. */
async function showConfig(file: string | undefined): Promise<void> {
  const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
  try {
    const { config, warnings } = await readConfig(file);
    const real = {
      serverPort: config.server_port,
      layer1: `http://${config.layer1_node.rpc_endpoint}`,
      runtime: `http://${config.runtime_node.endpoint}`,
    };
    say({ config: publicConfig(config, real), warnings });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    say(error.toBody());
    process.exitCode = 1;
  }
}

const readConfig = async (file: string | undefined) =>
  file === undefined
    ? { config: defaultConfig(), warnings: [] }
    : (await import("./config/load.ts")).loadConfig(file);

async function run(command: RunCommand, engine: EngineOptions): Promise<void> {
  const { config: configured, warnings } = await readConfig(command.configFile);
  const config = withOverrides(configured, command);
  const log = await openLog({
    level: command.logLevel ?? config.log_level,
    file: command.logFile ?? config.log_file,
  });
  for (const warning of warnings) log.warn({}, warning);

  const accounts = sandboxAccounts(config);
  const adminSecret = adminSecretOf(config, process.env);
  const layer1 = layer1Part(config, log, adminSecret);
  const layer1Endpoint = () => layer1.endpoint();
  const runtimeEndpoint = () => runtime.endpoint();
  const runtime = runtimePart(config, { ...engine, log, layer1Endpoint, adminSecret });
  const sandbox = createSandbox({
    config,
    configFile: command.configFile === undefined ? undefined : resolve(command.configFile),
    parts: { layer1, runtime },
    indexer: indexerOf(config, { directory: engine.engineDirectory, layer1Endpoint, log }),
    explorer: explorerOf(engine.engineDirectory, {
      accounts,
      endpoints: { layer1: layer1Endpoint, runtime: runtimeEndpoint },
    }),
    accounts,
    adminSecret,
    isPrivate: command.freePorts,
    lifelineGraceMs: command.lifeline ? command.graceMs : undefined,
    log,
    env: process.env,
    onStopped: () => void log.flush().then(() => process.exit()),
  });

  if (!command.json) process.stdout.write(banner(process.stdout.isTTY ? bold : undefined));
  let endpoint: string;
  try {
    endpoint = await sandbox.bind();
  } catch (error) {
    const running = await attachToRunning(error, config);
    if (!running) throw error;
    process.stdout.write(
      command.json
        ? `${JSON.stringify({ ready: true, attached: true, ...running })}\n`
        : `The sandbox is already running at ${running.sandboxd} (process ${running.pid}).\n`,
    );
    return;
  }
  stopOnSignals(sandbox.stop, log);
  if (sandbox.lifelines) attachStdin(sandbox.lifelines, process.stdin);
  try {
    await sandbox.start();
  } catch (error) {
    if (isError(error, "SHUTTING_DOWN")) return;
    reportFailure(await namePortHolder(error), command.json);
    process.exitCode = 1;
    await sandbox.stop();
    return;
  }
  if (command.json) {
    const ready = {
      ready: true,
      attached: false,
      pid: process.pid,
      version: VERSION,
      ...sandbox.endpoints(),
    };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  } else {
    process.stdout.write(accountTable(accounts) + explorerLine(endpoint));
  }
  log.info(sandbox.endpoints(), `ready at ${endpoint}`);
}

function stopOnSignals(stop: () => Promise<void>, log: DaemonLog): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      log.debug({ signal }, "signal");
      void stop();
    });
  }
  process.on("uncaughtException", (error) => {
    log.error({ reason: reasonOf(error), stack: error.stack }, "unexpected failure, shutting down");
    process.exitCode = 1;
    void stop();
  });
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[22m`;
}

/** @param inJson whether a program reads the output: it gets the error as JSON, where people get a text */
function reportFailure(error: unknown, inJson: boolean): void {
  const write = (text: string) =>
    void process.stderr.write(process.stderr.isTTY === true ? visible(text) : text);
  const isKnown = error instanceof SandboxError;
  const known = isKnown ? error : new SandboxError("SANDBOX_START_FAILED", { reason: reasonOf(error) });
  if (inJson) process.stdout.write(`${JSON.stringify(known.toBody())}\n`);
  else write(`ERROR ${isKnown ? `${known.code}: ` : ""}${known.message} ${isKnown ? known.next : ""}\n`);
  if (!isKnown) write(`${(error as Error).stack ?? ""}\n`);
}
