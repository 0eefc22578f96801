// Gives the sandbox the source of a function that was just deployed, so that profiles and traces show it. It travels
// beside the code: the deployed bytes, and so the address, stay what they are.
import { dirname, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { createDebugClient, type DebugClient } from "../daemon/client/debug-client.ts";
import { findAdminSecret } from "../daemon/local/kept-secrets.ts";
import { type ErrorCode, reasonOf, SandboxError } from "../daemon/protocol/errors.ts";
import type { FunctionSource } from "../daemon/protocol/sandbox-api.ts";
import type { FunctionCode } from "./bundle-function.ts";
import { locateSandbox } from "./config/locate-sandbox.ts";
import type { CliContext } from "./context.ts";

/** The sandbox takes bodies of 1 MiB; base64 adds a third. */
const MAX_MAP_BYTES = 700 * 1024;

/** From the sandbox of somebody else, or from a runtime that keeps no sources. */
const NOT_TAKEN: readonly ErrorCode[] = ["OWNER_ONLY", "OWNER_UNPROVEN", "DEBUG_UNSUPPORTED", "NOT_FOUND"];

/** The debugger of the sandbox that commands without a network use. */
export function debugClient({ env, signal }: Pick<CliContext, "env" | "signal">): DebugClient {
  const { endpoint } = locateSandbox(env);
  return createDebugClient(endpoint, { signal, adminSecret: () => findAdminSecret(endpoint, env) });
}

/** Undefined for code that did not come from a file, or whose map is too large. */
export function sourceOf(address: string, { file, map, bundled }: FunctionCode): FunctionSource | undefined {
  if (file === undefined) return undefined;
  if (!bundled) return { address, sources: [file] };
  if (map === undefined) return undefined;
  const parsed = JSON.parse(map) as { sources: string[]; sourcesContent?: unknown };
  const sources = parsed.sources.map((source) => resolve(dirname(file), source));
  // Without the texts the places stay right.
  for (const kept of [parsed, { ...parsed, sourcesContent: undefined }]) {
    const packed = gzipSync(JSON.stringify(kept));
    if (packed.length <= MAX_MAP_BYTES) return { address, sources, map: packed.toString("base64") };
  }
  return undefined;
}

/** The function is deployed whatever comes of it. */
export async function shelveSource(context: CliContext, address: string, code: FunctionCode): Promise<void> {
  const source = sourceOf(address, code);
  if (source === undefined) return;
  try {
    await debugClient(context).shelve(source);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    if (NOT_TAKEN.includes(error.code)) return;
    context.terminal.note(
      `The sandbox did not take the source map, so profiles show the deployed code: ${reasonOf(error)}`,
    );
  }
}
