// Evaluates an expression in a paused frame, and puts everything back: memory, gas and stack pointer of the instance
// are afterwards what they were, so that the run goes on as if nobody had looked. The host answers what only reads, and
// refuses the rest. Local variables are passed by value: assigning to one lasts as long as the evaluation.
import { SandboxError } from "../../protocol/errors.ts";
import { GuestError, GuestException } from "../engine/guest-error.ts";
import { operationOf } from "../engine/host-ops.ts";
import { GAS_RESERVE } from "../engine/limits.ts";
import { pureOperation } from "../engine/pure-operations.ts";
import type { VmHost } from "../engine/vm-imports.ts";
import type { Vm } from "../engine/vm.ts";
import type { HeapReader, Variable } from "./heap-reader.ts";

/** About half a second of computing. */
const GAS = 150_000_000;
/** Also for what the host does for it. */
const MAX_MS = 2_000;
const MAX_EXPRESSION = 64 * 1024;
const WASM_PAGE = 65_536;

/** What an expression may read of the state that the paused call sees. */
export interface Surroundings {
  readonly address: string;
  /** JSON text. */
  readonly value: (key: string) => string | undefined;
  readonly balance: (address: string) => bigint;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The scope of a frame. */
export interface EvaluationScope {
  readonly variables: readonly Variable[];
  readonly surroundings: Surroundings;
}

/**
 * @param read gets the result, which exists only until `read` returns
 * @throws SandboxError EXPRESSION_FAILED, EXPRESSION_EFFECT, EXPRESSION_ENDLESS
 */
export function evaluate<T>(
  vm: Vm,
  heap: HeapReader,
  expression: string,
  { variables, surroundings }: EvaluationScope,
  read: (bits: bigint) => T,
): T {
  if (expression.length > MAX_EXPRESSION)
    throw expressionError(`it has more than ${MAX_EXPRESSION} characters`);
  const scope = namesOf(heap, variables);
  return isolate(vm, surroundings, () => {
    try {
      const fn = script(vm, wrapExpression(expression, scope));
      const values = [scope.self, ...scope.values].map((bits) => boxValue(vm, bits));
      const result = vm.call(fn, values);
      heap.refresh();
      return read(heap.bits(result));
    } finally {
      heap.refresh();
    }
  });
}

const expressionError = (reason: string): SandboxError => new SandboxError("EXPRESSION_FAILED", { reason });

/** Runs an act in the guest, then puts the instance back. */
function isolate<T>(vm: Vm, surroundings: Surroundings, act: () => T): T {
  const { exports, host } = vm;
  const { trust } = vm.memory;
  const size = (exports.pages.value as number) * WASM_PAGE;
  const memory = new Uint8Array(exports.memory.buffer).slice(0, size);
  const globals = [exports.gas, exports.pages, exports.__stack_pointer].map(
    (global) => [global, global.value as unknown] as const,
  );
  const watched = exports.watched!;
  watched.value = 0;
  vm.gas = GAS + GAS_RESERVE;
  const looking = new LookingHost(vm, surroundings);
  vm.host = looking;
  try {
    const result = act();
    if (looking.refused !== undefined) throw new SandboxError("EXPRESSION_EFFECT", { what: looking.refused });
    return result;
  } catch (error) {
    throw looking.reasonFor(error);
  } finally {
    const reached = (exports.pages.value as number) * WASM_PAGE;
    const now = new Uint8Array(exports.memory.buffer);
    now.set(memory);
    if (reached > size) now.fill(0, size, reached);
    for (const [global, value] of globals) global.value = value;
    watched.value = 1;
    vm.host = host;
    vm.memory.trust = trust;
  }
}

/** Ends the evaluation; the guest cannot catch it. */
class Ended extends Error {}

/** Answers what has no effect. */
class LookingHost implements VmHost {
  readonly #vm: Vm;
  readonly #surroundings: Surroundings;
  readonly #deadline = performance.now() + MAX_MS;
  /** The first operation with an effect. A program may catch the refusal, or a promise hide it. */
  refused: string | undefined;
  #isEndless = false;

  constructor(vm: Vm, surroundings: Surroundings) {
    this.#vm = vm;
    this.#surroundings = surroundings;
  }

  readonly now = (): number => this.#surroundings.now;

  readonly imported = (): void => undefined;

  readonly interrupted = (): boolean => {
    if (this.#vm.gas >= GAS_RESERVE && performance.now() < this.#deadline) return false;
    this.#isEndless = true;
    return true;
  };

  readonly call: VmHost["call"] = ([first, a, b, c]) => {
    if (performance.now() >= this.#deadline) {
      this.#isEndless = true;
      throw new Ended();
    }
    const name = typeof first === "string" ? first : "";
    const operation = operationOf(name);
    if (operation?.by === "pure") return pureOperation(operation.name, a, b, c);
    const argument = typeof a === "string" ? a : "";
    switch (operation?.name) {
      case "kv.get":
        return this.#surroundings.value(argument);
      case "kv.has":
        return this.#surroundings.value(argument) === undefined ? "" : "1";
      case "ledger.self":
        return this.#surroundings.address;
      case "ledger.balance":
        return this.#surroundings.balance(argument).toString();
      default:
        this.refused ??= name;
        throw new GuestError("Error", `${name} has an effect, so it is not done while looking`);
    }
  };

  reasonFor(error: unknown): Error {
    if (error instanceof SandboxError) return error;
    if (this.refused !== undefined) return new SandboxError("EXPRESSION_EFFECT", { what: this.refused });
    const isTrap = error instanceof WebAssembly.RuntimeError;
    if (this.#isEndless || (isTrap && this.#vm.gas < GAS_RESERVE))
      return new SandboxError("EXPRESSION_ENDLESS", {});
    if (error instanceof GuestException) return expressionError(error.message);
    if (isTrap || error instanceof RangeError) return expressionError("it calls too deeply");
    return error as Error;
  }
}

interface Names {
  readonly names: readonly string[];
  readonly values: readonly bigint[];
  readonly self: bigint;
  /** Declared, and without a value yet. */
  readonly early: readonly string[];
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** Not names of parameters in strict code, though the engine names variables so. */
const RESERVED: ReadonlySet<string> = new Set(["this", "arguments", "eval", "new.target"]);
const UNDEFINED = 3n << 32n;

/** Of variables with one name the one of the deepest block that has a value. */
function namesOf(heap: HeapReader, variables: readonly Variable[]): Names {
  const found = new Map<string, Variable>();
  let self = UNDEFINED;
  const rank = ({ scope, level, bits }: Variable): number => {
    const { kind } = heap.value(bits);
    const isSet = kind !== "uninitialized" && kind !== "undefined";
    return (scope === "local" ? 1e9 : 0) + (isSet ? 1e6 : 0) + level;
  };
  for (const variable of variables) {
    if (variable.name === "this" && heap.value(variable.bits).kind !== "uninitialized") self = variable.bits;
    if (!IDENTIFIER.test(variable.name) || RESERVED.has(variable.name)) continue;
    const other = found.get(variable.name);
    if (other === undefined || rank(variable) > rank(other)) found.set(variable.name, variable);
  }
  const isEarly = ({ bits }: Variable): boolean => heap.value(bits).kind === "uninitialized";
  const all = [...found.values()];
  const ready = all.filter((variable) => !isEarly(variable));
  return {
    names: ready.map(({ name }) => name),
    values: ready.map(({ bits }) => bits),
    self,
    early: all.filter(isEarly).map(({ name }) => name),
  };
}

/** A function of the frame's variables, of which the first stands for `this`. */
function wrapExpression(expression: string, { names, early }: Names): string {
  const later = early.length === 0 ? "" : `let ${early.join(", ")};`;
  const body = `return eval(${JSON.stringify(expression)}); ${later}`;
  return `(function (${["functez$self", ...names].join(", ")}) { "use strict"; return (function () { ${body} }).call(functez$self); })`;
}

/** Evaluates a script of ours; @returns a pointer of its value */
function script(vm: Vm, code: string): number {
  const source = put(vm, Buffer.from(`${code}\0`));
  const name = put(vm, Buffer.from("functez:look\0"));
  return vm.check(vm.exports.qjs_eval(source, Buffer.byteLength(code), name, 0));
}

function boxValue(vm: Vm, bits: bigint): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return put(vm, bytes);
}

/** Bytes in the guest's memory, which is put back afterwards. */
function put(vm: Vm, bytes: Uint8Array): number {
  const at = vm.exports.wasm_malloc(bytes.length);
  if (at === 0) throw expressionError("the function's memory is full");
  new Uint8Array(vm.exports.memory.buffer).set(bytes, at);
  return at;
}
