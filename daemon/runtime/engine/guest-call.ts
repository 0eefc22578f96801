// One live call of a smart function: from its request to its response, stopping wherever it waits for an answer.

import type { CallStart } from "./function-images.ts";
import { SOURCE_MAP_PER_CHARACTER } from "./gas-schedule.ts";
import { GuestError } from "./guest-error.ts";
import { type Failure, type GuestRun, type RunOptions } from "./guest-run.ts";
import type { GuestHost, GuestRequest, GuestResponse } from "./host-ops.ts";
import { GAS_RESERVE } from "./limits.ts";
import type { ControlHandles } from "./manifest.ts";
import { hasInlineMap, mapStack } from "./source-map.ts";
import { type Vm } from "./vm.ts";

/** State of a call after the guest has run as far as it can. */
export type GuestStep =
  | { readonly kind: "response"; readonly response: GuestResponse }
  /** Waits for answers to these fetches, which the host received through `GuestHost.fetch`. */
  | { readonly kind: "waiting"; readonly ids: readonly number[] }
  | ({ readonly kind: "failure" } & Failure);

export interface GuestCall {
  /** Runs the handler. Once per call. */
  invoke(host: GuestHost, request: GuestRequest): GuestStep;
  /** Answers a fetch that the host left open; an error rejects its promise with that class and message. */
  deliver(id: number, answer: GuestResponse | GuestError): GuestStep;
  /** Charges this call for host work, for instance a nested call. */
  charge(units: number): void;
  /** Gas used so far, at most the limit. */
  gasUsed(): number;
  /** Gas left to the call; the limit of a nested call. */
  gasLeft(): number;
  /** Gas by which the evaluation of its module raised its limit: at most `moduleGas`. */
  readonly raisedBy: number;
  /** Releases the instance. The call must not be running; closing it again does nothing. */
  close(): void;
}

export interface CallParts {
  readonly vm: Vm;
  readonly run: GuestRun;
  readonly options: RunOptions;
  readonly raisedBy: number;
  readonly control: ControlHandles;
  readonly start: CallStart;
  readonly code: string;
  readonly specifier: string;
  readonly release: () => void;
}

const NULL_HEAD = undefined;

export function createGuestCall(parts: CallParts): GuestCall {
  const { vm, run, options, control, start: from } = parts;
  let closed = false;
  let finalGas = 0;

  const remaining = (): number => Math.max(0, vm.gas - GAS_RESERVE);
  const free = (pointer: number): void => vm.exports.qjs_free_value(pointer);

  function callControl(
    fn: number,
    values: readonly (string | Uint8Array | undefined)[],
    first?: number,
  ): void {
    const pointers = values.map((value) => vm.newValue(value));
    free(vm.call(fn, first === undefined ? pointers : [first, ...pointers]));
    for (const pointer of pointers) free(pointer);
  }

  function handOver(id: number, answer: GuestResponse | GuestError): void {
    run.pending.delete(id);
    if (answer instanceof GuestError) {
      callControl(control.deliver, [
        `${id}`,
        NULL_HEAD,
        undefined,
        JSON.stringify([answer.name, answer.message]),
      ]);
      return;
    }
    run.chargeBody(answer.body);
    const head = JSON.stringify([answer.status, answer.statusText, answer.headers, answer.type ?? "default"]);
    callControl(control.deliver, [`${id}`, head, answer.body ?? undefined, undefined]);
  }

  /** Runs jobs and delivers the answers given at once. */
  function settle(): void {
    vm.runJobs();
    for (
      let next = run.ready.shift();
      next !== undefined && run.outcome === undefined;
      next = run.ready.shift()
    ) {
      handOver(next.id, next.response);
      vm.runJobs();
    }
  }

  /** Lets the guest continue until it ends or waits for an answer. */
  function advance(start: () => void): GuestStep {
    run.guard(() => {
      start();
      settle();
      while (run.alarms > 0 && run.pending.size === 0 && run.outcome === undefined) {
        run.alarms -= 1;
        callControl(control.ring, []);
        settle();
      }
    });
    return step();
  }

  let shown: Failure | undefined;

  /** The failure with its stack mapped to the source, which costs time by the length of the program's map. */
  function readable(failure: Failure): Failure {
    if (shown !== undefined) return shown;
    if (hasInlineMap(parts.code)) run.charge(SOURCE_MAP_PER_CHARACTER * parts.code.length);
    shown = { ...failure, stack: mapStack(failure.stack, parts.code, parts.specifier) };
    return shown;
  }

  function step(): GuestStep {
    const { outcome } = run;
    if (outcome === undefined) {
      if (run.pending.size > 0) return { kind: "waiting", ids: [...run.pending] };
      const message = "the handler's promise never settled";
      return { kind: "failure", code: "NEVER_SETTLED", class: "Error", message, stack: `Error: ${message}` };
    }
    if (outcome.kind === "response") return { kind: "response", response: outcome.response };
    if (outcome.kind === "failure") return { kind: "failure", ...readable(outcome.failure) };
    const message = describeExport(outcome.exported);
    return {
      kind: "failure",
      code: "NO_HANDLER",
      class: "TypeError",
      message,
      stack: `TypeError: ${message}`,
    };
  }

  return {
    invoke(host, request) {
      run.host = host;
      if (from.kind === "exhausted") {
        run.exhaust(from.failure);
        return step();
      }
      const head = JSON.stringify([request.url, request.method, request.headers]);
      const body = request.body ?? undefined;
      return advance(() => {
        run.chargeBody(request.body);
        if (from.kind === "image") {
          // Part of this step, so that the gas of the step includes it.
          run.charge(from.gas);
          callControl(control.invoke, [head, body]);
          return;
        }
        const promise = vm.evaluateModule(parts.code, parts.specifier);
        callControl(control.run, [head, body], promise);
        free(promise);
      });
    },
    deliver(id, answer) {
      if (run.outcome !== undefined || !run.pending.has(id)) return step();
      return advance(() => handOver(id, answer));
    },
    charge: (units) => run.charge(units),
    gasUsed: () => (closed ? finalGas : options.gas - remaining()),
    gasLeft: () => (closed ? options.gas - finalGas : remaining()),
    raisedBy: parts.raisedBy,
    close() {
      if (closed) return;
      finalGas = options.gas - remaining();
      closed = true;
      parts.release();
    },
  };
}

/** The real runtime's message for a module without a usable default export. */
export const describeExport = (exported: string): string =>
  exported === "none"
    ? "No default handler"
    : `Module namespace object expected 'default' property to be function but was ${exported}`;
