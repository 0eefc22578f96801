// Where QuickJS keeps what a debugger shows: offsets in its structures, for wasm32 with boxed numbers. They were
// computed with a compiler from the header of the same version; the build reads a probe program with them and compares
// every position, name and value with `tools/engine/probe.json`, so that another QuickJS cannot slip through.

/** JSRuntime. */
export const RUNTIME = { atoms: 568, exception: 648, frame: 660 } as const;

/** JSStackFrame. */
export const FRAME = {
  previous: 0,
  /** JSValue of the function. */
  callee: 8,
  arguments: 16,
  variables: 20,
  /** Address after the bytecode that is under way, for all frames but the running one. */
  pc: 28,
  /** 16 bits: arguments that were passed. */
  argumentCount: 34,
} as const;

/** JSObject. */
export const OBJECT = {
  /** 16 bits. */
  class: 10,
  /** Of functions made of bytecode. */
  bytecode: 24,
  /** Array of JSVarRef*. */
  references: 28,
} as const;

/** JSFunctionBytecode. */
export const BYTECODE = {
  code: 12,
  length: 16,
  name: 20,
  variables: 24,
  closure: 28,
  /** 16 bits each. */
  argumentCount: 32,
  variableCount: 34,
  closureCount: 42,
  file: 56,
  line: 60,
  column: 64,
  positionBytes: 72,
  positions: 76,
} as const;

/** JSVarDef: the name is its first field. */
export const VARIABLE_BYTES = 20;
export const VARIABLE_LEVEL = 4;

/** JSClosureVar. */
export const CLOSURE_BYTES = 8;
export const CLOSURE_NAME = 4;

/** JSVarRef: address of the value. */
export const REFERENCE_VALUE = 12;

/** JSString: length and width in the first word, kind in bits 28 and 29 of the second. */
export const STRING_HEADER = 24;
export const STRING_KIND = { slice: 1, indirect: 2 } as const;

/** Classes of functions made of bytecode: plain, generator, asynchronous, asynchronous generator. */
export const PLAIN_FUNCTION = 13;
export const RESUMED_FUNCTIONS: ReadonlySet<number> = new Set([17, 55, 59]);

/** High 32 bits of a JSValue, where it is no float. */
export const TAG = {
  bigint: -9,
  symbol: -8,
  string: -7,
  rope: -6,
  module: -3,
  bytecode: -2,
  object: -1,
  int: 0,
  bool: 1,
  null: 2,
  undefined: 3,
  uninitialized: 4,
  shortBigint: 7,
} as const;

/** Tags from the lowest on; any other high word belongs to a float, which is stored with this added to it. */
export const LOWEST_TAG = -9;
export const TAG_COUNT = 17;
export const FLOAT_OFFSET = 0x7ff8000an << 32n;
