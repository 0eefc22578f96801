// The guest engine: runs smart functions in QuickJS instances with metered gas, each call in a fresh environment.
// It knows nothing of addresses, tez or keys; the call semantics pass it a host per call. Everything here runs
// synchronously in one worker thread (started with `WORKER_STACK_MB` of stack).

import { type CallStart, FunctionImages, type FunctionImage } from "./function-images.ts";
import { createGuestCall, describeExport, type GuestCall } from "./guest-call.ts";
import { type FailureCode, GuestRun, type RunOptions } from "./guest-run.ts";
import { InstancePool, type RestoreFault } from "./instance-pool.ts";
import { FAULTS_BEFORE_PROOF, FUNCTION_IMAGE_BYTES, GAS_RESERVE } from "./limits.ts";
import { type EngineFiles, readEngineFiles, WATCHED_FILE } from "./manifest.ts";
import { difference, type ImageDifference } from "./memory-image.ts";
import type { Vm } from "./vm.ts";
import type { Watcher } from "./watcher.ts";

/** The guests' default time: the fixed clock of the real runtime, in milliseconds since 1970. */
export const FIXED_NOW = 1_530_380_397_121;

export interface CheckOptions {
  readonly gas: number;
  /** Name of the module in stack traces, `jstz://<address>`. */
  readonly specifier: string;
}

export type CheckResult =
  | { readonly ok: true; readonly gasUsed: number }
  | {
      readonly ok: false;
      readonly gasUsed: number;
      readonly code: FailureCode | "SYNTAX";
      /** The message of a failed deployment. */
      readonly message: string;
      readonly stack: string;
    };

export interface OpenOptions {
  /** Gas limit of the call, module evaluation included. */
  readonly gas: number;
  /**
   * Gas by which the evaluation of the module raises that limit, at most, where an image keeps what it made: later calls
   * of such a module take no time for it. 0 when absent.
   */
  readonly moduleGas?: number;
  /** The guest's clock, milliseconds since 1970; `FIXED_NOW` unless the sandbox is configured otherwise. */
  readonly now: number;
  /** Seeds crypto.getRandomValues; the operation hash. */
  readonly seed: string;
}

export interface EngineStatistics {
  readonly liveCalls: number;
  /** Their linear memory. */
  readonly liveBytes: number;
  readonly idleBytes: number;
  readonly retiredInstances: number;
  readonly functionImages: number;
  readonly functionImageBytes: number;
}

export interface Engine {
  /** Identifies the gas table; gas figures of different tables are not comparable. */
  readonly gasTable: string;
  /** Deploy-time checks: compiles the module and evaluates its top level without protocol access. */
  check(code: string, options: CheckOptions): CheckResult;
  /** False when the live calls are too many or use too much memory for another. */
  hasRoom(): boolean;
  /**
   * Prepares a call.
   * @param specifier name of the module in stack traces, `jstz://<address>`
   * @throws RangeError when there is no room for another live call
   */
  open(code: string, specifier: string, options: OpenOptions): GuestCall;
  /**
   * Does one piece of work that makes later calls faster: a first call that lets the host compile the interpreter, then
   * more warm instances. Call it when idle until it returns false.
   */
  warm(): boolean;
  /** Whether a call has succeeded since the engine was loaded. */
  readonly proven: boolean;
  /**
   * False when all recent calls ended by faults of the engine and a probe call fails as well: reload the engine. Call
   * it only between calls.
   */
  works(): boolean;
  statistics(): EngineStatistics;
  /** Forgets what modules left at their top levels: the next call of each evaluates it, as its first call did. */
  forgetImages(): void;
  /** An engine of its own whose guests have only what the real runtime has. */
  strict(): Engine;
}

export interface EngineSettings {
  /** Folder of the engine's files. */
  readonly directory: string;
  /** Called repeatedly during a long run. */
  readonly onSlow?: () => void;
  /** Called when a restore was incomplete; the instance has been discarded. */
  readonly onFault?: (fault: RestoreFault) => void;
  /** Sees each step of every guest: several times slower, otherwise the same to the unit of gas. */
  readonly watcher?: Watcher;
}

/**
 * Loads the engine that `buildEngine` wrote into `directory`.
 * The first instance is ready on return; `warm()` makes the others.
 */
export async function loadEngine(options: EngineSettings): Promise<Engine> {
  const file = options.watcher && WATCHED_FILE;
  return createEngine(await readEngineFiles(options.directory, file), options);
}

/** The collection before an image is taken belongs to no call and always ends. */
const GAS_OF_COLLECTION = Number.MAX_SAFE_INTEGER;

/** Exercises what most functions use. */
const EXERCISE = `export default async (request) => {
  Kv.get(new URL(request.url).pathname);
  return Response.json({ body: await request.json(), referer: request.headers.get("referer") });
};`;
const EXERCISE_REQUEST = { url: "jstz://functez/", method: "POST", headers: [], body: "[1]" } as const;

function createEngine(files: EngineFiles, settings: EngineSettings): Engine {
  const { manifest } = files;
  const onSlow = settings.onSlow ?? (() => undefined);
  const { watcher } = settings;
  const pool = new InstancePool(files, settings.onFault ?? (() => undefined), watcher);
  let images = new FunctionImages();
  let exercised = false;
  /** Calls in a row that ended by a fault of the engine. */
  let faults = 0;
  let proven = false;
  pool.warm();

  function begin(vm: Vm, options: RunOptions): GuestRun {
    const run = new GuestRun(vm, options, onSlow);
    vm.host = run;
    vm.gas = options.gas + GAS_RESERVE;
    return run;
  }

  /** Runs `act` with an instance; when it throws, the instance is discarded rather than leased for ever. */
  function withInstance<T>(over: ImageDifference | undefined, act: (lease: { vm: Vm }) => T): T {
    const lease = { vm: pool.lease(over) };
    try {
      return act(lease);
    } catch (error) {
      pool.discard(lease.vm);
      faults += 1;
      throw error;
    }
  }

  /** Evaluates the module in advance and keeps the result, when calls cannot tell the difference. */
  function makeImage(vm: Vm, code: string, specifier: string, options: RunOptions): CallStart {
    const run = begin(vm, options);
    run.observing = true;
    run.guard(() => {
      const promise = vm.evaluateModule(code, specifier);
      vm.runJobs();
      const fulfilled =
        vm.exports.qjs_is_promise(promise) !== 0 && vm.exports.qjs_promise_state(promise) === 1;
      if (fulfilled) vm.exports.qjs_free_value(vm.call(manifest.control.settle, [promise]));
      vm.exports.qjs_free_value(promise);
      vm.runJobs();
    });
    const gas = options.gas - (vm.gas - GAS_RESERVE);
    if (run.outcome?.kind === "failure" && run.outcome.failure.code === "GAS")
      return { kind: "exhausted", failure: run.outcome.failure };
    let image: FunctionImage = { kind: "evaluate" };
    if (isHandler(run) && !run.stoppedByObservation) {
      vm.gas = GAS_OF_COLLECTION;
      run.guard(() => vm.exports.qjs_run_gc());
      const now = run.sawClock ? options.now : undefined;
      // Check again: the collection may have ended the run.
      const over = isHandler(run)
        ? difference(files.base, vm.memory.contents(), vm.memory.state())
        : undefined;
      if (over !== undefined && over.length <= FUNCTION_IMAGE_BYTES)
        image = { kind: "image", over, gas, now };
    }
    images.keep(code, specifier, image);
    return image;
  }

  /** The image of this code, if it suits this call. @param options with the gas that the evaluation may take */
  function findImage(code: string, specifier: string, options: RunOptions): FunctionImage | undefined {
    const image = images.find(code, specifier);
    if (image?.kind !== "image") return image;
    const isCurrent = image.now === undefined || image.now === options.now;
    return isCurrent && image.gas <= options.gas ? image : undefined;
  }

  function open(code: string, specifier: string, options: OpenOptions): GuestCall {
    if (!pool.hasRoom()) throw new RangeError("there is no room for one more live call");
    const { moduleGas = 0 } = options;
    const ahead = { ...options, gas: options.gas + moduleGas };
    const known = findImage(code, specifier, ahead);
    return withInstance(known?.kind === "image" ? known.over : undefined, (lease) => {
      if (known === undefined) watcher?.evaluating(lease.vm, ahead.gas);
      const start = known ?? makeImage(lease.vm, code, specifier, ahead);
      if (known === undefined) watcher?.evaluated(lease.vm, priceOf(start, options.gas));
      const raisedBy = start.kind === "image" ? Math.min(start.gas, moduleGas) : 0;
      const limits = { ...options, gas: options.gas + raisedBy };
      if (known === undefined)
        lease.vm = pool.restored(lease.vm, start.kind === "image" ? start.over : undefined);
      const { vm } = lease;
      const run = begin(vm, limits);
      const release = (): void => {
        const { outcome } = run;
        const isFault =
          outcome?.kind === "failure" ? outcome.failure.code === "ENGINE" : vm.memory.trust === "none";
        pool.release(vm);
        if (isFault) {
          faults += 1;
          images.drop(code, specifier); // the fault may lie in the image
        } else if (outcome !== undefined) {
          faults = 0;
          proven = true;
        }
      };
      const { control } = manifest;
      return createGuestCall({
        vm,
        run,
        options: limits,
        raisedBy,
        control,
        start,
        code,
        specifier,
        release,
      });
    });
  }

  function check(code: string, options: CheckOptions): CheckResult {
    return withInstance(undefined, ({ vm }) => {
      const run = begin(vm, { gas: options.gas, now: FIXED_NOW, seed: "" });
      let compiled = false;
      run.guard(() => {
        vm.exports.qjs_free_value(vm.call(manifest.control.check, []));
        const promise = vm.evaluateModule(code, options.specifier);
        compiled = true;
        vm.exports.qjs_free_value(vm.call(manifest.control.settle, [promise]));
        vm.exports.qjs_free_value(promise);
        vm.runJobs();
      });
      const gasUsed = Math.min(options.gas, options.gas - (vm.gas - GAS_RESERVE));
      pool.release(vm);
      if (run.outcome?.kind === "failure" && run.outcome.failure.code === "ENGINE") faults += 1;
      return verdict(run, compiled, gasUsed);
    });
  }

  /** A probe call. @returns whether it succeeded */
  function exercise(): boolean {
    try {
      const call = open(EXERCISE, "functez:warm", { gas: 10_000_000, now: FIXED_NOW, seed: "" });
      const step = call.invoke({ op: () => undefined, fetch: () => undefined }, EXERCISE_REQUEST);
      call.close();
      return step.kind === "response" && step.response.status === 200;
    } catch {
      return false; // whatever the cause, this engine does not work
    }
  }

  return {
    gasTable: manifest.gasTable,
    forgetImages() {
      images = new FunctionImages();
    },
    strict: () => createEngine({ ...files, base: files.strict() }, settings),
    check,
    hasRoom: () => pool.hasRoom(),
    open,
    warm() {
      if (exercised) return pool.warm();
      exercised = true;
      exercise();
      return true;
    },
    get proven() {
      return proven;
    },
    works() {
      if (faults < FAULTS_BEFORE_PROOF || !pool.hasRoom()) return true;
      // A program that makes the engine fail does so only in its own calls.
      const good = exercise();
      if (good) faults = 0;
      return good;
    },
    statistics: () => ({
      liveCalls: pool.live,
      liveBytes: pool.liveBytes,
      idleBytes: pool.idleBytes,
      retiredInstances: pool.retired,
      functionImages: images.count,
      functionImageBytes: images.bytes,
    }),
  };
}

/** What a call pays at its start for an evaluation ahead of it. */
function priceOf(start: CallStart, limit: number): number | undefined {
  if (start.kind === "image") return start.gas;
  return start.kind === "exhausted" ? limit : undefined;
}

const isHandler = ({ outcome }: GuestRun): boolean =>
  outcome?.kind === "module" && outcome.exported === "function";

function verdict(run: GuestRun, compiled: boolean, gasUsed: number): CheckResult {
  const { outcome } = run;
  if (run.sawImport) {
    const message = "Import specifiers are not supported";
    return { ok: false, gasUsed, code: "IMPORT", message, stack: "" };
  }
  // Without an outcome the top level awaits something that a check does not provide: the code is accepted.
  if (outcome === undefined || outcome.kind === "response") return { ok: true, gasUsed };
  if (outcome.kind === "module") {
    if (outcome.exported === "function") return { ok: true, gasUsed };
    return { ok: false, gasUsed, code: "NO_HANDLER", message: describeExport(outcome.exported), stack: "" };
  }
  const { failure } = outcome;
  if (failure.code !== "THREW")
    return {
      ok: false,
      gasUsed,
      code: failure.code,
      message: `${failure.class}: ${failure.message}`,
      stack: failure.stack,
    };
  if (!compiled)
    return {
      ok: false,
      gasUsed,
      code: "SYNTAX",
      message: `${failure.class}: ${failure.message}`,
      stack: failure.stack,
    };
  const message =
    failure.class === ""
      ? `Error: Uncaught ${failure.message}`
      : `${failure.class}: Uncaught ${failure.class}: ${failure.message}`;
  return { ok: false, gasUsed, code: "THREW", message, stack: failure.stack };
}
