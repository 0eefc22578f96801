// The memory of one engine instance: restoring it in place to an image, and access for the host, whose writes are
// marked like the guest's.
import { GuestException } from "./guest-error.ts";
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
import type { Pointer, WasmExports } from "./wasm-exports.ts";

/**
 * Whether a restore makes an instance as good as new. `checked`: a run was cut off, so the whole memory is compared
 * after the next restore. `none`: the engine itself failed, or guest code ran at an undefined point; such an instance
 * is never reused.
 */
export type Trust = "full" | "checked" | "none";

/** A place in guest memory and its length in bytes. */
export interface Span {
  readonly pointer: Pointer;
  readonly length: number;
}

export class InstanceMemory {
  /** Only decreases while a call runs. */
  trust: Trust = "full";
  readonly #exports: WasmExports;
  /** Sixteen bytes of guest memory for out-parameters; part of every image. */
  #scratch: Pointer = 0;
  /** Image of the last restore: memory equals it except in the marked blocks. */
  #base: MemoryImage | undefined;
  #over: ImageDifference | undefined;
  #buffer: ArrayBuffer;
  #bytes: Buffer;
  #view: DataView;

  constructor(exports: WasmExports) {
    this.#exports = exports;
    this.#buffer = exports.memory.buffer;
    this.#bytes = Buffer.from(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }

  /** Needed once per image, after the engine has started: restored instances have it in their memory. */
  reserveScratch(): void {
    this.#scratch = this.#exports.wasm_malloc(16);
  }

  get scratch(): Pointer {
    return this.#scratch;
  }

  /** Real size of the linear memory in bytes, which the process pays for; at least the virtual size. */
  get realBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Highest virtual size since the last restore, in bytes. */
  get virtualBytes(): number {
    return (this.#exports.pages.value as number) * WASM_PAGE;
  }

  setMaxPages(pages: number): void {
    this.#exports.max_pages.value = pages;
  }

  /** Whether the stack pointer has left the stack, which is why the engine stopped. */
  get leftItsStack(): boolean {
    return (this.#exports.__stack_pointer.value as number) < STACK_BOTTOM;
  }

  /** The linear memory in its real size; invalid after the next call into the guest. */
  bytes(): Buffer {
    this.#refresh();
    return this.#bytes;
  }

  /** The memory up to its virtual size; invalid after the next call into the guest. */
  contents(): Uint8Array {
    this.#refresh();
    return new Uint8Array(this.#buffer, 0, Math.min(this.virtualBytes, this.#buffer.byteLength));
  }

  state(): ImageState {
    return {
      stackPointer: this.#exports.__stack_pointer.value as number,
      pages: this.#exports.pages.value as number,
      runtime: this.#exports.qjs_get_runtime_ptr(),
      context: this.#exports.qjs_get_context_ptr(),
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
    const real = this.#exports.memory.buffer.byteLength;
    const used = Math.max(this.virtualBytes, wanted);
    if (real < wanted) this.#exports.memory.grow((wanted - real) / WASM_PAGE);
    this.#refresh();
    if (this.#base !== base) markDifferences(this.#bytes, used / BLOCK, base);
    if (this.#over !== over) {
      markBlocks(this.#bytes, this.#over?.blocks.keys() ?? []);
      markBlocks(this.#bytes, over?.blocks.keys() ?? []);
    }
    if (!putBack(this.#bytes, used / BLOCK, base, over)) return false;
    this.#base = base;
    this.#over = over;
    this.#exports.pages.value = state.pages;
    this.#exports.__stack_pointer.value = state.stackPointer;
    this.#exports.qjs_set_runtime_and_context(state.runtime, state.context);
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

  /** To read numbers that the engine wrote; invalid after the next call into the guest. */
  view(): DataView {
    this.#refresh();
    return this.#view;
  }

  copy(pointer: Pointer, length: number): Uint8Array {
    this.#refresh();
    const copy = new Uint8Array(length);
    copy.set(this.#bytes.subarray(pointer, pointer + length));
    return copy;
  }

  /**
   * The text at `pointer`, whose length in bytes the engine wrote to the scratch. QuickJS writes a lone surrogate as
   * three bytes, which must become one U+FFFD rather than three.
   */
  text(pointer: Pointer): string {
    this.#refresh();
    const end = pointer + this.#view.getUint32(this.#scratch, true);
    const result = this.#bytes.toString("utf8", pointer, end);
    if (!result.includes("\ufffd")) return result;
    const bytes = Buffer.from(this.#bytes.subarray(pointer, end));
    for (let at = 0; at + 2 < bytes.length; at += 1) {
      if (bytes[at] === 0xed && (bytes[at + 1] as number) >= 0xa0) bytes.set([0xef, 0xbf, 0xbd], at);
    }
    return bytes.toString("utf8");
  }

  /**
   * Guest memory with a copy of these bytes, for the caller to free.
   * @throws GuestException when the guest has no memory left
   */
  write(bytes: Uint8Array): Pointer {
    const pointer = this.#allocate(bytes.length);
    this.#bytes.set(bytes, pointer);
    return pointer;
  }

  /** The same with a text as UTF-8, and a zero after it. */
  writeText(text: string): Span {
    const length = Buffer.byteLength(text, "utf8");
    const pointer = this.#allocate(length + 1);
    this.#bytes.write(text, pointer, length, "utf8");
    this.#bytes[pointer + length] = 0;
    return { pointer, length };
  }

  /** The same with a list of pointers. */
  writePointers(values: readonly Pointer[]): Pointer {
    const list = this.#allocate(Math.max(4, values.length * 4));
    values.forEach((value, index) => this.#view.setUint32(list + index * 4, value, true));
    return list;
  }

  /** Guest memory for the host to write to. */
  #allocate(size: number): Pointer {
    const pointer = this.#exports.wasm_malloc(Math.max(1, size));
    if (pointer === 0) throw new GuestException("out of memory", "", true);
    // A working allocator never returns that; host writes must not reach the marks either.
    if (pointer < STACK_BOTTOM) throw new Error("the engine's allocator is damaged");
    this.#refresh();
    markWritten(this.#bytes, pointer, size);
    return pointer;
  }

  /** Memory growth replaces the ArrayBuffer, so views are checked after each entry into the guest. */
  #refresh(): void {
    if (this.#buffer === this.#exports.memory.buffer) return;
    this.#buffer = this.#exports.memory.buffer;
    this.#bytes = Buffer.from(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }
}
