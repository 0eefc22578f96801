// Runs one part alone in the foreground until a signal ends it.
import { parseArgs } from "node:util";
import { type AdminSecret, adminSecretOf } from "./config/admin-secret.ts";
import { loadConfig } from "./config/load.ts";
import { defaultConfig, type SandboxConfig } from "./config/schema.ts";
import { addressOf, levelOf } from "./control/arguments.ts";
import { openLog } from "./control/log.ts";
import { namePortHolder } from "./control/port-in-use.ts";
import { adaptHeapGrowth } from "./parts/heap-growth.ts";
import type { Log } from "./parts/log.ts";
import type { Part } from "./parts/part.ts";
import { parseEndpoint } from "./protocol/endpoint.ts";
import { reasonOf, SandboxError } from "./protocol/errors.ts";
import type { PartName } from "./protocol/part-name.ts";
import { visible } from "./text/visible-text.ts";

const STOP_DEADLINE_MS = 3000;

/** Arguments: an optional configuration file, and `--endpoint host:port`, which overrides it. */
export async function runStandAlone(
  args: readonly string[],
  name: PartName,
  create: (config: SandboxConfig, log: Log, adminSecret: AdminSecret) => Part,
): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        endpoint: { type: "string" },
        "layer1-endpoint": { type: "string" },
        "log-level": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      process.stdout.write(
        `${name}: one part of the functez sandbox.\n\nUsage: ${name.replace("_", "-")}.mjs [config.json] [--endpoint host:port] [--layer1-endpoint host:port] [--log-level level]\n`,
      );
      return;
    }
    for (const option of ["endpoint", "layer1-endpoint"] as const) {
      const text = values[option];
      const parsed = text === undefined ? undefined : parseEndpoint(text);
      if (text !== undefined && !parsed)
        throw new SandboxError("BAD_OPTION", {
          option: `--${option}`,
          found: text,
          expected: "<host>:<port>, for example 127.0.0.1:18730",
        });
      if (option === "endpoint" && parsed) addressOf("--endpoint", parsed.host);
    }
    const level = levelOf(values["log-level"]);
    const loaded = positionals[0] ? loadConfig(positionals[0]) : { config: defaultConfig(), warnings: [] };
    const config = withEndpoints(loaded.config, name, values);
    const log = await openLog({ level: level ?? config.log_level, file: config.log_file });
    for (const warning of loaded.warnings) log.warn({}, warning);
    const part = create(config, log, adminSecretOf(config, process.env));
    const abort = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        abort.abort();
        void part.stop(STOP_DEADLINE_MS).then(() => process.exit());
      });
    }
    await part.start(abort.signal);
    void adaptHeapGrowth();
    process.stdout.write(
      `${JSON.stringify({ ready: true, part: name, pid: process.pid, endpoint: part.endpoint() })}\n`,
    );
  } catch (error) {
    const shown = await namePortHolder(error);
    const text =
      shown instanceof SandboxError ? `${shown.code}: ${shown.message} ${shown.next}` : reasonOf(shown);
    process.stderr.write(visible(`ERROR ${text}\n`));
    process.exit(1);
  }
}

function withEndpoints(
  config: SandboxConfig,
  name: PartName,
  values: { readonly endpoint?: string | undefined; readonly "layer1-endpoint"?: string | undefined },
): SandboxConfig {
  const own = name === "layer1_node" ? values.endpoint : undefined;
  return {
    ...config,
    layer1_node: {
      ...config.layer1_node,
      rpc_endpoint: own ?? values["layer1-endpoint"] ?? config.layer1_node.rpc_endpoint,
      command: [],
      skipped: false,
    },
    runtime_node: {
      ...config.runtime_node,
      endpoint: (name === "runtime_node" ? values.endpoint : undefined) ?? config.runtime_node.endpoint,
      command: [],
      skipped: false,
    },
  };
}
