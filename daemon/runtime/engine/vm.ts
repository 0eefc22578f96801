// One QuickJS instance in WebAssembly: strings and bytes in and out, calls, jobs, and restoring its memory in place.
// JavaScript values are opaque pointers here; the prelude gives them meaning.

import { GuestError, GuestException } from "./guest-error.ts";
import { STACK_BOTTOM } from "./limits.ts";
import {
  BLOCK,
  type ImageDifference,
  type ImageState,
  isExactly,
  isSameState,
  type MemoryImage,
  WASM_PAGE,
} from "./memory-image.ts";
import { markBlocks, markDifferences, markWritten, putBack } from "./memory-marks.ts";
import { type VmHost, vmImports } from "./vm-imports.ts";
import type { Pointer, WasmExports } from "./wasm-exports.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Whether a restore makes an instance as good as new. `checked`: a run was cut off, so the whole memory is compared
 * after the next restore. `none`: the engine itself failed, or guest code ran at an undefined point; such an instance
 * is never reused.
 */
export type Trust = "full" | "checked" | "none";

const TYPE_MODULE = 1;
const STRIP_SOURCE = 16;

export class Vm {
  readonly exports: WasmExports;
  host: VmHost;
  /** Only decreases while a call runs. */
  trust: Trust = "full";
  /** Sixteen bytes of guest memory for out-parameters; part of every image. */
  #scratch: Pointer = 0;
  /** Image of the last restore: memory equals it except in the marked blocks. */
  #base: MemoryImage | undefined;
  #over: ImageDifference | undefined;
  #buffer: ArrayBuffer;
  #bytes: Buffer;
  #view: DataView;

  /** @param watcher of a module with hooks */
  constructor(module: WebAssembly.Module, host: VmHost, watcher?: Watcher) {
    this.host = host;
    const imports = this.#imports(watcher);
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as WasmExports;
    if (watcher !== undefined && this.exports.watched) this.exports.watched.value = 1;
    this.#buffer = this.exports.memory.buffer;
    this.#bytes = Buffer.from(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }

  /** Starts QuickJS in this instance. Needed once per image: restored instances have it in their memory. */
  initialize(limits: { memoryBytes: number; stackBytes: number }): void {
    this.exports._initialize();
    if (this.exports.qjs_init() !== 0) throw new Error("QuickJS did not start");
    this.exports.qjs_set_memory_limit(limits.memoryBytes);
    this.exports.qjs_set_max_stack_size(limits.stackBytes);
    this.exports.qjs_set_interrupt_handler(1);
    this.exports.qjs_set_module_loader(1);
    this.#scratch = this.exports.wasm_malloc(16);
  }

  get scratch(): Pointer {
    return this.#scratch;
  }

  /** Real size of the linear memory in bytes, which the process pays for; at least the virtual size. */
  get realBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Highest virtual size since the last restore, in bytes. */
  get virtualBytes(): number {
    return (this.exports.pages.value as number) * WASM_PAGE;
  }

  get gas(): number {
    return Number(this.exports.gas.value as bigint);
  }

  set gas(units: number) {
    this.exports.gas.value = BigInt(units);
  }

  /** The instance's memory up to its virtual size; invalid after the next call into the guest. */
  memory(): Uint8Array {
    this.#refresh();
    return new Uint8Array(this.#buffer, 0, Math.min(this.virtualBytes, this.#buffer.byteLength));
  }

  state(): ImageState {
    return {
      stackPointer: this.exports.__stack_pointer.value as number,
      pages: this.exports.pages.value as number,
      runtime: this.exports.qjs_get_runtime_ptr(),
      context: this.exports.qjs_get_context_ptr(),
    };
  }

  /**
   * Restores an image in place: the base, then the blocks of a function on top. Every byte visible to the guest is as
   * before, and the allocator sees the virtual size of the image. Only between calls.
   * @returns false when that is uncertain: the instance must then not be reused
   */
  restore(base: MemoryImage, over: ImageDifference | undefined, scratch: Pointer): boolean {
    const state = over ?? base;
    const wanted = Math.max(state.pages, base.pages) * WASM_PAGE;
    const real = this.exports.memory.buffer.byteLength;
    const used = Math.max(this.virtualBytes, wanted);
    if (real < wanted) this.exports.memory.grow((wanted - real) / WASM_PAGE);
    this.#refresh();
    if (this.#base !== base) markDifferences(this.#bytes, used / BLOCK, base);
    if (this.#over !== over) {
      markBlocks(this.#bytes, this.#over?.blocks.keys() ?? []);
      markBlocks(this.#bytes, over?.blocks.keys() ?? []);
    }
    if (!putBack(this.#bytes, used / BLOCK, base, over)) return false;
    this.#base = base;
    this.#over = over;
    this.exports.pages.value = state.pages;
    this.exports.__stack_pointer.value = state.stackPointer;
    this.exports.qjs_set_runtime_and_context(state.runtime, state.context);
    this.#scratch = scratch;
    return true;
  }

  /** Whether the memory and the image's numbers all equal the last restored image. */
  isRestored(): boolean {
    const base = this.#base;
    if (base === undefined) return false;
    this.#refresh();
    return (
      isSameState(this.state(), this.#over ?? base) &&
      isExactly(new Uint8Array(this.#buffer), base, this.#over)
    );
  }

  /** Whether the stack pointer has left the stack, which is why the engine stopped. */
  get leftItsStack(): boolean {
    return (this.exports.__stack_pointer.value as number) < STACK_BOTTOM;
  }

  setMaxPages(pages: number): void {
    this.exports.max_pages.value = pages;
  }

  /** @returns pointer of a guest string; lone surrogates become U+FFFD */
  newString(text: string): Pointer {
    const { pointer, length } = this.#write(text);
    const value = this.exports.qjs_new_string(pointer, length);
    this.exports.wasm_free(pointer);
    return this.check(value);
  }

  /** @returns pointer of a guest Uint8Array with a copy of `bytes` */
  newBytes(bytes: Uint8Array): Pointer {
    const pointer = this.#allocate(bytes.length);
    this.#bytes.set(bytes, pointer);
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
    const text = this.exports.qjs_get_string_len(value, this.#scratch);
    if (text === 0) {
      // No memory for the copy that the host reads: the guest caused it, and ends.
      const { message, guestStack } = this.#takeException();
      throw new GuestException(message, guestStack, true);
    }
    this.#refresh();
    const length = this.#view.getUint32(this.#scratch, true);
    const result = this.#decode(text, length);
    this.exports.qjs_free_cstring(text);
    return result;
  }

  /** @param value pointer of a typed array; @returns a copy of its bytes */
  readBytes(value: Pointer): Uint8Array {
    const out = this.#scratch;
    const buffer = this.exports.qjs_get_typed_array_buffer(value, out, out + 4, out + 8);
    if (this.exports.qjs_is_exception(buffer) !== 0) {
      this.exports.qjs_free_value(buffer);
      throw this.#takeException();
    }
    this.#refresh();
    const offset = this.#view.getUint32(out, true);
    const length = this.#view.getUint32(out + 4, true);
    const start = this.exports.qjs_get_array_buffer(buffer, out + 12);
    this.#refresh();
    const copy = new Uint8Array(length);
    if (start !== 0) copy.set(this.#bytes.subarray(start + offset, start + offset + length));
    this.exports.qjs_free_value(buffer);
    return copy;
  }

  /** Calls a guest function with `this` undefined. The caller owns the result and the argument pointers. */
  call(fn: Pointer, values: readonly Pointer[]): Pointer {
    const argv = this.#allocate(Math.max(4, values.length * 4));
    values.forEach((value, index) => this.#view.setUint32(argv + index * 4, value, true));
    const undefinedValue = this.exports.qjs_get_undefined();
    const result = this.exports.qjs_call(fn, undefinedValue, values.length, argv);
    this.exports.qjs_free_value(undefinedValue);
    this.exports.wasm_free(argv);
    return this.check(result);
  }

  /** Evaluates an ES module; @returns a promise of its namespace */
  evaluateModule(code: string, fileName: string): Pointer {
    const source = this.#write(code);
    const name = this.#write(fileName);
    const result = this.exports.qjs_eval(source.pointer, source.length, name.pointer, TYPE_MODULE);
    this.exports.wasm_free(source.pointer);
    this.exports.wasm_free(name.pointer);
    return this.check(result);
  }

  /** Compiles a script to bytecode without its source. */
  compile(code: string, fileName: string): Uint8Array {
    const source = this.#write(code);
    const name = this.#write(fileName);
    const bytecode = this.exports.qjs_compile(
      source.pointer,
      source.length,
      name.pointer,
      0,
      STRIP_SOURCE,
      this.#scratch,
    );
    this.exports.wasm_free(source.pointer);
    this.exports.wasm_free(name.pointer);
    if (bytecode === 0) throw this.#takeException();
    this.#refresh();
    const copy = Uint8Array.from(
      this.#bytes.subarray(bytecode, bytecode + this.#view.getUint32(this.#scratch, true)),
    );
    this.exports.wasm_free(bytecode);
    return copy;
  }

  /** Runs the output of `compile`, of any instance; @returns the script's completion value */
  evaluateBytecode(bytecode: Uint8Array): Pointer {
    const pointer = this.#allocate(bytecode.length);
    this.#bytes.set(bytecode, pointer);
    const result = this.exports.qjs_eval_bytecode(pointer, bytecode.length);
    this.exports.wasm_free(pointer);
    return this.check(result);
  }

  /** @returns the property as a new reference */
  property(object: Pointer, name: string): Pointer {
    const { pointer } = this.#write(name);
    const value = this.exports.qjs_get_prop_string(object, pointer);
    this.exports.wasm_free(pointer);
    return this.check(value);
  }

  /** Sets the one host function on the global object as `name`; the prelude reads it and deletes the property. */
  installHostFunction(name: string): void {
    const { pointer, length } = this.#write(name);
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

  /** @returns name, message and stack of an error value, or the text of any other thrown value */
  describe(value: Pointer): { message: string; stack: string } {
    if (this.exports.qjs_is_error(value) === 0) return { message: this.#text(value), stack: "" };
    return { message: this.#text(value), stack: this.#propertyText(value, "stack") };
  }

  #takeException(): GuestException {
    const value = this.exports.qjs_get_exception();
    const uncatchable = this.exports.qjs_is_uncatchable_error(value) !== 0;
    const { message, stack } = this.describe(value);
    this.exports.qjs_free_value(value);
    return new GuestException(message, stack, uncatchable);
  }

  #text(value: Pointer): string {
    const text = this.exports.qjs_get_string_len(value, this.#scratch);
    if (text === 0) {
      this.exports.qjs_free_value(this.exports.qjs_get_exception());
      return "";
    }
    this.#refresh();
    const result = this.#decode(text, this.#view.getUint32(this.#scratch, true));
    this.exports.qjs_free_cstring(text);
    return result;
  }

  #propertyText(object: Pointer, name: string): string {
    const { pointer } = this.#write(name);
    const value = this.exports.qjs_get_prop_string(object, pointer);
    this.exports.wasm_free(pointer);
    const text = this.exports.qjs_is_string(value) !== 0 ? this.#text(value) : "";
    this.exports.qjs_free_value(value);
    return text;
  }

  /** QuickJS writes a lone surrogate as three bytes, which must become one U+FFFD rather than three. */
  #decode(start: Pointer, length: number): string {
    const result = this.#bytes.toString("utf8", start, start + length);
    if (!result.includes("\ufffd")) return result;
    const bytes = Buffer.from(this.#bytes.subarray(start, start + length));
    for (let at = 0; at + 2 < bytes.length; at += 1) {
      if (bytes[at] === 0xed && (bytes[at + 1] as number) >= 0xa0) bytes.set([0xef, 0xbf, 0xbd], at);
    }
    return bytes.toString("utf8");
  }

  /** Guest memory for the host to write to. */
  #allocate(size: number): Pointer {
    const pointer = this.exports.wasm_malloc(Math.max(1, size));
    if (pointer === 0) throw new GuestException("out of memory", "", true);
    // A working allocator never returns that; host writes must not reach the marks either.
    if (pointer < STACK_BOTTOM) throw new Error("the engine's allocator is damaged");
    this.#refresh();
    markWritten(this.#bytes, pointer, size);
    return pointer;
  }

  #write(text: string): { pointer: Pointer; length: number } {
    const length = Buffer.byteLength(text, "utf8");
    const pointer = this.#allocate(length + 1);
    this.#bytes.write(text, pointer, length, "utf8");
    this.#bytes[pointer + length] = 0;
    return { pointer, length };
  }

  /** Memory growth replaces the ArrayBuffer, so views are checked after each entry into the guest. */
  #refresh(): void {
    if (this.#buffer === this.exports.memory.buffer) return;
    this.#buffer = this.exports.memory.buffer;
    this.#bytes = Buffer.from(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }

  #hostCall(count: number, argv: Pointer): Pointer {
    this.#refresh();
    const pointers: Pointer[] = [];
    for (let index = 0; index < count; index += 1)
      pointers.push(this.#view.getUint32(argv + index * 4, true));
    let result: string | Uint8Array | undefined;
    try {
      result = this.host.call(pointers.map((pointer) => this.#read(pointer)));
    } catch (error) {
      if (error instanceof GuestException) this.trust = "none"; // the engine is left in the middle of a call
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
      bytes: () => {
        this.#refresh();
        return this.#bytes;
      },
      call: (count, argv) => this.#hostCall(count, argv),
      write: (text) => this.#write(text),
    });
  }
}
