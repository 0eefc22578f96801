// `functez run`: calls a smart function with a signed operation and shows its response.
import { STATUS_CODES } from "node:http";
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { textOf } from "../../daemon/protocol/body-text.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { isJsonText } from "../../daemon/protocol/json-layout.ts";
import { failedCall } from "../../daemon/protocol/operation-outcome.ts";
import { requireRuntimeAddress } from "../../daemon/protocol/runtime-address.ts";
import type { RunReceipt } from "../../daemon/protocol/runtime-receipt.ts";
import { parseTez } from "../../daemon/protocol/tez.ts";
import { looksLikeAddress } from "../../daemon/tezos/address.ts";
import { currentUser, resolveAddress } from "../config/account-lookup.ts";
import { requireFunction } from "../config/gone-function.ts";
import { openRuntime } from "../config/network.ts";
import type { CliConfig } from "../config/parse-config.ts";
import type { CliContext } from "../context.ts";
import { bodyAsJson, printBody, responseBody } from "../response-body.ts";
import { sendOperation, sendTarget } from "../send-operation.ts";
import { type SourceTexts, sourceTexts } from "../source-texts.ts";
import { type BodyOptions, requestBody } from "./request-body.ts";
import type { RunLog } from "./run-logs.ts";

export interface RunOptions extends BodyOptions {
  readonly header?: readonly string[];
  readonly amount?: string;
  readonly gasLimit: string;
  readonly include?: boolean;
  /** The body as base64 in JSON output, exactly as it was sent. */
  readonly base64?: boolean;
  readonly trace?: boolean;
  /** Fail for statuses of 400 and above. */
  readonly fail?: boolean;
  /** Alias of the account that signs; by default the one in use. */
  readonly account?: string;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
}

/** Exit code of `--fail`, as in curl. */
const FAILED_STATUS = 22;

/** @returns the exit code of the command */
export async function run(context: CliContext, url: string, options: RunOptions): Promise<number> {
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  const uri = resolveRunUrl(config, url);
  const gasLimit = gasLimitOf(options.gasLimit);
  const bytes = await requestBody(context, options);
  const headers = headersOf(options, bytes);
  const body = bytes?.toString("base64") ?? null;
  const opened = await openRuntime(context, config, options.network, "change");
  const { network, runtime } = opened;
  const method = options.method.toUpperCase();
  const content = { _type: "RunFunction", uri, method, headers, body, gasLimit } as const;
  const target = sendTarget(opened, context, options);
  const { hash, receipt } = await context.terminal.withStep(`Calling ${uri}`, () =>
    sendOperation(target, user.key, content),
  );
  const texts = sourceTexts(context, network);
  const logs = options.trace ? await traceOf(context, config, runtime, { uri, hash, texts }) : undefined;
  const { result } = receipt;
  const { hostname } = new URL(uri);
  if (result._type === "Failed" || result.inner.statusCode === 404)
    await requireFunction(runtime, network, config, hostname);
  if (receipt.result._type === "Failed")
    throw new SandboxError("RUN_FAILED", { reason: await texts.named(receipt.result.inner) });
  const response = receipt.result.inner;
  showResponse(context, response, options.include === true);
  const thrown = response.statusCode >= 400 && network.isSandbox ? await errorOf(runtime, hash) : undefined;
  if (thrown !== undefined) await noteError(context, thrown, texts);
  context.terminal.data({
    ...responseAsJson(hash, response, options.base64),
    ...(logs && { logs }),
    ...(thrown !== undefined && { thrown }),
    ...(context.terminal.json &&
      (await texts.sourcesIn([thrown ?? "", ...(logs ?? []).map(({ text }) => text)]))),
  });
  return options.fail === true && response.statusCode >= 400 ? FAILED_STATUS : 0;
}

/** The error behind a response, as the runtime has it; undefined when the function answered so by itself. */
async function errorOf(runtime: RuntimeClient, hash: string): Promise<string | undefined> {
  const found = await runtime.trace(hash);
  return (found?.trace && failedCall(found.trace.call)?.error?.message) || undefined;
}

/** Notes an error with the places of the sources, which the body, shown as it was sent, lacks. */
async function noteError(
  { terminal }: Pick<CliContext, "terminal">,
  message: string,
  { named }: SourceTexts,
): Promise<void> {
  if (terminal.json) return;
  const text = await named(message);
  if (text !== message) terminal.note(text);
}

/** Shows the logs of the called functions, also for a failed call. */
async function traceOf(
  context: CliContext,
  config: CliConfig,
  client: RuntimeClient,
  call: { readonly uri: string; readonly hash: string; readonly texts: SourceTexts },
): Promise<RunLog[] | undefined> {
  const { logsOf, showLogs } = await import("./run-logs.ts");
  const address = new URL(call.uri).hostname;
  const logs = await logsOf(client, call.hash);
  if (logs === undefined) {
    context.terminal.note(
      `This network keeps no traces. \`functez logs trace ${address}\` follows the function's log.`,
    );
    return undefined;
  }
  context.terminal.note(`Connected to trace smart function "${address}"`);
  await showLogs(context, config, { called: address, named: call.texts.named }, logs);
  return logs;
}

/**
 * The full `jstz://<address>/path` of an argument: the host may be an alias, and the scheme may be missing.
 * @throws SandboxError BAD_URL, UNKNOWN_ALIAS, BAD_ADDRESS
 */
export function resolveRunUrl(config: CliConfig, text: string): string {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]+)([^#]*)(?:#.*)?$/is.exec(text.trim());
  const scheme = match?.[1]?.toLowerCase();
  if (!match || (scheme !== undefined && scheme !== "jstz")) {
    const reason = match ? `the scheme is ${scheme}, not jstz` : "it has no function in it";
    throw new SandboxError("BAD_URL", { found: text, reason });
  }
  const [, , host = "", rest = ""] = match;
  if (/\s/.test(rest)) throw new SandboxError("BAD_URL", { found: text, reason: "it has a space in it" });
  const path = rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
  if (host === "jstz") return `jstz://jstz${path}`; // host functions of the runtime itself
  const address = looksLikeAddress(host) ? requireRuntimeAddress(host) : resolveAddress(config, host);
  return `jstz://${address}${path}`;
}

type Headers = Record<string, string | string[]>;

/** Names in small letters. A header given several times has all its values, in their order. */
export function headersOf(
  { header = [], amount }: Pick<RunOptions, "header" | "amount">,
  body?: Buffer,
): Headers {
  const values = new Map<string, string[]>();
  for (const line of header) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[\r\n]/.test(line))
      throw new SandboxError("BAD_OPTION", { option: "--header", found: line, expected: "name: value" });
    const key = name.toLowerCase();
    values.set(key, [...(values.get(key) ?? []), line.slice(colon + 1).trim()]);
  }
  const text = body && textOf(body);
  if (text !== undefined && !values.has("content-type") && isJsonText(text))
    values.set("content-type", ["application/json"]);
  if (amount !== undefined) values.set("x-jstz-transfer", [parseTez(amount).toString()]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}

/** @throws SandboxError BAD_OPTION */
export function gasLimitOf(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new SandboxError("BAD_OPTION", { option: "--gas-limit", found: text, expected: "a whole number" });
}

/** Prints status and headers if requested, and the body as {@link printBody} does. */
export function showResponse({ terminal }: CliContext, receipt: RunReceipt, include: boolean): void {
  const status = `${receipt.statusCode} ${STATUS_CODES[receipt.statusCode] ?? ""}`.trim();
  if (include) {
    const lines = Object.entries(receipt.headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}`),
    );
    terminal.print([status, ...lines, "", ""].join("\n"));
  }
  printBody(terminal, responseBody(receipt));
  if (receipt.statusCode >= 400 && !include) terminal.note(`Status ${status}`);
}

function responseAsJson(hash: string, receipt: RunReceipt, isBase64 = false): object {
  const { statusCode, headers } = receipt;
  const body = isBase64
    ? { body: receipt.body, bodyType: receipt.body === null ? null : "base64" }
    : bodyAsJson(responseBody(receipt));
  return { operation: hash, statusCode, headers, ...body };
}
