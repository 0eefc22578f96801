// The engine for tests: built into the cache folder once per state of its sources.

import { join } from "node:path";

import { type Engine, loadEngine } from "./engine.ts";

interface BuildTool {
  buildEngine(outDir: string): Promise<{ key: string; fresh: boolean }>;
}

let loading: Promise<Engine> | undefined;

/** @returns the folder of the built engine files */
export async function builtEngine(): Promise<string> {
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
