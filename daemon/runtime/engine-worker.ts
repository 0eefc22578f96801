// Entry of the worker thread in which all guest code runs: loads the engine, then executes what arrives.
import { parentPort, workerData } from "node:worker_threads";
import { adaptEngine } from "./call/engine-adapter.ts";
import { type Engine, loadEngine } from "./engine/engine.ts";
import type { EngineThreadData, EngineThreadSettings } from "./engine-thread.ts";
import { Executor } from "./operations/executor.ts";
import type { ExecutorInput, ExecutorOutput } from "./operations/jobs.ts";

/**
 * Outcomes that are sent in one message while more work waits: a message costs more than an outcome. When the next job
 * takes long, they do not wait for it.
 */
const OUTPUT_BATCH = 16;
/** Large ones do not gather: what gathers here is held twice. */
const OUTPUT_BYTES = 256 * 1024;

const { engineDirectory } = workerData as EngineThreadData;
const port = parentPort!;
let outputs: ExecutorOutput[] = [];

/** Bytes, about, of what waits in `outputs`. */
let weight = 0;

function flush(): void {
  weight = 0;
  if (outputs.length === 0) return;
  port.postMessage(outputs);
  outputs = [];
}

function emit(output: ExecutorOutput): void {
  outputs.push(output);
  if (output.kind === "finished")
    weight += output.outcome.receipt.length + (output.outcome.trace?.length ?? 0);
  if (outputs.length >= OUTPUT_BATCH || weight >= OUTPUT_BYTES) flush();
}

let executor: Executor | undefined;
let running = new Int32Array(new SharedArrayBuffer(4));
let resolveWarmed: () => void;
/** When all warm instances are made: the thread has nothing to do until calls come. */
export const warmed = new Promise<void>((resolve) => (resolveWarmed = resolve));

function serve(engine: Engine): void {
  port.on("message", (input: EngineThreadSettings | ExecutorInput) => {
    if (input.kind === "settings") begin(engine, input);
    else executor!.accept(input, (seq) => Atomics.store(running, 0, seq)); // settings come first
    Atomics.store(running, 0, 0);
    flush();
  });
}

function begin(
  engine: Engine,
  { settings, realTime, firstRequestId, running: cell }: EngineThreadSettings,
): void {
  running = new Int32Array(cell);
  executor = new Executor(adaptEngine(engine, { realTime }), settings, emit, firstRequestId);
  outputs.push({ kind: "ready" });
  setImmediate(() => warm(engine));
}

/** Makes the warm instances one by one between messages, so that none is made on the way of a call. */
function warm(engine: Engine): void {
  if (engine.warm()) setImmediate(() => warm(engine));
  else resolveWarmed();
}

void loadEngine({ directory: engineDirectory, onSlow: flush }).then(serve);
