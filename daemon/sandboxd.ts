#!/usr/bin/env node
// Entry of sandboxd. The engine's thread takes about as long to load as the rest, so it starts first and loads in
// parallel.
import { join } from "node:path";
import { codeCacheFolder, loadBundle } from "./code-cache.ts";
import { adaptHeapGrowth } from "./parts/heap-growth.ts";
import type * as RunSandboxd from "./run-sandboxd.ts";
import { startEngineThread } from "./runtime/operations/engine-thread.ts";

/** Delay of what can wait, such as writing the compiled code: the first seconds belong to the user. */
const SETTLED_AFTER_MS = 2_000;

const engineDirectory = import.meta.dirname;

async function start(args: readonly string[]): Promise<void> {
  const codeCache = codeCacheFolder(process.env);
  const engineThread = args[0] === "run" ? startEngineThread(engineDirectory, codeCache) : undefined;
  const bundle = loadBundle<typeof RunSandboxd>(join(engineDirectory, "run-sandboxd.cjs"), codeCache);
  await bundle.exports.main(args, { engineDirectory, engineThread });
  if (!engineThread) return;
  setTimeout(bundle.keep, SETTLED_AFTER_MS).unref();
  await adaptHeapGrowth(SETTLED_AFTER_MS);
}

void start(process.argv.slice(2));
