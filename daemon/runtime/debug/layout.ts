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
  flags: 8,
  /** 16 bits. */
  class: 10,
  shape: 12,
  properties: 16,
  /** What its class keeps: a pointer, a JSValue, or for arrays a capacity, the elements and their count. */
  content: 24,
  elements: 28,
  elementCount: 32,
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
  constantCount: 44,
  constants: 52,
  file: 56,
  line: 60,
  column: 64,
  positionBytes: 72,
  positions: 76,
} as const;

/** Bit of `OBJECT.flags`: the elements are in one piece. */
export const FAST_ARRAY = 1 << 4;

/** JSShape: names and kinds of properties; a hash table lies between it and their list. */
export const SHAPE = { hashMask: 16, propertyCount: 24, prototype: 36, hashTable: 40 } as const;

/** JSShapeProperty: flags are the highest 6 bits of the first word. */
export const SHAPE_PROPERTY_BYTES = 8;
export const SHAPE_PROPERTY_ATOM = 4;
export const PROPERTY_FLAGS_SHIFT = 26;

/** JSProperty: a value, or two functions, or a JSVarRef*. */
export const PROPERTY_BYTES = 8;
export const PROPERTY_KIND = { mask: 3 << 4, normal: 0, accessor: 1 << 4, reference: 2 << 4 } as const;

/** JSMapState, and JSMapRecord from its link on. */
export const MAP = { next: 8, first: 4, count: 12, isEmpty: -8, linkNext: 4, key: 20, value: 28 } as const;

/** JSProxyData, JSPromiseData, JSBoundFunction, JSArrayBuffer, JSStringRope, JSBigInt. */
export const PROXY = { target: 0, isRevoked: 17 } as const;
export const PROMISE = { state: 0, result: 24 } as const;
export const BUFFER = { length: 0, bytes: 12 } as const;
export const ROPE = { length: 0, left: 8, right: 16 } as const;
export const BIGINT = { length: 0, limbs: 4 } as const;

/** Classes of objects that are shown in their own way. */
export const CLASS = {
  array: 2,
  error: 3,
  number: 4,
  string: 5,
  boolean: 6,
  symbol: 7,
  arguments: 8,
  date: 10,
  nativeFunction: 12,
  boundFunction: 14,
  nativeClosure: 15,
  hostClosure: 16,
  regExp: 19,
  arrayBuffer: 20,
  /** The first typed array, `Uint8ClampedArray`; the others follow in the order of `TYPED_ARRAYS`. */
  typedArray: 22,
  dataView: 34,
  bigint: 35,
  map: 36,
  set: 37,
  weakMap: 38,
  weakSet: 39,
  generator: 49,
  proxy: 51,
  promise: 52,
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
/** Bits 30 and 31 of the second word of an atom; the lower 28 tell a private name from a symbol. */
export const ATOM_TYPE = { string: 1, symbol: 3 } as const;

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
