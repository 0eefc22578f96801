// The official TypeScript SDK of Jstz, built from its public repository into the ignored cache folder. It is not part
// of this repository; without network (or JSTZ_CLIENT_SOURCE, a path or URL to clone) the suite is skipped.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const REPOSITORY = "https://github.com/jstz-dev/jstz-client.git";
const COMMIT = "5da8f85";
const CACHE = join(import.meta.dirname, "..", "..", ".cache", "jstz-client");
const run = promisify(execFile);

/** The part of the SDK's interface that the suite uses. */
export interface SdkClient {
  readonly accounts: {
    get(address: string): Promise<unknown>;
    getBalance(address: string): Promise<number>;
    getNonce(address: string): Promise<number>;
    getCode(address: string): Promise<string>;
    getKv(address: string, query?: { key?: string | null }): Promise<unknown>;
    getSubkeys(address: string, query?: { key?: string | null }): Promise<string[]>;
    readonly logs: {
      stream(address: string): { asResponse(): Promise<Response> };
      readonly persistent: {
        list(address: string, query?: { limit?: number; offset?: number }): Promise<SdkLog[]>;
        get(address: string, requestId: string): Promise<SdkLog[]>;
      };
    };
  };
  readonly operations: {
    inject(body: unknown): Promise<void>;
    hash(body: unknown): Promise<string>;
    getReceipt(hash: string): Promise<unknown>;
    injectAndPoll(body: unknown, options?: { pollInterval?: number }): Promise<unknown>;
  };
}

interface SdkLog {
  readonly address: string;
  readonly level: string;
  readonly requestId: string;
  readonly text: string;
}

export interface Sdk {
  readonly default: new (options: { baseURL: string; maxRetries?: number }) => SdkClient;
  readonly NotFoundError: new (...parts: never[]) => Error;
  readonly UnprocessableEntityError: new (...parts: never[]) => Error;
  readonly BadRequestError: new (...parts: never[]) => Error;
}

/** The SDK, or why it is missing. */
export async function loadSdk(): Promise<Sdk | string> {
  try {
    if (!existsSync(CACHE)) await download();
  } catch (error) {
    return `the SDK could not be fetched: ${(error as Error).message.split("\n")[0]}`;
  }
  const bundle = join(CACHE, "bundle.mjs");
  await build({
    entryPoints: [join(CACHE, "src", "index.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: bundle,
    // The package's own names for its modules, which its published form resolves through its exports.
    plugins: [
      {
        name: "own-names",
        setup(own) {
          own.onResolve({ filter: /^@jstz-dev\/jstz-client\// }, ({ path }) => ({
            path: join(CACHE, "src", `${path.slice("@jstz-dev/jstz-client/".length)}.ts`),
          }));
        },
      },
    ],
    logLevel: "error",
  });
  return (await import(pathToFileURL(bundle).href)) as Sdk;
}

async function download(): Promise<void> {
  const source = process.env["JSTZ_CLIENT_SOURCE"] ?? REPOSITORY;
  const partial = `${CACHE}.part`;
  await rm(partial, { recursive: true, force: true });
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  await run("git", ["clone", "--quiet", source, partial], { env, timeout: 60_000 });
  await run("git", ["-C", partial, "checkout", "--quiet", COMMIT], { env });
  await rename(partial, CACHE);
}
