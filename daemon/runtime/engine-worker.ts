// Entry of the worker thread in which all guest code runs: loads the engine, then executes what arrives.
import { parentPort, workerData } from "node:worker_threads";
import { adaptEngine } from "./call/engine-adapter.ts";
import type { EngineThreadData, EngineThreadSettings } from "./engine-thread.ts";
import { type Engine, loadEngine } from "./engine/engine.ts";
import type { RestoreFault } from "./engine/instance-pool.ts";
import { Executor } from "./operations/executor.ts";
import {
  type ExecutorInput,
  type ExecutorOutput,
  newCells,
  outputBytes,
  RUNNING,
  UNREAD,
} from "./operations/jobs.ts";

/**
 * Outcomes that are sent in one message while more work waits: a message costs more than an outcome. When the next job
 * takes long, they do not wait for it.
 */
const OUTPUT_BATCH = 16;
/** Large ones do not gather: what gathers here is held twice. */
const OUTPUT_BYTES = 256 * 1024;
/** Bytes of outputs that may be on their way to the other thread before more are sent. */
const MAX_UNREAD = 8 * 1024 * 1024;

const { engineDirectory } = workerData as EngineThreadData;
const port = parentPort!;
let outputs: ExecutorOutput[] = [];

/** Bytes, about, of what waits in `outputs`. */
let weight = 0;

function flush(): void {
  if (outputs.length === 0) return;
  if (weight > 0) {
    // Large ones come no faster than they are read, or they would pile up between the threads.
    for (let unread = Atomics.load(cells, UNREAD); unread > MAX_UNREAD; unread = Atomics.load(cells, UNREAD))
      Atomics.wait(cells, UNREAD, unread, 1_000);
    Atomics.add(cells, UNREAD, weight);
    weight = 0;
  }
  port.postMessage(outputs);
  outputs = [];
}

function emit(output: ExecutorOutput): void {
  outputs.push(output);
  weight += outputBytes(output);
  if (outputs.length >= OUTPUT_BATCH || weight >= OUTPUT_BYTES) flush();
}

const BROKEN = "ENGINE_BROKEN: every call of a smart function ends by a fault of the engine";

let executor: Executor | undefined;
let proven = false;
let broken = false;
let cells = newCells();
let resolveWarmed: () => void;
/** When all warm instances are made: the thread has nothing to do until calls come. */
export const warmed = new Promise<void>((resolve) => (resolveWarmed = resolve));

function serve(engine: Engine): void {
  port.on("message", (input: EngineThreadSettings | ExecutorInput) => {
    if (broken) return; // what comes now is done by the next thread
    if (input.kind === "settings") begin(engine, input);
    else executor!.accept(input, (seq) => Atomics.store(cells, RUNNING, seq)); // settings come first
    Atomics.store(cells, RUNNING, 0);
    tellState(engine);
    flush();
  });
}

/** Says what has become of the engine, once. */
function tellState(engine: Engine): void {
  broken = !engine.works();
  if (broken) emit({ kind: "broken", reason: BROKEN });
  if (proven || !engine.proven) return;
  proven = true;
  emit({ kind: "proven" });
}

/** The operation that meets an instance with a damage has no part in it; its number tells where to look. */
function onFault({ code, found }: RestoreFault): void {
  emit({ kind: "damage", seq: Atomics.load(cells, RUNNING), reason: `${code}: ${found}` });
}

function begin(
  engine: Engine,
  { settings, realTime, firstRequestId, cells: shared }: EngineThreadSettings,
): void {
  cells = new Int32Array(shared);
  executor = new Executor(adaptEngine(engine, { realTime }), settings, emit, firstRequestId, cells);
  outputs.push({ kind: "ready" });
  setImmediate(() => warm(engine));
}

/** Makes the warm instances one by one between messages, so that none is made on the way of a call. */
function warm(engine: Engine): void {
  const isMore = engine.warm();
  tellState(engine);
  flush();
  if (isMore) setImmediate(() => warm(engine));
  else resolveWarmed();
}

void loadEngine({ directory: engineDirectory, onSlow: flush, onFault }).then(serve);
