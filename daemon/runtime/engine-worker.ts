// Entry of the worker thread that runs all guest code: loads the engine, then executes incoming jobs.
import { parentPort, workerData } from "node:worker_threads";
import { adaptEngine } from "./call/engine-adapter.ts";
import { type Engine, loadEngine } from "./engine/engine.ts";
import type { RestoreFault } from "./engine/instance-pool.ts";
import type { EngineThreadInput, EngineThreadSettings } from "./operations/engine-thread.ts";
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
 * Outcomes sent in one message while more work is queued: a message costs more than an outcome. They are not held back
 * when the next job is slow.
 */
const OUTPUT_BATCH = 16;
/** Large outcomes are flushed sooner: a batch is held in memory twice. */
const OUTPUT_BYTES = 256 * 1024;
/** Bytes of unread outputs above which sending blocks. */
const MAX_UNREAD = 8 * 1024 * 1024;

/** Undefined in a thread that takes only the engine from this bundle: the debugger's. */
const { engineDirectory } = workerData as Partial<EngineThreadInput>;
const port = parentPort!;
let outputs: ExecutorOutput[] = [];

/** Approximate bytes in `outputs`. */
let weight = 0;

function flush(): void {
  if (outputs.length === 0) return;
  if (weight > 0) {
    // Backpressure: large outputs would pile up between the threads.
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
/** Resolves when all warm instances exist: the thread is then idle until calls arrive. */
export const warmed = new Promise<void>((resolve) => (resolveWarmed = resolve));

function serve(loaded: Engine): void {
  let engine = loaded;
  port.on("message", (input: EngineThreadSettings | ExecutorInput) => {
    if (broken) return; // the next thread does the rest
    if (input.kind === "settings") {
      if (input.settings.strict) engine = loaded.strict();
      begin(engine, input);
    } else executor!.accept(input, (seq) => Atomics.store(cells, RUNNING, seq)); // settings come first
    Atomics.store(cells, RUNNING, 0);
    tellState(engine);
    flush();
  });
}

/** Reports the engine's state, once. */
function tellState(engine: Engine): void {
  broken = !engine.works();
  if (broken) emit({ kind: "broken", reason: BROKEN });
  if (proven || !engine.proven) return;
  proven = true;
  emit({ kind: "proven" });
}

/** The operation that finds a damaged instance did not cause the damage; its number tells where to look. */
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
  setTimeout(() => warm(engine), WARM_AFTER_MS);
}

/** The last steps of a start, in the main thread, take the processors until then. */
const WARM_AFTER_MS = 80;

/** Creates the warm instances one by one between messages, so that no call waits for one. */
function warm(engine: Engine): void {
  const isMore = engine.warm();
  tellState(engine);
  flush();
  if (isMore) setImmediate(() => warm(engine));
  else resolveWarmed();
}

if (engineDirectory !== undefined)
  void loadEngine({ directory: engineDirectory, onSlow: flush, onFault }).then(serve);

// For the debugger's bundle (tools/shared-engine.mjs).
export { adaptEngine } from "./call/engine-adapter.ts";
export { FIXED_NOW, loadEngine } from "./engine/engine.ts";
export { GuestError, GuestException } from "./engine/guest-error.ts";
export { pureOperation } from "./engine/pure-operations.ts";
export { inlineMap, Mappings, readMap } from "./engine/source-map.ts";
export { Executor } from "./operations/executor.ts";
