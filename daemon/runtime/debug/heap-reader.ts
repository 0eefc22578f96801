// Reads functions, frames, variables and values straight from an instance's memory. It calls nothing in the guest, so
// nothing changes by looking. Addresses are checked against the memory: a guest cannot make the reader fail otherwise.
import type { Vm } from "../engine/vm.ts";
import {
  ATOM_TYPE,
  BIGINT,
  BYTECODE,
  CLOSURE_BYTES,
  CLOSURE_NAME,
  FLOAT_OFFSET,
  FRAME,
  LOWEST_TAG,
  OBJECT,
  PLAIN_FUNCTION,
  REFERENCE_VALUE,
  RESUMED_FUNCTIONS,
  ROPE,
  RUNTIME,
  STRING_HEADER,
  STRING_KIND,
  TAG,
  TAG_COUNT,
  VARIABLE_BYTES,
  VARIABLE_LEVEL,
} from "./layout.ts";
import { decodePositions, type Position } from "./positions.ts";

/** What is known of a function from its bytecode. */
export interface FunctionFacts {
  /** Address of its JSFunctionBytecode. */
  readonly address: number;
  /** Address of its first bytecode. */
  readonly code: number;
  readonly length: number;
  /** Empty for functions without a name, and for methods. */
  readonly name: string;
  /** Name of its module, `jstz://<address>`; of the runtime's own functions another. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly positions: readonly Position[];
  /** Address of their table. */
  readonly positionsAt: number;
}

export interface Frame {
  /** Address of its JSStackFrame, which stays the same over all awaits of a function. */
  readonly address: number;
  /** Address of the function object. */
  readonly callee: number;
  readonly fn: FunctionFacts;
  /** Whether the function can be suspended and resumed. */
  readonly isResumed: boolean;
}

export interface Variable {
  readonly name: string;
  readonly scope: "local" | "closure";
  /** Depth of its block; of two with one name the deeper is meant. */
  readonly level: number;
  readonly bits: bigint;
}

export type Value =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "bigint"; readonly value: bigint }
  | { readonly kind: "null" | "undefined" | "uninitialized" }
  /** Only the guest can tell what it is. */
  | { readonly kind: "object" | "symbol" | "rope" | "large" | "other"; readonly address: number };

/** Limit of the characters read of a text. */
const MAX_TEXT = 1024 * 1024;
/** Pieces of a text that wait to be read; the engine keeps its trees flatter. */
const MAX_ROPE = 10_000;
/** 32 bits each: larger integers are shown by their lowest bits. */
const MAX_LIMBS = 4_096;
/** No function has more variables; more means that the memory is not what it seems. */
const MAX_VARIABLES = 65_536;
const MAX_POSITION_BYTES = 64 * 1024 * 1024;

export class HeapReader {
  readonly #vm: Vm;
  #buffer: ArrayBuffer;
  #view: DataView;
  /** The memory as words; detached, so without elements, after it has grown. */
  words: Uint32Array;
  /** Address of the JSRuntime: the same in every image. */
  readonly #runtime: number;

  constructor(vm: Vm) {
    this.#vm = vm;
    this.#runtime = vm.exports.qjs_get_runtime_ptr();
    this.#buffer = vm.exports.memory.buffer;
    this.#view = new DataView(this.#buffer);
    this.words = new Uint32Array(this.#buffer);
  }

  /** Must precede readings after the guest has run: a memory that grew is another one. */
  refresh(): void {
    const { buffer } = this.#vm.exports.memory;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#view = new DataView(buffer);
    this.words = new Uint32Array(buffer);
  }

  word(address: number): number {
    return this.#view.getUint32(address, true);
  }

  short(address: number): number {
    return this.#view.getUint16(address, true);
  }

  byte(address: number): number {
    return this.#view.getUint8(address);
  }

  /** A view of the memory; invalid once the guest has run. */
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#buffer, address, length);
  }

  bits(address: number): bigint {
    return this.#view.getBigUint64(address, true);
  }

  /** Address of the word that holds the address of the running frame. */
  get runningFrameAt(): number {
    return this.#runtime + RUNTIME.frame;
  }

  /** Whether the function of a frame is made of bytecode; otherwise it is native. */
  isBytecodeFrame(address: number): boolean {
    if (this.word(address + FRAME.callee + 4) !== TAG.object >>> 0) return false;
    const class_ = this.short(this.word(address + FRAME.callee) + OBJECT.class);
    return class_ === PLAIN_FUNCTION || RESUMED_FUNCTIONS.has(class_);
  }

  /** A frame of a function made of bytecode; undefined for a native one. */
  frame(address: number): Frame | undefined {
    if (!this.isBytecodeFrame(address)) return undefined;
    const callee = this.word(address + FRAME.callee);
    const isResumed = this.short(callee + OBJECT.class) !== PLAIN_FUNCTION;
    return { address, callee, fn: this.functionAt(this.word(callee + OBJECT.bytecode)), isResumed };
  }

  /** Address of the calling frame; 0 at the end of the stack. */
  callerOf(address: number): number {
    return this.word(address + FRAME.previous);
  }

  /** The bytecode under way in a frame that is not the running one. */
  pcOf(address: number): number {
    return this.word(address + FRAME.pc) - 1;
  }

  functionAt(address: number): FunctionFacts {
    const line = this.word(address + BYTECODE.line);
    const column = this.word(address + BYTECODE.column);
    const file = this.word(address + BYTECODE.file);
    return {
      address,
      code: this.word(address + BYTECODE.code),
      length: this.word(address + BYTECODE.length),
      name: this.atom(this.word(address + BYTECODE.name)),
      file: file === 0 ? "" : this.atom(file),
      line,
      column,
      positions: decodePositions(this.#positionBytes(address), line, column),
      positionsAt: this.word(address + BYTECODE.positions),
    };
  }

  #positionBytes(address: number): Uint8Array {
    const at = this.word(address + BYTECODE.positions);
    const length = at === 0 ? 0 : this.word(address + BYTECODE.positionBytes);
    if (length > MAX_POSITION_BYTES) throw new RangeError("a table of positions is too long");
    return new Uint8Array(this.#buffer, at, length);
  }

  /** Addresses of the bytecode of the functions inside a function. */
  innerFunctions(address: number): number[] {
    const count = Math.min(this.word(address + BYTECODE.constantCount), MAX_VARIABLES);
    const constants = this.word(address + BYTECODE.constants);
    const found: number[] = [];
    for (let i = 0; i < count; i++)
      if (this.word(constants + 8 * i + 4) === TAG.bytecode >>> 0) found.push(this.word(constants + 8 * i));
    return found;
  }

  /** Arguments, variables and captured variables of a frame, with their values. */
  variables({ address, callee, fn }: Frame): Variable[] {
    const found: Variable[] = [];
    const argumentCount = this.short(fn.address + BYTECODE.argumentCount);
    const count = argumentCount + this.short(fn.address + BYTECODE.variableCount);
    const passed = this.short(address + FRAME.argumentCount);
    const names = this.word(fn.address + BYTECODE.variables);
    for (let i = 0; names !== 0 && i < Math.min(count, MAX_VARIABLES); i++) {
      if (i < argumentCount && i >= passed) continue;
      const definition = names + i * VARIABLE_BYTES;
      const at =
        i < argumentCount
          ? this.word(address + FRAME.arguments) + 8 * i
          : this.word(address + FRAME.variables) + 8 * (i - argumentCount);
      found.push({
        name: this.atom(this.word(definition)),
        scope: "local",
        level: this.word(definition + VARIABLE_LEVEL),
        bits: this.bits(at),
      });
    }
    const references = this.word(callee + OBJECT.references);
    const captured = this.word(fn.address + BYTECODE.closure);
    const closureCount = this.short(fn.address + BYTECODE.closureCount);
    for (let i = 0; references !== 0 && captured !== 0 && i < closureCount; i++) {
      const reference = this.word(references + 4 * i);
      if (reference === 0) continue;
      found.push({
        name: this.atom(this.word(captured + i * CLOSURE_BYTES + CLOSURE_NAME)),
        scope: "closure",
        level: 0,
        bits: this.bits(this.word(reference + REFERENCE_VALUE)),
      });
    }
    return found;
  }

  atom(atom: number): string {
    if (atom >>> 31 === 1) return String(atom & 0x7fffffff);
    const atoms = this.word(this.#runtime + RUNTIME.atoms);
    const at = this.word(atoms + 4 * atom);
    return (at & 1) === 1 ? "" : this.text(at); // an odd one is free
  }

  /** An atom as a name of a property: the text of symbols and private names says what they are. */
  propertyName(atom: number): { readonly text: string; readonly kind: "name" | "symbol" | "private" } {
    const text = this.atom(atom);
    if (atom >>> 31 === 1) return { text, kind: "name" };
    const second = this.word(this.word(this.word(this.#runtime + RUNTIME.atoms) + 4 * atom) + 4);
    const type = second >>> 30;
    if (type === ATOM_TYPE.string) return { text, kind: "name" };
    const isPrivate = type === ATOM_TYPE.symbol && (second & 0x0fffffff) !== 0;
    return isPrivate ? { text, kind: "private" } : { text: `Symbol(${text})`, kind: "symbol" };
  }

  /** Characters of a JSString. */
  textLength(address: number): number {
    return this.word(address) & 0x7fffffff;
  }

  /** The beginning of a text that the engine keeps as a tree of pieces, and its whole length. */
  rope(address: number, most: number): { readonly text: string; readonly length: number } {
    const waiting = [this.bits(address + ROPE.right), this.bits(address + ROPE.left)];
    let text = "";
    while (waiting.length > 0 && waiting.length < MAX_ROPE && text.length < most) {
      const bits = waiting.pop()!;
      const at = Number(BigInt.asUintN(32, bits));
      const tag = Number(BigInt.asIntN(32, bits >> 32n));
      if (tag === TAG.rope) waiting.push(this.bits(at + ROPE.right), this.bits(at + ROPE.left));
      else if (tag === TAG.string) text += this.text(at, most - text.length);
    }
    return { text, length: this.word(address + ROPE.length) };
  }

  /** A large integer: 32 bits each, the lowest first, in two's complement. */
  bigint(address: number): bigint {
    const length = Math.min(this.word(address + BIGINT.length), MAX_LIMBS);
    let hex = "0x";
    for (let i = length - 1; i >= 0; i--)
      hex += this.word(address + BIGINT.limbs + 4 * i)
        .toString(16)
        .padStart(8, "0");
    return length === 0 ? 0n : BigInt.asIntN(32 * length, BigInt(hex));
  }

  /** Text of a JSString, or its beginning. */
  text(address: number, most = MAX_TEXT): string {
    const head = this.word(address);
    const length = Math.min(head & 0x7fffffff, most);
    const isWide = head >>> 31 === 1;
    const kind = (this.word(address + 4) >>> 28) & 3;
    const own = address + STRING_HEADER;
    if (kind === STRING_KIND.indirect) return this.#characters(this.word(own), length, isWide);
    if (kind !== STRING_KIND.slice) return this.#characters(own, length, isWide);
    return this.#characters(this.word(own) + STRING_HEADER + this.word(own + 4), length, isWide);
  }

  #characters(at: number, length: number, isWide: boolean): string {
    return Buffer.from(this.#buffer, at, isWide ? 2 * length : length).toString(
      isWide ? "utf16le" : "latin1",
    );
  }

  value(bits: bigint): Value {
    const tag = Number(BigInt.asIntN(32, bits >> 32n));
    const low = Number(BigInt.asUintN(32, bits));
    if (tag < LOWEST_TAG || tag >= LOWEST_TAG + TAG_COUNT) {
      const float = new DataView(new ArrayBuffer(8));
      float.setBigUint64(0, BigInt.asUintN(64, bits + FLOAT_OFFSET));
      return { kind: "number", value: float.getFloat64(0) };
    }
    switch (tag) {
      case TAG.int:
        return { kind: "number", value: low | 0 };
      case TAG.bool:
        return { kind: "boolean", value: low !== 0 };
      case TAG.null:
        return { kind: "null" };
      case TAG.undefined:
        return { kind: "undefined" };
      case TAG.uninitialized:
        return { kind: "uninitialized" };
      case TAG.string:
        return { kind: "string", value: this.text(low) };
      case TAG.shortBigint:
        return { kind: "bigint", value: BigInt(low | 0) };
      case TAG.object:
        return { kind: "object", address: low };
      case TAG.symbol:
        return { kind: "symbol", address: low };
      case TAG.rope:
        return { kind: "rope", address: low };
      case TAG.bigint:
        return { kind: "large", address: low };
      default:
        return { kind: "other", address: low };
    }
  }
}
