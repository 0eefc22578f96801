// The tools that only read.
import { dirname } from "node:path";
import { callTreeText } from "../../daemon/client/call-tree.ts";
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { sourceInFolders } from "../../daemon/local/source-in-folders.ts";
import { MAX_RESULT, shorten } from "../../daemon/protocol/agent-output.ts";
import {
  type CallTrace,
  type FinishedOperation,
  inOrder,
  type OperationTrace,
} from "../../daemon/protocol/call-trace.ts";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { FUNCTION_LOG_LEVELS } from "../../daemon/protocol/log-level.ts";
import { hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import { visible } from "../../daemon/text/visible-text.ts";
import { nameOf, placeNamed } from "../commands/call-trace.ts";
import { profileTable, readableProfile } from "../commands/profile.ts";
import { operationOf } from "../commands/which-operation.ts";
import { aliasAddress, resolveSmartFunction } from "../config/account-lookup.ts";
import { requireFunction } from "../config/gone-function.ts";
import { type Network, openRuntime, runningSandbox, sandboxClient } from "../config/network.ts";
import type { CliConfig } from "../config/parse-config.ts";
import type { CliContext } from "../context.ts";
import { sourceLinesText } from "../render/source-lines.ts";
import { debugClient } from "../shelve-source.ts";
import { sourceTexts } from "../source-texts.ts";
import { optional, textOf, type ToolCall, type ToolRun } from "./tool-call.ts";

/** The runtime keeps more; this is as many as a model can handle. */
const MAX_OPERATIONS = 100;
const MAX_KEYS = 1000;
const MAX_LINES = 200;
/** Characters of all lines, so that the latest ones are in the result. */
const MAX_LOG = MAX_RESULT / 2;

export const READ_TOOLS = {
  functez_status: async ({ context }) => {
    const client = sandboxClient(context);
    const health = await client.health();
    if (!health) return { running: false, next: "functez_start starts it." };
    const { status, version, explorer, parts } = health;
    const endpoints = await client.endpoints();
    const level = await createLayer1Client(endpoints.layer1, context.signal)
      .level()
      .catch(() => null); // `parts` shows which one does not answer
    return {
      running: true,
      ...{ status, version, level, explorer, parts },
      endpoints: { sandboxd: client.endpoint, ...endpoints },
    };
  },

  functez_accounts: async ({ context }) => {
    const { client } = await runningSandbox(context, "look");
    const config = await context.config.read();
    const { runtime } = await openRuntime(context, config, SANDBOX_NETWORK, "look");
    const own = Object.keys(config.accounts).map(async (alias) => {
      const address = aliasAddress(config, alias)!;
      const kind = "User" in config.accounts[alias]! ? "user" : "smart-function";
      const account = await runtime.account(address);
      // An alias outlives the sandbox of its function.
      return account || kind === "user"
        ? { alias, kind, address, balance: account?.balance ?? 0n }
        : { alias, kind, address, gone: true };
    });
    return {
      bootstrap: await client.accounts(),
      own: await Promise.all(own),
      signsWith: config.current_alias ?? null,
    };
  },

  functez_check: async (call) => {
    const [{ loadFunction }, { checkFunction }, { checkAsJson }] = await Promise.all([
      import("../bundle-function.ts"),
      import("../check/check-function.ts"),
      import("../check/report.ts"),
    ]);
    const within = await call.folders();
    const file = await sourceInFolders(textOf(call, "file"), within);
    const folder = dirname(file);
    const loaded = await loadFunction(file, folder, { withMap: true, within });
    const { code, bundled } = loaded;
    const checked = { file, bytes: Buffer.byteLength(code), bundled, findings: checkFunction(loaded) };
    const { errors, warnings, files } = checkAsJson([checked], folder) as {
      errors: number;
      warnings: number;
      files: { findings: unknown[] }[];
    };
    return { errors, warnings, findings: files[0]!.findings };
  },

  functez_key_values: async (call) => {
    const { runtime, address, requireStore } = await openFunction(call);
    const { key } = optional(call, "key");
    const value = key === undefined ? undefined : await runtime.kv(address, key);
    // The node lists a key that has a value of its own as an empty name among its children.
    const keys = ((await runtime.subkeys(address, key)) ?? []).filter((name) => name !== "").sort();
    if (value === undefined && keys.length === 0) {
      await requireStore();
      if (key !== undefined) throw new SandboxError("NO_VALUE", { key });
    }
    return {
      address,
      value: value === undefined ? null : stringifyExact(value),
      keys: keys.slice(0, MAX_KEYS),
      ...(keys.length > MAX_KEYS && { more: keys.length - MAX_KEYS }),
    };
  },

  functez_logs: async (call) => {
    const { runtime, network, address, requireStore } = await openFunction(call);
    const most = FUNCTION_LOG_LEVELS.findIndex((level) => level === (textOf(call, "level") || "DEBUG"));
    const operations = await operationsOf(runtime, MAX_OPERATIONS);
    const lines: LogLine[] = [];
    for (const { hash } of operations) {
      if (lines.length >= MAX_LINES) break;
      const found = await runtime.trace(hash);
      const logs = found?.trace ? inOrder(logsOf(found.trace.call, address)) : [];
      const shown = logs.filter(({ level }) => FUNCTION_LOG_LEVELS.findIndex((one) => one === level) <= most);
      lines.unshift(...shown.map(({ level, text }) => ({ operation: hash, level, text: text.trimEnd() })));
    }
    if (lines.length === 0) await requireStore();
    const shown = latest(lines);
    const { sourcesIn } = sourceTexts(call.context, network);
    return { address, lines: shown, ...(await sourcesIn(shown.map(({ text }) => text))) };
  },

  functez_operations: async (call) => {
    const { limit = 20, failed = false } = call.input;
    const { runtime, config } = await openSandbox(call);
    const all = await operationsOf(runtime, MAX_OPERATIONS);
    const wanted = failed === true ? all.filter(hasFailed) : all;
    return {
      operations: wanted.slice(0, Number(limit)).map((operation) => operationAsJson(operation, config)),
    };
  },

  functez_explain_failure: async (call) => {
    const { runtime, network, config } = await openSandbox(call);
    const failed = (await operationsOf(runtime, MAX_OPERATIONS)).find(hasFailed);
    if (!failed) return { message: `None of the latest ${MAX_OPERATIONS} operations has failed.` };
    const trace = await runtime.trace(failed.hash);
    return {
      operation: operationAsJson(failed, config),
      ...(trace && { tree: await treeText(call, network, trace, config) }),
    };
  },

  functez_trace: async (call) => {
    const { runtime, network, config } = await openSandbox(call);
    const trace = await traceOf(runtime, textOf(call, "operation"));
    const tree = await treeText(call, network, trace, config);
    return { success: trace.success, failure: trace.failure, tree };
  },

  functez_source_lines: async (call) => {
    const { context } = call;
    const hash = await operationOf(context, textOf(call, "operation"));
    const config = await context.config.read();
    const report = await debugClient(context).lines(hash);
    return { hash, gas: report.gas, lines: shorten(visible(sourceLinesText(report, placeNamed(config)))) };
  },

  functez_profile: async (call) => {
    const { context } = call;
    const hash = await operationOf(context, textOf(call, "operation"));
    const config = await context.config.read();
    const { gas, profile } = await debugClient(context).profile(hash);
    const named = readableProfile(profile, (address) => nameOf(config, address));
    return { hash, gas, table: shorten(visible(profileTable(hash, named).join("\n"))) };
  },

  functez_snapshots: async ({ context }) => {
    const { client } = await runningSandbox(context, "look");
    return { snapshots: await client.snapshots() };
  },
} satisfies Readonly<Record<string, ToolRun>>;

interface LogLine {
  readonly operation: string;
  readonly level: string;
  readonly text: string;
}

/** As many of the last lines as a result has room for. */
function latest(lines: readonly LogLine[]): LogLine[] {
  let left = MAX_LOG;
  const from = lines.findLastIndex(({ text }) => (left -= shorten(text).length + LINE_EXTRA) < 0) + 1;
  return lines.slice(Math.max(from, lines.length - MAX_LINES));
}
/** Characters of the operation and the level of a line. */
const LINE_EXTRA = 100;

type Placed = CallTrace["logs"][number];

/** Logs of a function in a call and its nested calls. */
function logsOf(call: CallTrace, address: string): Placed[] {
  return [
    ...(call.address === address ? call.logs : []),
    ...call.calls.flatMap((inner) => logsOf(inner, address)),
  ];
}

async function openSandbox({ context }: Pick<ToolCall, "context">) {
  const config = await context.config.read();
  return { config, ...(await openRuntime(context, config, SANDBOX_NETWORK, "look")) };
}

async function openFunction(call: ToolCall) {
  const { config, network, runtime } = await openSandbox(call);
  const address = resolveSmartFunction(config, textOf(call, "function"));
  return {
    runtime,
    network,
    address,
    requireStore: () => requireFunction(runtime, network, config, address),
  };
}

async function operationsOf(runtime: RuntimeClient, limit: number): Promise<FinishedOperation[]> {
  return (await runtime.operations(limit)) ?? [];
}

function operationAsJson(operation: FinishedOperation, config: CliConfig): object {
  const {
    hash,
    operation: kind,
    sender,
    success,
    failure,
    at,
    statusCode,
    deployed,
    target,
    call,
  } = operation;
  const nameOrNull = (address: string | null) => (address === null ? null : nameOf(config, address));
  return {
    ...{ hash, kind, at, success, failure, statusCode, call: call ?? null },
    ...{ sender: nameOrNull(sender), target: nameOrNull(target), deployed },
  };
}

/** @throws SandboxError BAD_OPTION, NOT_FOUND */
export async function traceOf(runtime: RuntimeClient, hash: string): Promise<OperationTrace> {
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw new SandboxError("BAD_OPTION", {
      option: "operation",
      found: hash,
      expected: "an operation hash of 64 hex digits",
    });
  const trace = await runtime.trace(hash.toLowerCase());
  if (trace) return trace;
  throw new SandboxError("NOT_FOUND", {
    what: `operation ${hash}`,
    next: "functez_operations lists the latest ones; a restart of the sandbox removes all.",
  });
}

/** The call tree as text, with the places of the sources. */
export async function treeText(
  { context }: { readonly context: CliContext },
  network: Network,
  trace: OperationTrace,
  config: CliConfig,
): Promise<string> {
  const tree = callTreeText(trace, (address) => nameOf(config, address));
  return shorten(visible(await sourceTexts(context, network).named(tree)));
}
