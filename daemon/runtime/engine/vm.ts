// One QuickJS instance in WebAssembly: values in and out, calls, jobs and host calls.
// JavaScript values are opaque pointers here; the prelude gives them meaning.

import { GuestError, GuestException } from "./guest-error.ts";
import { InstanceMemory } from "./instance-memory.ts";
import { type VmHost, vmImports } from "./vm-imports.ts";
import type { Pointer, WasmExports } from "./wasm-exports.ts";
import type { Watcher } from "./watcher.ts";

const TYPE_MODULE = 1;
const STRIP_SOURCE = 16;

export class Vm {
  readonly exports: WasmExports;
  readonly memory: InstanceMemory;
  host: VmHost;

  /** @param watcher of a module with hooks */
  constructor(module: WebAssembly.Module, host: VmHost, watcher?: Watcher) {
    this.host = host;
    const imports = this.#imports(watcher);
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as WasmExports;
    if (watcher !== undefined && this.exports.watched) this.exports.watched.value = 1;
    this.memory = new InstanceMemory(this.exports);
  }

  /** Starts QuickJS in this instance. Needed once per image: restored instances have it in their memory. */
  initialize(limits: { memoryBytes: number; stackBytes: number }): void {
    this.exports._initialize();
    if (this.exports.qjs_init() !== 0) throw new Error("QuickJS did not start");
    this.exports.qjs_set_memory_limit(limits.memoryBytes);
    this.exports.qjs_set_max_stack_size(limits.stackBytes);
    this.exports.qjs_set_interrupt_handler(1);
    this.exports.qjs_set_module_loader(1);
    this.memory.reserveScratch();
  }

  get gas(): number {
    return Number(this.exports.gas.value as bigint);
  }

  set gas(units: number) {
    this.exports.gas.value = BigInt(units);
  }

  /** @returns pointer of a guest string; lone surrogates become U+FFFD */
  newString(text: string): Pointer {
    const { pointer, length } = this.memory.writeText(text);
    const value = this.exports.qjs_new_string(pointer, length);
    this.exports.wasm_free(pointer);
    return this.check(value);
  }

  /** @returns pointer of a guest Uint8Array with a copy of `bytes` */
  newBytes(bytes: Uint8Array): Pointer {
    const pointer = this.memory.write(bytes);
    const value = this.exports.qjs_new_uint8_array(pointer, bytes.length);
    this.exports.wasm_free(pointer);
    return this.check(value);
  }

  newValue(value: string | Uint8Array | undefined): Pointer {
    if (value === undefined) return this.exports.qjs_get_undefined();
    return typeof value === "string" ? this.newString(value) : this.newBytes(value);
  }

  /** @param value pointer of a string (converting another type would run guest code) */
  readString(value: Pointer): string {
    const text = this.exports.qjs_get_string_len(value, this.memory.scratch);
    if (text === 0) {
      // No memory for the copy that the host reads: the guest caused it, and ends.
      const { message, guestStack } = this.#takeException();
      throw new GuestException(message, guestStack, true);
    }
    const result = this.memory.text(text);
    this.exports.qjs_free_cstring(text);
    return result;
  }

  /** @param value pointer of a typed array; @returns a copy of its bytes */
  readBytes(value: Pointer): Uint8Array {
    const out = this.memory.scratch;
    const buffer = this.exports.qjs_get_typed_array_buffer(value, out, out + 4, out + 8);
    if (this.exports.qjs_is_exception(buffer) !== 0) {
      this.exports.qjs_free_value(buffer);
      throw this.#takeException();
    }
    const view = this.memory.view();
    const offset = view.getUint32(out, true);
    const length = view.getUint32(out + 4, true);
    const start = this.exports.qjs_get_array_buffer(buffer, out + 12);
    const copy = start === 0 ? new Uint8Array(length) : this.memory.copy(start + offset, length);
    this.exports.qjs_free_value(buffer);
    return copy;
  }

  /** Calls a guest function with `this` undefined. The caller owns the result and the argument pointers. */
  call(fn: Pointer, values: readonly Pointer[]): Pointer {
    const argv = this.memory.writePointers(values);
    const undefinedValue = this.exports.qjs_get_undefined();
    const result = this.exports.qjs_call(fn, undefinedValue, values.length, argv);
    this.exports.qjs_free_value(undefinedValue);
    this.exports.wasm_free(argv);
    return this.check(result);
  }

  /** Evaluates an ES module; @returns a promise of its namespace */
  evaluateModule(code: string, fileName: string): Pointer {
    const source = this.memory.writeText(code);
    const name = this.memory.writeText(fileName);
    const result = this.exports.qjs_eval(source.pointer, source.length, name.pointer, TYPE_MODULE);
    this.exports.wasm_free(source.pointer);
    this.exports.wasm_free(name.pointer);
    return this.check(result);
  }

  /** Compiles a script to bytecode without its source. */
  compile(code: string, fileName: string): Uint8Array {
    const source = this.memory.writeText(code);
    const name = this.memory.writeText(fileName);
    const bytecode = this.exports.qjs_compile(
      source.pointer,
      source.length,
      name.pointer,
      0,
      STRIP_SOURCE,
      this.memory.scratch,
    );
    this.exports.wasm_free(source.pointer);
    this.exports.wasm_free(name.pointer);
    if (bytecode === 0) throw this.#takeException();
    const copy = this.memory.copy(bytecode, this.memory.view().getUint32(this.memory.scratch, true));
    this.exports.wasm_free(bytecode);
    return copy;
  }

  /** Runs the output of `compile`, of any instance; @returns the script's completion value */
  evaluateBytecode(bytecode: Uint8Array): Pointer {
    const pointer = this.memory.write(bytecode);
    const result = this.exports.qjs_eval_bytecode(pointer, bytecode.length);
    this.exports.wasm_free(pointer);
    return this.check(result);
  }

  /** @returns the property as a new reference */
  property(object: Pointer, name: string): Pointer {
    const { pointer } = this.memory.writeText(name);
    const value = this.exports.qjs_get_prop_string(object, pointer);
    this.exports.wasm_free(pointer);
    return this.check(value);
  }

  /** Sets the one host function on the global object as `name`; the prelude reads it and deletes the property. */
  installHostFunction(name: string): void {
    const { pointer, length } = this.memory.writeText(name);
    const fn = this.check(this.exports.qjs_new_host_function(pointer, length, 0));
    const global = this.exports.qjs_get_global();
    this.exports.qjs_set_prop_string(global, pointer, fn);
    this.exports.qjs_free_value(global);
    this.exports.wasm_free(pointer);
  }

  /** Runs promise jobs until none are left or an uncatchable error stops the guest. */
  runJobs(): void {
    while (this.exports.qjs_is_job_pending() !== 0) {
      if (this.exports.qjs_execute_pending_job() < 0) {
        const exception = this.#takeException();
        // An ordinary error of a job has no receiver: promise reactions never throw.
        if (exception.uncatchable) throw exception;
      }
    }
  }

  /** @returns the value, or throws the guest's exception */
  check(value: Pointer): Pointer {
    if (value !== 0 && this.exports.qjs_is_exception(value) === 0) return value;
    if (value !== 0) this.exports.qjs_free_value(value);
    throw this.#takeException();
  }

  /** With name, message and stack of an error, or the text of any other thrown value. */
  #takeException(): GuestException {
    const value = this.exports.qjs_get_exception();
    const uncatchable = this.exports.qjs_is_uncatchable_error(value) !== 0;
    const isError = this.exports.qjs_is_error(value) !== 0;
    const message = this.#text(value);
    const stack = isError ? this.#propertyText(value, "stack") : "";
    this.exports.qjs_free_value(value);
    return new GuestException(message, stack, uncatchable);
  }

  #text(value: Pointer): string {
    const text = this.exports.qjs_get_string_len(value, this.memory.scratch);
    if (text === 0) {
      this.exports.qjs_free_value(this.exports.qjs_get_exception());
      return "";
    }
    const result = this.memory.text(text);
    this.exports.qjs_free_cstring(text);
    return result;
  }

  #propertyText(object: Pointer, name: string): string {
    const { pointer } = this.memory.writeText(name);
    const value = this.exports.qjs_get_prop_string(object, pointer);
    this.exports.wasm_free(pointer);
    const text = this.exports.qjs_is_string(value) !== 0 ? this.#text(value) : "";
    this.exports.qjs_free_value(value);
    return text;
  }

  #hostCall(count: number, argv: Pointer): Pointer {
    const view = this.memory.view();
    const pointers: Pointer[] = [];
    for (let index = 0; index < count; index += 1) pointers.push(view.getUint32(argv + index * 4, true));
    let result: string | Uint8Array | undefined;
    try {
      result = this.host.call(pointers.map((pointer) => this.#read(pointer)));
    } catch (error) {
      if (error instanceof GuestException) this.memory.trust = "none"; // the engine is left in the middle of a call
      if (!(error instanceof GuestError)) throw error;
      this.#raise(error.name, error.message);
      return 0;
    }
    return this.newValue(result);
  }

  /** Throws in the guest; the prelude turns it into an error. */
  #raise(name: string, message: string): void {
    const thrown = this.newString(JSON.stringify([name, message]));
    this.exports.qjs_free_value(this.exports.qjs_throw(thrown));
  }

  #read(value: Pointer): string | Uint8Array | undefined {
    if (this.exports.qjs_is_string(value) !== 0) return this.readString(value);
    return this.exports.qjs_is_undefined(value) !== 0 ? undefined : this.readBytes(value);
  }

  #imports(watcher: Watcher | undefined): WebAssembly.Imports {
    return vmImports({
      bytecode: (pc) => watcher?.bytecode(this, pc),
      thrown: (value) => watcher?.thrown(this, value),
      host: () => this.host,
      exports: () => this.exports,
      memory: () => this.memory,
      call: (count, argv) => this.#hostCall(count, argv),
    });
  }
}
