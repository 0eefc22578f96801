// The engine for tests: built into the cache folder once per state of its sources.

import { join } from "node:path";

import { type Engine, loadEngine } from "./engine.ts";
import type { Watcher } from "./watcher.ts";

interface BuildTool {
  buildEngine(outDir: string): Promise<{ key: string; fresh: boolean }>;
}

let building: Promise<string> | undefined;
let loading: Promise<Engine> | undefined;
/** The first engine of each module: while it lives, V8 need not compile the module again. */
const compiled: { plain?: Engine; watched?: Engine } = {};

/** @returns the folder of the built engine files */
export function builtEngine(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  const root = join(import.meta.dirname, "..", "..", "..");
  const tool = (await import(join(root, "tools", "engine", "build-engine.mjs"))) as BuildTool;
  const { key } = await tool.buildEngine(join(root, ".cache", "engine", "current"));
  return join(root, ".cache", "engine", key);
}

/** One engine per file of tests: tests leave calls open, and there is room for a limited number. */
export function testEngine(): Promise<Engine> {
  loading ??= builtEngine()
    .then((directory) => loadEngine({ directory }))
    .then((engine) => {
      compiled.plain ??= engine;
      return engine;
    });
  return loading;
}

/** The next file begins with an engine of its own. */
export function forgetEngine(): void {
  loading = undefined;
}

/** An engine of its own that is watched. */
export async function watchedEngine(watcher: Watcher): Promise<Engine> {
  const engine = await loadEngine({ directory: await builtEngine(), watcher });
  compiled.watched ??= engine;
  return engine;
}
