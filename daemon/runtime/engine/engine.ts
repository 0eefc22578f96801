// The guest engine: runs smart functions in QuickJS instances with metered gas, each call in a fresh environment.
// It knows nothing of addresses, tez or keys; the call semantics gives it a host per call. Everything here runs
// synchronously in one worker thread (started with `WORKER_STACK_MB` of stack).

import { FunctionImages, type FunctionImage } from "./function-images.ts";
import { createGuestCall, describeExport, type GuestCall } from "./guest-call.ts";
import { type FailureCode, GuestRun, type RunOptions } from "./guest-run.ts";
import { InstancePool } from "./instance-pool.ts";
import { FUNCTION_IMAGE_BYTES, GAS_RESERVE } from "./limits.ts";
import { type EngineFiles, readEngineFiles } from "./manifest.ts";
import { difference } from "./memory-image.ts";
import type { Vm } from "./vm.ts";

/** The time that guests see by default: the real runtime's fixed clock, in milliseconds since 1970. */
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
      /** The text that a failing deployment shows. */
      readonly message: string;
      readonly stack: string;
    };

export interface OpenOptions {
  /** Most gas that the call may use, module evaluation included. */
  readonly gas: number;
  /** Milliseconds since 1970 that the guest's clock shows; `FIXED_NOW` unless the sandbox is configured otherwise. */
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
  /** Names the gas table; figures of different tables do not compare. */
  readonly gasTable: string;
  /** The deploy-time checks: compiles the module and evaluates its top level without protocol access. */
  check(code: string, options: CheckOptions): CheckResult;
  /** False when the live calls are too many or hold too much memory for one more. */
  hasRoom(): boolean;
  /**
   * Prepares a call.
   * @param specifier name of the module in stack traces, `jstz://<address>`
   * @throws RangeError when there is no room for one more live call
   */
  open(code: string, specifier: string, options: OpenOptions): GuestCall;
  /**
   * Does one piece of work that makes later calls faster: a first call that lets the host's compiler see the
   * interpreter, then more warm instances. Call it when idle until it returns false.
   */
  warm(): boolean;
  statistics(): EngineStatistics;
}

export interface EngineSettings {
  /** Folder of the engine's files. */
  readonly directory: string;
  /** Called again and again in the middle of a run that takes long. */
  readonly onSlow?: () => void;
}

/**
 * Loads the engine that `buildEngine` wrote into `directory`.
 * The first instance is ready on return; `warm()` makes the others.
 */
export async function loadEngine(options: EngineSettings): Promise<Engine> {
  return createEngine(await readEngineFiles(options.directory), options.onSlow ?? (() => undefined));
}

/** Touches what most functions use. */
const EXERCISE = `export default async (request) => {
  Kv.get(new URL(request.url).pathname);
  return Response.json({ body: await request.json(), referer: request.headers.get("referer") });
};`;
const EXERCISE_REQUEST = { url: "jstz://functez/", method: "POST", headers: [], body: "[1]" } as const;

function createEngine(files: EngineFiles, onSlow: () => void): Engine {
  const { manifest, base } = files;
  const pool = new InstancePool(files);
  const images = new FunctionImages();
  let exercised = false;
  pool.warm();

  function begin(vm: Vm, options: RunOptions, over?: FunctionImage): GuestRun {
    vm.restore(base, over?.kind === "image" ? over.over : undefined, manifest.scratch);
    const run = new GuestRun(vm, options, onSlow);
    vm.host = run;
    vm.gas = options.gas + GAS_RESERVE;
    return run;
  }

  /** Evaluates the module on its own and keeps the result, when calls cannot tell the difference. */
  function makeImage(vm: Vm, code: string, specifier: string, options: RunOptions): FunctionImage {
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
    const { outcome } = run;
    const outOfGas = outcome?.kind === "failure" && outcome.failure.code === "GAS";
    let image: FunctionImage = { kind: "evaluate" };
    if (outcome?.kind === "module" && outcome.exported === "function" && !run.stoppedByObservation) {
      const gas = options.gas - (vm.gas - GAS_RESERVE);
      vm.exports.qjs_run_gc();
      const over = difference(base, vm.memory(), vm.state());
      const now = run.sawClock ? options.now : undefined;
      if (over.length <= FUNCTION_IMAGE_BYTES) image = { kind: "image", over, gas, now };
    }
    // Another call may have more gas: what failed for want of it says nothing about the module.
    if (!outOfGas) images.keep(code, specifier, image);
    return image;
  }

  function open(code: string, specifier: string, options: OpenOptions): GuestCall {
    if (!pool.hasRoom()) throw new RangeError("there is no room for one more live call");
    const run: RunOptions = options;
    const vm = pool.lease({
      call: () => undefined,
      now: () => options.now,
      interrupted: () => true,
      imported: () => undefined,
    });
    let image = images.find(code, specifier) ?? makeImage(vm, code, specifier, run);
    if (image.kind === "image" && image.now !== undefined && image.now !== options.now)
      image = { kind: "evaluate" };
    const guest = begin(vm, run, image);
    if (image.kind === "image") guest.charge(image.gas);
    return createGuestCall({
      vm,
      run: guest,
      options: run,
      control: manifest.control,
      image,
      code,
      specifier,
      release: () => pool.release(vm),
    });
  }

  function check(code: string, options: CheckOptions): CheckResult {
    const vm = pool.lease({
      call: () => undefined,
      now: () => FIXED_NOW,
      interrupted: () => true,
      imported: () => undefined,
    });
    try {
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
      return verdict(run, compiled, gasUsed);
    } finally {
      pool.release(vm);
    }
  }

  return {
    gasTable: manifest.gasTable,
    check,
    hasRoom: () => pool.hasRoom(),
    open,
    warm() {
      if (exercised) return pool.warm();
      exercised = true;
      const call = open(EXERCISE, "functez:warm", { gas: 10_000_000, now: FIXED_NOW, seed: "" });
      call.invoke({ op: () => undefined, fetch: () => undefined }, EXERCISE_REQUEST);
      call.close();
      return true;
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

function verdict(run: GuestRun, compiled: boolean, gasUsed: number): CheckResult {
  const { outcome } = run;
  if (run.sawImport) {
    const message = "Import specifiers are not supported";
    return { ok: false, gasUsed, code: "IMPORT", message, stack: "" };
  }
  // Without an outcome the top level waits for something that a check does not give: it is accepted as it is.
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
