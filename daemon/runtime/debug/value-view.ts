// What a debugger shows of a guest's value: one line of text, and its children page by page. Read from memory only:
// getters are named, not run; the traps of a proxy are not touched.
import {
  classOf,
  elementAt,
  elementCount,
  entriesOf,
  entryCount,
  numberText,
  type Property,
  propertiesOf,
  propertyNamed,
  prototypeOf,
  typedArrayName,
  typedElement,
} from "./heap-objects.ts";
import type { HeapReader } from "./heap-reader.ts";
import { BUFFER, CLASS, OBJECT, PLAIN_FUNCTION, PROMISE, PROXY, RESUMED_FUNCTIONS, TAG } from "./layout.ts";

/** Characters shown of a text, and of one inside a line with others. */
const MAX_TEXT = 1_000;
const MAX_INNER_TEXT = 40;
/** Members named in the line of an object. */
const MAX_INNER = 5;
/** Characters of a name. */
const MAX_NAME = 200;
/** Prototypes whose getters are shown. */
const MAX_CHAIN = 20;

/** Something that can be shown: a value, or an entry of a Map. */
export type Shown =
  | { readonly kind: "value"; readonly bits: bigint }
  | { readonly kind: "entry"; readonly key: bigint; readonly value: bigint }
  /** Has no children. */
  | { readonly kind: "text"; readonly text: string; readonly type: string };

export interface View {
  readonly text: string;
  readonly type: string;
  /** Children with numbers, which can be many, and the others. */
  readonly indexed: number;
  readonly named: number;
}

export interface Child {
  readonly name: string;
  /** Undefined for a getter, which would have to run. */
  readonly shown: Shown | undefined;
  /** What follows the expression of the parent; undefined when no expression leads there. */
  readonly access: string | undefined;
  readonly isInternal: boolean;
}

const value = (bits: bigint): Shown => ({ kind: "value", bits });
const text = (shown: string, type: string): Shown => ({ kind: "text", text: shown, type });

export function viewOf(heap: HeapReader, shown: Shown): View {
  switch (shown.kind) {
    case "text":
      return { text: shown.text, type: shown.type, indexed: 0, named: 0 };
    case "entry":
      return {
        text: `{${lineOf(heap, shown.key, 1)} => ${lineOf(heap, shown.value, 1)}}`,
        type: "entry",
        indexed: 0,
        named: 2,
      };
    case "value": {
      const { bits } = shown;
      const line = lineOf(heap, bits, 0);
      const object = objectOf(bits);
      const type = typeOf(heap, bits);
      if (object === undefined) return { text: line, type, indexed: 0, named: 0 };
      return { text: line, type, indexed: indexedCount(heap, object), named: namedCount(heap, object) };
    }
  }
}

/** @param most of the children, from `start` on */
export function childrenOf(
  heap: HeapReader,
  shown: Shown,
  kind: "indexed" | "named",
  start: number,
  most: number,
): Child[] {
  if (shown.kind === "text") return [];
  if (shown.kind === "entry") {
    const both: Child[] = [
      { name: "key", shown: value(shown.key), access: undefined, isInternal: false },
      { name: "value", shown: value(shown.value), access: undefined, isInternal: false },
    ];
    return kind === "named" ? both.slice(start, start + most) : [];
  }
  const object = objectOf(shown.bits);
  if (object === undefined) return [];
  const all = kind === "indexed" ? indexedOf(heap, object, start, most) : namedOf(heap, object);
  const skipped = kind === "indexed" ? 0 : start;
  const found: Child[] = [];
  let i = 0;
  for (const child of all) {
    if (i++ < skipped) continue;
    if (found.length >= most) break;
    found.push(child);
  }
  return found;
}

/** A whole text, or its beginning. */
export function textOf(heap: HeapReader, bits: bigint, most: number): string | undefined {
  const found = heap.value(bits);
  if (found.kind === "rope") return heap.rope(found.address, most).text;
  return found.kind === "string" ? heap.text(addressIn(bits), most) : undefined;
}

const addressIn = (bits: bigint): number => Number(BigInt.asUintN(32, bits));

/** Address of an object, or undefined. */
export const objectOf = (bits: bigint): number | undefined =>
  Number(BigInt.asIntN(32, bits >> 32n)) === TAG.object ? addressIn(bits) : undefined;

function typeOf(heap: HeapReader, bits: bigint): string {
  const { kind } = heap.value(bits);
  switch (kind) {
    case "rope":
      return "string";
    case "large":
      return "bigint";
    case "null":
    case "uninitialized":
    case "other":
      return kind === "null" ? "null" : "unknown";
    case "object":
      return className(heap, addressIn(bits));
    default:
      return kind;
  }
}

/** One line for a value; the deeper, the shorter. */
function lineOf(heap: HeapReader, bits: bigint, depth: number): string {
  const found = heap.value(bits);
  switch (found.kind) {
    case "number":
      return numberText(found.value);
    case "string": {
      const address = addressIn(bits);
      const most = depth === 0 ? MAX_TEXT : MAX_INNER_TEXT;
      return quoted(heap.text(address, most), heap.textLength(address), depth);
    }
    case "rope": {
      const rope = heap.rope(found.address, depth === 0 ? MAX_TEXT : MAX_INNER_TEXT);
      return quoted(rope.text, rope.length, depth);
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

const cut = (whole: string, most: number): string =>
  whole.length > most ? `${whole.slice(0, most)}…` : whole;

function quoted(shown: string, length: number, depth: number): string {
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
  return `${head}${head && " "}${membersLine(heap, object, "{", "}")}`;
}

const PROMISE_STATES = ["pending", "fulfilled", "rejected"];

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

function isFunction(class_: number): boolean {
  return (
    class_ === PLAIN_FUNCTION ||
    RESUMED_FUNCTIONS.has(class_) ||
    class_ === CLASS.nativeFunction ||
    class_ === CLASS.boundFunction ||
    class_ === CLASS.nativeClosure ||
    class_ === CLASS.hostClosure
  );
}

/** The name of a function object: its own property. */
function functionText(heap: HeapReader, object: number): string {
  const bits = propertyNamed(heap, object, "name")?.bits;
  return bits === undefined ? "" : (textOf(heap, bits, MAX_NAME) ?? "");
}

/** The name of the constructor that the prototype names. */
function className(heap: HeapReader, object: number): string {
  const class_ = classOf(heap, object);
  const typed = typedArrayName(class_);
  if (typed !== undefined) return typed;
  if (isFunction(class_)) return "Function";
  if (class_ === CLASS.proxy) return "Proxy";
  let at = prototypeOf(heap, object);
  for (let i = 0; at !== 0 && i < MAX_CHAIN; i++, at = prototypeOf(heap, at)) {
    const bits = propertyNamed(heap, at, "constructor")?.bits;
    const constructor = bits === undefined ? undefined : objectOf(bits);
    const name = constructor === undefined ? "" : functionText(heap, constructor);
    if (name !== "") return name;
  }
  return "Object";
}

function arrayLength(heap: HeapReader, object: number): number {
  const bits = propertyNamed(heap, object, "length")?.bits;
  const length = bits === undefined ? undefined : heap.value(bits);
  return length?.kind === "number" ? length.value : elementCount(heap, object);
}

/** In the order of the bits that the engine sets. */
const FLAGS = "gimsuyd";
const UNICODE_SETS = 1 << 8;

function regExpText(heap: HeapReader, object: number): string {
  const pattern = heap.text(heap.word(object + OBJECT.content), MAX_NAME);
  const compiled = heap.text(heap.word(object + OBJECT.content + 4), 2);
  const bits = compiled.charCodeAt(0) | (compiled.charCodeAt(1) << 8);
  const flags = [...FLAGS].filter((_, i) => (bits & (1 << i)) !== 0).join("");
  const all = (bits & UNICODE_SETS) === 0 ? flags : `${flags}v`;
  return `/${pattern}/${[...all].sort().join("")}`;
}

/** Own or inherited data, as the text of an error takes it. */
function inheritedText(heap: HeapReader, object: number, name: string): string | undefined {
  let at = object;
  for (let i = 0; at !== 0 && i < MAX_CHAIN; i++, at = prototypeOf(heap, at)) {
    const bits = propertyNamed(heap, at, name)?.bits;
    if (bits !== undefined) return textOf(heap, bits, MAX_TEXT);
  }
  return undefined;
}

/** `Name: message` of an error. */
function errorText(heap: HeapReader, object: number): string {
  const name = inheritedText(heap, object, "name") ?? "Error";
  const message = inheritedText(heap, object, "message") ?? "";
  return message === "" ? name : `${name}: ${message}`;
}

function indexedCount(heap: HeapReader, object: number): number {
  const class_ = classOf(heap, object);
  if (typedArrayName(class_) !== undefined) return heap.word(object + OBJECT.elementCount);
  if (class_ === CLASS.arrayBuffer) return heap.word(heap.word(object + OBJECT.content) + BUFFER.length);
  if (class_ === CLASS.map || class_ === CLASS.set) return entryCount(heap, object);
  return elementCount(heap, object);
}

function* indexedOf(heap: HeapReader, object: number, start: number, most: number): Generator<Child> {
  const class_ = classOf(heap, object);
  const end = Math.min(start + most, indexedCount(heap, object));
  const named = (i: number, shown: Shown, access?: string): Child => ({
    name: String(i),
    shown,
    access,
    isInternal: false,
  });
  if (class_ === CLASS.map || class_ === CLASS.set) {
    let i = 0;
    for (const { key, value: of } of entriesOf(heap, object)) {
      if (i >= end) return;
      if (i >= start) yield named(i, class_ === CLASS.map ? { kind: "entry", key, value: of } : value(key));
      i++;
    }
  } else if (class_ === CLASS.arrayBuffer) {
    const bytes = heap.word(heap.word(object + OBJECT.content) + BUFFER.bytes);
    for (let i = start; i < end; i++) yield named(i, text(String(heap.byte(bytes + i)), "number"));
  } else if (typedArrayName(class_) !== undefined) {
    for (let i = start; i < end; i++) yield named(i, text(typedElement(heap, object, i), "number"), `[${i}]`);
  } else for (let i = start; i < end; i++) yield named(i, value(elementAt(heap, object, i)), `[${i}]`);
}

function namedCount(heap: HeapReader, object: number): number {
  const children = namedOf(heap, object);
  let count = 0;
  while (children.next().done !== true) count++;
  return count;
}

const PLAIN_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** What follows an object's expression to read a property. */
const accessOf = ({ name, kind }: Pick<Property, "name" | "kind">): string | undefined => {
  if (kind !== "name") return undefined;
  return PLAIN_NAME.test(name) ? `.${name}` : /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
};

/** Own properties, what the engine keeps for some classes, then the getters of its classes. */
function* namedOf(heap: HeapReader, object: number): Generator<Child> {
  const class_ = classOf(heap, object);
  const internal = (name: string, bits: bigint): Child => ({
    name,
    shown: value(bits),
    access: undefined,
    isInternal: true,
  });
  const own = new Set<string>();
  for (const property of propertiesOf(heap, object)) {
    own.add(property.name);
    yield childOf(property);
  }
  const content = heap.word(object + OBJECT.content);
  if (class_ === CLASS.error && !own.has("stack"))
    yield internal("stack", heap.bits(object + OBJECT.content));
  if (class_ === CLASS.promise) {
    const state = PROMISE_STATES[heap.word(content + PROMISE.state)] ?? "pending";
    yield { name: "[[State]]", shown: text(state, "string"), access: undefined, isInternal: true };
    if (state !== "pending") yield internal("[[Result]]", heap.bits(content + PROMISE.result));
  }
  if (class_ === CLASS.proxy) {
    if (heap.byte(content + PROXY.isRevoked) === 0)
      yield internal("[[Target]]", heap.bits(content + PROXY.target));
    return;
  }
  if (isFunction(class_) || class_ === CLASS.array) return;
  // Built-in classes show themselves in their own way.
  if (class_ !== CLASS.error && class_ !== PLAIN_OBJECT) return;
  let at = prototypeOf(heap, object);
  for (let i = 0; at !== 0 && prototypeOf(heap, at) !== 0 && i < MAX_CHAIN; i++, at = prototypeOf(heap, at))
    for (const property of propertiesOf(heap, at)) {
      if (property.bits !== undefined || !property.hasGetter || own.has(property.name)) continue;
      if (class_ === CLASS.error && property.name === "stack") continue;
      own.add(property.name);
      yield childOf(property);
    }
}

const PLAIN_OBJECT = 1;

function childOf(property: Property): Child {
  const { name, kind, bits, hasGetter } = property;
  const label = kind === "symbol" ? `[${name}]` : cut(name, MAX_NAME);
  const access = accessOf(property);
  if (bits !== undefined) return { name: label, shown: value(bits), access, isInternal: kind === "private" };
  // Accessors that can only be set have no value.
  const shown = hasGetter ? undefined : text("undefined", "undefined");
  return { name: label, shown, access, isInternal: kind === "private" };
}

/** What is thrown, as one line. */
export function thrownText(heap: HeapReader, bits: bigint): string {
  return lineOf(heap, bits, 0);
}

/** The stack text of an error, if it has one. */
export function errorStack(heap: HeapReader, object: number): string | undefined {
  if (classOf(heap, object) !== CLASS.error) return undefined;
  return textOf(heap, heap.bits(object + OBJECT.content), 4 * MAX_TEXT);
}
