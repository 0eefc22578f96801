// Texts in the memory of a guest: whole ones, and those that name or describe an object.
import { classOf, propertyNamed, prototypeOf, typedArrayName } from "./heap-objects.ts";
import type { HeapReader } from "./heap-reader.ts";
import { CLASS, OBJECT, PLAIN_FUNCTION, RESUMED_FUNCTIONS, TAG } from "./layout.ts";

/** Characters shown of a text. */
export const MAX_TEXT = 1_000;
/** Characters of a name. */
export const MAX_NAME = 200;
/** Prototypes searched for what an object inherits. */
export const MAX_CHAIN = 20;

/** By the number that the engine keeps. */
export const PROMISE_STATES = ["pending", "fulfilled", "rejected"];

/** A whole text, or its beginning. */
export function textOf(heap: HeapReader, bits: bigint, most: number): string | undefined {
  const found = heap.value(bits);
  if (found.kind === "rope") return heap.rope(found.address, most).text;
  return found.kind === "string" ? heap.text(addressIn(bits), most) : undefined;
}

export const addressIn = (bits: bigint): number => Number(BigInt.asUintN(32, bits));

/** Address of an object, or undefined. */
export const objectOf = (bits: bigint): number | undefined =>
  Number(BigInt.asIntN(32, bits >> 32n)) === TAG.object ? addressIn(bits) : undefined;

export const cut = (whole: string, most: number): string =>
  whole.length > most ? `${whole.slice(0, most)}…` : whole;

export function isFunction(class_: number): boolean {
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
export function functionText(heap: HeapReader, object: number): string {
  const bits = propertyNamed(heap, object, "name")?.bits;
  return bits === undefined ? "" : (textOf(heap, bits, MAX_NAME) ?? "");
}

/** The name of the constructor that the prototype names. */
export function className(heap: HeapReader, object: number): string {
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

/** In the order of the bits that the engine sets. */
const FLAGS = "gimsuyd";
const UNICODE_SETS = 1 << 8;

export function regExpText(heap: HeapReader, object: number): string {
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
export function errorText(heap: HeapReader, object: number): string {
  const name = inheritedText(heap, object, "name") ?? "Error";
  const message = inheritedText(heap, object, "message") ?? "";
  return message === "" ? name : `${name}: ${message}`;
}

/** The stack text of an error, if it has one. */
export function errorStack(heap: HeapReader, object: number): string | undefined {
  if (classOf(heap, object) !== CLASS.error) return undefined;
  return textOf(heap, heap.bits(object + OBJECT.content), 4 * MAX_TEXT);
}
