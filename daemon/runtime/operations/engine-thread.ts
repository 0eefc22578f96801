// The guest engine's thread: started here, fed by the executor. It loads the engine on its own and asks for its
// settings afterwards, so an entry file can start it before the rest of the program is loaded.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { WORKER_STACK_MB } from "../engine/limits.ts";
import type { ExecutorSettings } from "./executor.ts";

/** Start-up data of the thread. */
export interface EngineThreadInput {
  readonly engineDirectory: string;
  /** Folder of the code cache, if used. */
  readonly codeCache?: string;
}

/** First message to the thread: execution settings. */
export interface EngineThreadSettings {
  readonly kind: "settings";
  readonly settings: ExecutorSettings;
  /** Guests see the time of day instead of the fixed date. */
  readonly realTime: boolean;
  readonly firstRequestId: number;
  /** 32-bit cells `RUNNING`, the `seq` of the job that is running (0 between jobs), `UNREAD` and `UNTAKEN`. */
  readonly cells: SharedArrayBuffer;
}

/**
 * Starts the thread. It does not keep the process alive until `ref` is called.
 * @param engineDirectory folder of the engine's files and of the worker bundle `engine-worker.cjs`
 * @param codeCache folder of compiled code; the thread is then started by `engine-worker-cached.cjs`
 */
export function startEngineThread(engineDirectory: string, codeCache?: string): Worker {
  const workerData: EngineThreadInput = { engineDirectory, ...(codeCache !== undefined && { codeCache }) };
  const entry = codeCache === undefined ? "engine-worker.cjs" : "engine-worker-cached.cjs";
  const worker = new Worker(join(engineDirectory, entry), {
    workerData,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB },
  });
  worker.unref();
  // If the spare thread dies unused, the executor finds it ended and starts another, which reports the cause.
  worker.on("error", () => undefined);
  return worker;
}

/** Whether a thread has ended. */
export const hasEnded = (worker: Worker): boolean => worker.threadId < 0;
