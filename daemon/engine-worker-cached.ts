// Entry of the engine's thread under sandboxd: the thread's bundle, loaded with the code cache.
import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { loadBundle } from "./code-cache.ts";
import type * as EngineWorker from "./runtime/engine-worker.ts";
import type { EngineThreadInput } from "./runtime/operations/engine-thread.ts";

const { engineDirectory, codeCache } = workerData as Required<EngineThreadInput>;
const bundle = loadBundle<typeof EngineWorker>(join(engineDirectory, "engine-worker.cjs"), codeCache);
void bundle.exports.warmed.then(bundle.keep);
