// One run of guest code in a leased instance: host calls with their gas, outcomes, and the translation of everything
// that can stop a guest into a failure with a code. Calls and deploy-time checks are built on it.

import { reasonOf } from "../../protocol/errors.ts";
import {
  BODY_PER_BYTE,
  bytesInto,
  INSTANCE_GAS,
  priceOfAnswer,
  priceOfCall,
  priceOfFailure,
} from "./gas-schedule.ts";
import { GuestError, GuestException } from "./guest-error.ts";
import { type Headers, type Part, readMessage } from "./guest-message.ts";
import {
  type GuestHost,
  type GuestRequest,
  type GuestResponse,
  operationOf,
  type OperationName,
  type RunOp,
} from "./host-ops.ts";
import type { Trust } from "./instance-memory.ts";
import { GAS_RESERVE } from "./limits.ts";
import { pureOperation, type Value } from "./pure-operations.ts";
import { randomBytes } from "./seeded-random.ts";
import { shortStack } from "./stack-trace.ts";
import type { VmHost } from "./vm-imports.ts";
import type { Vm } from "./vm.ts";

/** Why a run ended without a response. */
export type FailureCode =
  | "THREW"
  | "INVALID_RESPONSE"
  | "NO_HANDLER"
  | "IMPORT"
  | "NEVER_SETTLED"
  | "GAS"
  | "MEMORY"
  | "STACK"
  | "ENGINE";

export interface Failure {
  readonly code: FailureCode;
  /** Name of the thrown error ("" when it was no Error), or of the error that represents the limit. */
  readonly class: string;
  readonly message: string;
  /** `Name: message` and the guest's frames, one a line, as other engines print them. */
  readonly stack: string;
}

export type Outcome =
  | { readonly kind: "response"; readonly response: GuestResponse }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "module"; readonly exported: string };

/** Thrown out of the wasm to end a run at once: the guest cannot catch it. */
class Stop extends Error {
  readonly reason: "gas" | "observed";
  constructor(reason: "gas" | "observed") {
    super(reason);
    this.reason = reason;
  }
}

/** Operations that report how a run ended: they do not observe the outside. */
const ENDS: ReadonlySet<OperationName> = new Set(["fail", "invalid", "module", "done"]);

export interface RunOptions {
  /** Gas limit of this run; exceeding it ends the run with GAS. */
  readonly gas: number;
  readonly now: number;
  readonly seed: string;
}

const text = (value: Value): string => (typeof value === "string" ? value : "");

export class GuestRun implements VmHost {
  readonly #vm: Vm;
  readonly #options: RunOptions;
  readonly #slow: () => void;
  #host: GuestHost | undefined;
  outcome: Outcome | undefined;
  /** Fetches without an answer. */
  readonly pending = new Set<number>();
  /** Answers given at once by the host, delivered after the guest's current jobs. */
  readonly ready: { readonly id: number; readonly response: GuestResponse }[] = [];
  /** Alarms that the guest has set and that have not fired. */
  alarms = 0;
  /** True while a function's image is made: any host operation ends the run. */
  observing = false;
  sawClock = false;
  sawImport = false;
  #randomOffset = 0;
  #gasStopped = false;

  /** @param slow called at every interrupt check of QuickJS, which a short run never reaches */
  constructor(vm: Vm, options: RunOptions, slow: () => void) {
    this.#vm = vm;
    this.#options = options;
    this.#slow = slow;
  }

  set host(host: GuestHost) {
    this.#host = host;
  }

  now(): number {
    this.sawClock = true;
    return this.#options.now;
  }

  imported(): void {
    this.sawImport = true;
  }

  interrupted(): boolean {
    this.#slow();
    if (this.#vm.gas >= GAS_RESERVE) return false;
    this.#gasStopped = true;
    return true;
  }

  /** Charges gas for host work in the middle of a run, for instance a nested call's. */
  charge(units: number): void {
    this.#vm.gas -= Math.max(0, Math.ceil(units));
  }

  get overdrawn(): boolean {
    return this.#vm.gas < GAS_RESERVE;
  }

  call(values: readonly Value[]): Value {
    const name = text(values[0]);
    const [, a, b, c] = values;
    const size = bytesInto(name, [a, b, c]);
    this.charge(priceOfCall(name, size));
    if (this.overdrawn) throw new Stop("gas");
    let answer: Value;
    try {
      answer = this.#perform(name, a, b, c);
    } catch (error) {
      this.charge(priceOfFailure(name, size));
      if (this.overdrawn) throw new Stop("gas");
      throw error;
    }
    if (answer !== undefined) this.charge(priceOfAnswer(name, answer.length));
    if (this.overdrawn) throw new Stop("gas");
    return answer;
  }

  /** Ends the run before it begins: its gas is used up, and it ends with `failure`. */
  exhaust(failure: Failure): void {
    this.charge(this.#options.gas);
    this.outcome = { kind: "failure", failure };
  }

  /** Runs `step`, which enters the guest, and turns whatever stops it into a failure. */
  guard(step: () => void): void {
    try {
      step();
      if (this.overdrawn) this.#fail("GAS", "GasLimitExceeded", "the gas limit was reached", "");
    } catch (error) {
      this.#translate(error);
    }
  }

  get stoppedByObservation(): boolean {
    return this.#observed;
  }
  #observed = false;

  #perform(name: string, a: Value, b: Value, c: Value): Value {
    const operation = operationOf(name);
    if (operation?.by === "pure") return pureOperation(operation.name, a, b, c);
    if (operation?.by === "run" && ENDS.has(operation.name)) return this.#performOwn(operation.name, a, b, c);
    if (this.observing) {
      this.#observed = true;
      throw new Stop("observed");
    }
    if (operation?.by === "run") return this.#performOwn(operation.name, a, b, c);
    if (this.#host === undefined) throw new GuestError("NotSupported", `${name} is not supported`);
    if (operation === undefined) throw new GuestError("TypeError", `There is no operation ${name}`);
    const args = [a, b, c].filter((value): value is string => typeof value === "string");
    return this.#host.op(operation.name, args);
  }

  #performOwn(name: RunOp, a: Value, b: Value, c: Value): Value {
    switch (name) {
      case "fail":
        this.#failed(text(a));
        return undefined;
      case "invalid":
        this.#fail(
          "INVALID_RESPONSE",
          "TypeError",
          "Invalid Response type",
          "TypeError: Invalid Response type",
        );
        return undefined;
      case "module":
        this.outcome ??= { kind: "module", exported: text(a) };
        return undefined;
      case "done":
        this.outcome ??= { kind: "response", response: responseOf(this.#read(text(a)), b) };
        return undefined;
      case "random": {
        const length = Math.min(65_536, Math.max(0, Number(text(a)) || 0));
        const bytes = randomBytes(this.#options.seed, this.#randomOffset, length);
        this.#randomOffset += length;
        return bytes;
      }
      case "alarm":
        this.alarms += 1;
        return undefined;
      case "fetch": {
        const id = Number(text(a));
        // A deploy-time check has no host: a top-level await stays pending, and the code is accepted.
        const answer = this.#host?.fetch(id, requestOf(this.#read(text(b)), c));
        if (answer === undefined) this.pending.add(id);
        else this.ready.push({ id, response: answer });
        return undefined;
      }
    }
  }

  #read(message: string): readonly Part[] {
    return readMessage(message, (gas) => {
      this.charge(gas);
      if (this.overdrawn) throw new Stop("gas");
    });
  }

  /** @param message name, message and stack of the exception; no failure in here may keep the run from ending */
  #failed(message: string): void {
    let parts: readonly Part[];
    try {
      parts = this.#read(message);
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      parts = ["Error", "an error that cannot be shown", ""];
    }
    const [name, said, stack] = parts.map(textOf);
    this.#fail("THREW", name ?? "", said ?? "", shortStack(stack ?? ""));
  }

  #fail(code: FailureCode, name: string, message: string, stack: string): void {
    if (this.outcome?.kind === "failure") return;
    this.outcome = {
      kind: "failure",
      failure: { code, class: name, message, stack: stack === "" ? `${name}: ${message}` : stack },
    };
  }

  #translate(error: unknown): void {
    if (error instanceof Stop) {
      this.#distrust("checked");
      if (error.reason === "gas") this.#fail("GAS", "GasLimitExceeded", "the gas limit was reached", "");
      return;
    }
    if (error instanceof GuestException) {
      if (error.uncatchable) this.#distrust("checked");
      const frames = shortStack(error.guestStack);
      const at = (head: string): string => (frames === "" ? head : `${head}\n${frames}`);
      if (this.#gasStopped || this.overdrawn) {
        this.#fail(
          "GAS",
          "GasLimitExceeded",
          "the gas limit was reached",
          at("GasLimitExceeded: the gas limit was reached"),
        );
      } else if (error.uncatchable) {
        this.#fail(
          "MEMORY",
          "MemoryLimitExceeded",
          "the memory limit was reached",
          at("MemoryLimitExceeded: the memory limit was reached"),
        );
      } else {
        const name = /^(\w+)(?::|$)/.exec(error.message)?.[1] ?? "Error";
        this.#fail("THREW", name, error.message.replace(/^\w+: /, ""), at(error.message));
      }
      return;
    }
    this.#distrust("none");
    const trapped = error instanceof WebAssembly.RuntimeError;
    if (error instanceof RangeError || (trapped && this.#vm.memory.leftItsStack)) {
      this.charge(INSTANCE_GAS);
      this.#fail("STACK", "StackLimitExceeded", "the call stack grew too deep", "");
    } else if (trapped && this.overdrawn) {
      this.#fail("GAS", "GasLimitExceeded", "the gas limit was reached", "");
    } else if (trapped) {
      this.charge(INSTANCE_GAS);
      this.#fail("ENGINE", "EngineError", `the engine stopped: ${error.message}`, "");
    } else {
      // A bug of ours. It ends this call only, not its caller or its operation.
      this.charge(INSTANCE_GAS);
      this.#fail("ENGINE", "EngineError", `the host failed: ${reasonOf(error)}`, "");
    }
  }

  /** An instance that stopped in the middle of the engine is checked before reuse, or discarded. */
  #distrust(trust: Trust): void {
    if (this.#vm.memory.trust !== "none") this.#vm.memory.trust = trust;
  }

  /** Charges for a body from outside. */
  chargeBody(body: string | Uint8Array | null): void {
    this.charge(BODY_PER_BYTE * (body?.length ?? 0));
  }
}

/** For messages only: there, lists are headers, and headers are not text. */
const textOf = (part: Part | undefined): string => (Array.isArray(part) ? "" : String(part ?? ""));

function headersOf(part: Part | undefined): Headers {
  if (!Array.isArray(part)) throw new GuestError("TypeError", "Malformed headers");
  return part;
}

function requestOf([url, method, headers]: readonly Part[], body: Value): GuestRequest {
  if (typeof url !== "string" || typeof method !== "string")
    throw new GuestError("TypeError", "Malformed request");
  return { url, method, headers: headersOf(headers), body: body ?? null };
}

function responseOf([status, statusText, headers, type]: readonly Part[], body: Value): GuestResponse {
  if (typeof status !== "number" || !Number.isInteger(status))
    throw new GuestError("TypeError", "Malformed response");
  const parts = { status, statusText: textOf(statusText), headers: headersOf(headers), body: body ?? null };
  return type === "error" ? { ...parts, type } : parts;
}
