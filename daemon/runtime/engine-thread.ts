// The thread of the guest engine: started here, given its work by the executor. It loads the engine by itself and
// only then asks for its settings, so an entry file can start it before the rest of the program is loaded.
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { WORKER_STACK_MB } from "./engine/limits.ts";
import type { ExecutorSettings } from "./operations/executor.ts";

/** What the thread gets to start with. */
export interface EngineThreadData {
  readonly engineDirectory: string;
  /** Folder of the code cache, when the thread uses one. */
  readonly codeCache?: string;
}

/** First message to the thread: how it executes. */
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
 * Starts the thread. Until somebody calls `ref`, it does not keep the process alive.
 * @param engineDirectory folder of the engine's files and of the worker bundle `engine-worker.cjs`
 * @param codeCache folder of compiled code; the thread is then started by `engine-worker-cached.mjs`
 */
export function startEngineThread(engineDirectory: string, codeCache?: string): Worker {
  // V8 lets garbage grow to several times what is alive. Operations and answers of megabytes are garbage at once, so
  // a flood of them would take hundreds of megabytes that nothing uses; half of what is alive is enough for speed.
  setFlagsFromString("--heap-growing-percent=50");
  const workerData: EngineThreadData = { engineDirectory, ...(codeCache !== undefined && { codeCache }) };
  const entry = codeCache === undefined ? "engine-worker.cjs" : "engine-worker-cached.mjs";
  const worker = new Worker(join(engineDirectory, entry), {
    workerData,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB },
  });
  worker.unref();
  // A thread that dies before it is used is found ended then, and the next one tells why.
  worker.on("error", () => undefined);
  return worker;
}

/** Whether a thread has ended. */
export const hasEnded = (worker: Worker): boolean => worker.threadId < 0;
