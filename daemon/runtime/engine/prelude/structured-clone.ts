// structuredClone, and the serialisation behind MessagePort: values are copied at once; cycles and shared references
// survive.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { type Blob, blobBytes, blobOf, File, isBlob } from "./blob.ts";
import { dictionary, required } from "./webidl.ts";

type Memory = Map<object, unknown>;

const ERRORS: Record<string, new (message?: string) => Error> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

const refuse = (what: string): never => {
  throw new DOMException(`${what} could not be cloned`, "DataCloneError");
};

const bufferCopy = (buffer: ArrayBuffer, memory: Memory): ArrayBuffer => {
  const known = memory.get(buffer) as ArrayBuffer | undefined;
  if (known !== undefined) return known;
  if ((buffer as { detached?: boolean }).detached === true) refuse("A detached ArrayBuffer");
  const resizable = buffer as ArrayBuffer & { resizable?: boolean; maxByteLength?: number };
  let copy: ArrayBuffer;
  if (resizable.resizable === true) {
    copy = new (ArrayBuffer as new (length: number, options: object) => ArrayBuffer)(buffer.byteLength, {
      maxByteLength: resizable.maxByteLength,
    });
    new Uint8Array(copy).set(new Uint8Array(buffer));
  } else copy = buffer.slice(0);
  memory.set(buffer, copy);
  return copy;
};

function cloneError(error: Error, memory: Memory): Error {
  if (error instanceof DOMException) {
    const made = new DOMException(error.message, error.name);
    memory.set(error, made);
    return made;
  }
  const name = typeof error.name === "string" && Object.hasOwn(ERRORS, error.name) ? error.name : "Error";
  const made = Object.create((ERRORS[name] as ErrorConstructor).prototype) as Error;
  const shell = new (ERRORS[name] as ErrorConstructor)();
  const target = Object.setPrototypeOf(shell, Object.getPrototypeOf(made) as object) as Error;
  memory.set(error, target);
  const message = Object.getOwnPropertyDescriptor(error, "message");
  const define = (key: string, value: unknown): unknown =>
    Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: false });
  if (message !== undefined && "value" in message) define("message", `${message.value as string}`);
  if (Object.hasOwn(error, "cause")) define("cause", clone(error.cause, memory));
  define("stack", typeof error.stack === "string" ? error.stack : "");
  return target;
}

function clone(value: unknown, memory: Memory): unknown {
  if (typeof value === "symbol") refuse("A symbol");
  if (typeof value === "function") refuse("A function");
  if (typeof value !== "object" || value === null) return value;
  const known = memory.get(value);
  if (known !== undefined) return known;
  const keep = <T extends object>(copy: T): T => {
    memory.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(Date.prototype.getTime.call(value)));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  for (const Boxed of [Boolean, Number, String, BigInt] as const) {
    if (value instanceof Boxed) return keep(Object((value as { valueOf(): unknown }).valueOf()) as object);
  }
  if (value instanceof Symbol) refuse("A symbol object");
  if (value instanceof ArrayBuffer) return bufferCopy(value, memory);
  if (ArrayBuffer.isView(value)) {
    const buffer = bufferCopy(value.buffer as ArrayBuffer, memory);
    const tracking = (value.buffer as { resizable?: boolean }).resizable === true;
    if (value instanceof DataView) return keep(new DataView(buffer, value.byteOffset, value.byteLength));
    const Typed = (
      globalThis as unknown as Record<string, new (b: ArrayBuffer, o: number, l?: number) => object>
    )[(value as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag]] as new (
      b: ArrayBuffer,
      o: number,
      l?: number,
    ) => object;
    void tracking;
    return keep(new Typed(buffer, value.byteOffset, (value as Uint8Array).length));
  }
  if (value instanceof Map) {
    const copy = keep(new Map<unknown, unknown>());
    for (const [k, v] of [...value]) copy.set(clone(k, memory), clone(v, memory));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set<unknown>());
    for (const item of [...value]) copy.add(clone(item, memory));
    return copy;
  }
  if (value instanceof Error) return cloneError(value, memory);
  if (value instanceof File)
    return keep(new File([value], value.name, { type: value.type, lastModified: value.lastModified }));
  if (isBlob(value)) return keep(blobOf(blobBytes(value), (value as Blob).type));
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) refuse("The object");
  const platform = Object.prototype.toString.call(value).slice(8, -1);
  if (!["Object", "Array", "Arguments"].includes(platform) && isInterface(value))
    refuse(`${platform} object`);
  const copy = keep(Array.isArray(value) ? (new Array(value.length) as object) : {}) as Record<
    string,
    unknown
  >;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(value, key)) copy[key] = clone((value as Record<string, unknown>)[key], memory);
  }
  return copy;
}

/** Objects of the platform's classes carry a toStringTag of their class. */
function isInterface(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  const constructor = (prototype as { constructor?: { name?: string } } | null)?.constructor;
  const name = constructor?.name;
  return (
    name !== undefined &&
    (globalThis as unknown as Record<string, unknown>)[name] === constructor &&
    typeof (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "string"
  );
}

/** Copies `value`; buffers in `transfer` are moved instead, other transferables through `moves`. */
export function serialize(
  value: unknown,
  transfer: readonly unknown[],
  moves: (item: object) => object | undefined = () => undefined,
): unknown {
  const memory: Memory = new Map();
  const seen = new Set<unknown>();
  const buffers: ArrayBuffer[] = [];
  for (const item of transfer) {
    if (seen.has(item)) refuse("A value that is transferred twice");
    seen.add(item);
    if (item instanceof ArrayBuffer) {
      if ((item as { detached?: boolean }).detached === true) refuse("A detached ArrayBuffer");
      buffers.push(item);
      continue;
    }
    const moved = typeof item === "object" && item !== null ? moves(item) : undefined;
    if (moved === undefined) refuse("A value that cannot be transferred");
    memory.set(item as object, moved);
  }
  // Two passes, so that a failing clone leaves the buffers attached.
  for (const buffer of buffers) bufferCopy(buffer, memory);
  const copy = clone(value, memory);
  for (const buffer of buffers) (buffer as ArrayBuffer & { transfer(): ArrayBuffer }).transfer();
  return copy;
}

export function structuredClone(value: unknown, options: unknown = undefined): unknown {
  required(arguments, 1, "structuredClone");
  const transfer = dictionary(options, "structuredClone options")["transfer"];
  return serialize(value, transfer === undefined ? [] : [...(transfer as Iterable<unknown>)]);
}
Object.defineProperty(structuredClone, "length", { value: 1, configurable: true });
