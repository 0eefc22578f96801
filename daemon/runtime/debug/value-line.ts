// A guest's value as one line of text, with the first members of an object.
import {
  classOf,
  elementAt,
  elementCount,
  entriesOf,
  entryCount,
  numberText,
  propertiesOf,
  propertyNamed,
  typedArrayName,
  typedElement,
} from "./heap-objects.ts";
import type { HeapReader } from "./heap-reader.ts";
import { BUFFER, CLASS, OBJECT, PROMISE, PROXY } from "./layout.ts";
import {
  addressIn,
  className,
  cut,
  errorText,
  functionText,
  isFunction,
  MAX_NAME,
  MAX_TEXT,
  PROMISE_STATES,
  regExpText,
} from "./value-text.ts";

/** Characters shown of a text inside a line with others. */
const MAX_INNER_TEXT = 40;
/** Members named in the line of an object. */
const MAX_INNER = 5;

/** @param depth 0 for the value itself, more for members: their lines are shorter */
export function lineOf(heap: HeapReader, bits: bigint, depth: number): string {
  const found = heap.value(bits);
  switch (found.kind) {
    case "number":
      return numberText(found.value);
    case "string": {
      const address = addressIn(bits);
      const most = depth === 0 ? MAX_TEXT : MAX_INNER_TEXT;
      return quote(heap.text(address, most), heap.textLength(address), depth);
    }
    case "rope": {
      const rope = heap.rope(found.address, depth === 0 ? MAX_TEXT : MAX_INNER_TEXT);
      return quote(rope.text, rope.length, depth);
    }
    case "boolean":
      return String(found.value);
    case "bigint":
      return `${found.value}n`;
    case "large":
      return cut(`${heap.bigint(found.address)}n`, depth === 0 ? MAX_TEXT : MAX_INNER_TEXT);
    case "symbol":
      return `Symbol(${cut(heap.text(found.address, MAX_NAME), MAX_INNER_TEXT)})`;
    case "null":
    case "undefined":
      return found.kind;
    case "uninitialized":
      return "(not initialized)";
    case "other":
      return "(internal)";
    case "object":
      return objectLine(heap, found.address, depth);
  }
}

function quote(shown: string, length: number, depth: number): string {
  if (shown.length >= length) return JSON.stringify(shown);
  const beginning = `${JSON.stringify(shown).slice(0, -1)}…"`;
  return depth === 0 ? `${beginning} (${length} characters)` : beginning;
}

function objectLine(heap: HeapReader, object: number, depth: number): string {
  const class_ = classOf(heap, object);
  const typed = typedArrayName(class_);
  if (typed !== undefined) {
    const count = heap.word(object + OBJECT.elementCount);
    const head = `${typed}(${count})`;
    return depth > 0 ? head : `${head} ${listLine(count, (i) => typedElement(heap, object, i))}`;
  }
  switch (class_) {
    case CLASS.array:
    case CLASS.arguments: {
      const count = arrayLength(heap, object);
      if (depth > 0) return `Array(${count})`;
      const at = (i: number): string => lineOf(heap, elementAt(heap, object, i), 1);
      const isFast = elementCount(heap, object) === count;
      return `(${count}) ${isFast ? listLine(count, at) : membersLine(heap, object, "[", "]")}`;
    }
    case CLASS.map:
    case CLASS.set: {
      const count = entryCount(heap, object);
      const head = `${className(heap, object)}(${count})`;
      return depth > 0 ? head : `${head} ${entriesLine(heap, object, count)}`;
    }
    case CLASS.date: {
      const time = heap.value(heap.bits(object + OBJECT.content));
      const date = new Date(time.kind === "number" ? time.value : NaN);
      return Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString();
    }
    case CLASS.regExp:
      return cut(regExpText(heap, object), MAX_NAME);
    case CLASS.error:
      return cut(errorText(heap, object), depth === 0 ? MAX_TEXT : MAX_INNER_TEXT);
    case CLASS.proxy: {
      const proxy = heap.word(object + OBJECT.content);
      if (heap.byte(proxy + PROXY.isRevoked) !== 0) return "Proxy (revoked)";
      return depth > 0 ? "Proxy" : `Proxy of ${lineOf(heap, heap.bits(proxy + PROXY.target), 1)}`;
    }
    case CLASS.promise: {
      const promise = heap.word(object + OBJECT.content);
      const state = PROMISE_STATES[heap.word(promise + PROMISE.state)];
      if (state === "pending" || state === undefined) return "Promise {pending}";
      const result = depth > 0 ? "" : lineOf(heap, heap.bits(promise + PROMISE.result), 1);
      return `Promise {${state}${result && `: ${result}`}}`;
    }
    case CLASS.number:
    case CLASS.string:
    case CLASS.boolean:
    case CLASS.symbol:
    case CLASS.bigint:
      return `[${className(heap, object)}: ${lineOf(heap, heap.bits(object + OBJECT.content), 1)}]`;
    case CLASS.arrayBuffer:
      return `ArrayBuffer(${heap.word(heap.word(object + OBJECT.content) + BUFFER.length)})`;
    case CLASS.generator:
      return "Generator";
    case CLASS.weakMap:
    case CLASS.weakSet:
    case CLASS.dataView:
      return className(heap, object);
  }
  if (isFunction(class_)) return `ƒ ${functionText(heap, object) || "(anonymous)"}`;
  const name = className(heap, object);
  const head = name === "Object" ? "" : name;
  if (depth > 0) return head || "{…}";
  return `${head}${head && " "}${membersLine(heap, partsOf(heap, object) ?? object, "{", "}")}`;
}

/** Requests and responses keep what people look for in one private field. */
function partsOf(heap: HeapReader, object: number): number | undefined {
  const [only, further] = propertiesOf(heap, object);
  if (only?.name !== "#parts" || only.bits === undefined || further !== undefined) return undefined;
  const parts = heap.value(only.bits);
  return parts.kind === "object" ? parts.address : undefined;
}

function listLine(count: number, at: (index: number) => string): string {
  const shown = Array.from({ length: Math.min(count, MAX_INNER) }, (_, i) => at(i));
  return `[${shown.join(", ")}${count > MAX_INNER ? ", …" : ""}]`;
}

function entriesLine(heap: HeapReader, object: number, count: number): string {
  const isMap = classOf(heap, object) === CLASS.map;
  const shown: string[] = [];
  for (const { key, value: of } of entriesOf(heap, object)) {
    if (shown.length === MAX_INNER) break;
    shown.push(isMap ? `${lineOf(heap, key, 1)} => ${lineOf(heap, of, 1)}` : lineOf(heap, key, 1));
  }
  return `{${shown.join(", ")}${count > MAX_INNER ? ", …" : ""}}`;
}

function membersLine(heap: HeapReader, object: number, open: string, close: string): string {
  const shown: string[] = [];
  let isMore = false;
  for (const { name, kind, bits } of propertiesOf(heap, object)) {
    if (name === "length" && open === "[") continue;
    if (shown.length === MAX_INNER) {
      isMore = true;
      break;
    }
    const label = kind === "symbol" ? `[${name}]` : cut(name, MAX_INNER_TEXT);
    shown.push(`${label}: ${bits === undefined ? "(getter)" : lineOf(heap, bits, 1)}`);
  }
  return `${open}${shown.join(", ")}${isMore ? ", …" : ""}${close}`;
}

function arrayLength(heap: HeapReader, object: number): number {
  const bits = propertyNamed(heap, object, "length")?.bits;
  const length = bits === undefined ? undefined : heap.value(bits);
  return length?.kind === "number" ? length.value : elementCount(heap, object);
}
