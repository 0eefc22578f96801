// Entry of the worker thread in which all guest code runs: loads the engine, then executes what arrives.
import { parentPort, workerData } from "node:worker_threads";
import { adaptEngine } from "./call/engine-adapter.ts";
import { loadEngine } from "./engine/engine.ts";
import { Executor } from "./operations/executor.ts";
import type { WorkerData } from "./operations/executor-thread.ts";
import type { ExecutorInput, ExecutorOutput } from "./operations/jobs.ts";

/** Outcomes that are sent in one message while more work waits: a message costs more than an outcome. */
const OUTPUT_BATCH = 4;

const data = workerData as WorkerData;
const running = new Int32Array(data.running);
const port = parentPort!;
let outputs: ExecutorOutput[] = [];

function flush(): void {
  if (outputs.length === 0) return;
  port.postMessage(outputs);
  outputs = [];
}

const engine = await loadEngine({ directory: data.engineDirectory });
function emit(output: ExecutorOutput): void {
  outputs.push(output);
  if (outputs.length >= OUTPUT_BATCH) flush();
}

const guests = adaptEngine(engine, { realTime: data.realTime });
const executor = new Executor(guests, data.settings, emit, data.firstRequestId);

port.on("message", (input: ExecutorInput) => {
  executor.accept(input, (seq) => Atomics.store(running, 0, seq));
  Atomics.store(running, 0, 0);
  flush();
});
outputs.push({ kind: "ready" });
flush();

/** Makes the warm instances one by one between messages, so that none is made on the way of a call. */
function warm(): void {
  if (engine.warm()) setImmediate(warm);
}
setImmediate(warm);
