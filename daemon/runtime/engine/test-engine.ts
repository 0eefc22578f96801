// The engine for tests: built into the cache folder once per state of its sources.

import { join } from "node:path";

import { type Engine, loadEngine } from "./engine.ts";
import type { Watcher } from "./watcher.ts";

interface BuildTool {
  buildEngine(outDir: string): Promise<{ key: string; fresh: boolean }>;
}

let building: Promise<string> | undefined;
let loading: Promise<Engine> | undefined;
let watched: Engine | undefined;

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

/** One engine per test worker. */
export function testEngine(): Promise<Engine> {
  loading ??= builtEngine().then((directory) => loadEngine({ directory }));
  return loading;
}

/** An engine of its own. The first one stays alive: while it does, V8 need not compile the same module again. */
export async function watchedEngine(watcher: Watcher): Promise<Engine> {
  const engine = await loadEngine({ directory: await builtEngine(), watcher });
  watched ??= engine;
  return engine;
}
