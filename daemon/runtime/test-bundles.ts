// Set-up of vitest, once for all test processes: the folder with the engine's files and the bundles of the runtime's
// threads.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import type { TestProject } from "vitest/node";
import { builtEngine } from "./engine/test-engine.ts";

declare module "vitest" {
  export interface ProvidedContext {
    readonly engineDirectory: string;
  }
}

const ROOT = join(import.meta.dirname, "..", "..");

export default async function setUp(project: TestProject): Promise<() => void> {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache", "runtime-"));
  const tearDown = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(await builtEngine(), folder, { recursive: true });
    await bundleInto(folder);
  } catch (error) {
    tearDown();
    throw error;
  }
  project.provide("engineDirectory", folder);
  project.onTestsRerun(() => bundleInto(folder)); // while vitest watches, the sources change
  return tearDown;
}

async function bundleInto(folder: string): Promise<void> {
  const runtime = import.meta.dirname;
  const common: BuildOptions = {
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outdir: folder,
    entryNames: "[name]",
    outExtension: { ".js": ".cjs" },
    logLevel: "warning",
  };
  const bundles = ["engine-worker", "operation-reader", "api/runtime-documents", "debug/debug-server"];
  await build({ ...common, entryPoints: bundles.map((name) => join(runtime, `${name}.ts`)) });
  const { sharedEngine } = (await import(join(ROOT, "tools", "shared-engine.mjs"))) as {
    sharedEngine: Plugin;
  };
  const debugThreads = {
    "debug-worker": join(runtime, "debug", "debug-worker.ts"),
    "place-worker": join(runtime, "debug", "place-worker.ts"),
    "debug-session": join(runtime, "debug", "session", "session-worker.ts"),
  };
  await build({ ...common, entryPoints: debugThreads, plugins: [sharedEngine] });
}
