// The structure of objects in the guest's memory: properties, elements, entries, prototypes. Nothing is called: an
// accessor stays an accessor, and a proxy an object with a target.
import type { HeapReader } from "./heap-reader.ts";
import {
  CLASS,
  FAST_ARRAY,
  MAP,
  OBJECT,
  PROPERTY_BYTES,
  PROPERTY_FLAGS_SHIFT,
  PROPERTY_KIND,
  REFERENCE_VALUE,
  SHAPE,
  SHAPE_PROPERTY_ATOM,
  SHAPE_PROPERTY_BYTES,
} from "./layout.ts";

/** Objects have fewer properties; more means that the memory is not what it seems. */
const MAX_PROPERTIES = 10_000_000;
/** Entries of a Map passed over to reach a page of them. */
const MAX_ENTRIES = 10_000_000;

export interface Property {
  readonly name: string;
  readonly kind: "name" | "symbol" | "private";
  /** Undefined for an accessor. */
  readonly bits: bigint | undefined;
  readonly hasGetter: boolean;
}

export interface Entry {
  readonly key: bigint;
  readonly value: bigint;
}

export const classOf = (heap: HeapReader, object: number): number => heap.short(object + OBJECT.class);

/** Address of the prototype; 0 for none. */
export const prototypeOf = (heap: HeapReader, object: number): number =>
  heap.word(heap.word(object + OBJECT.shape) + SHAPE.prototype);

/** Own properties in the order of their creation, without the elements of arrays. */
export function* propertiesOf(heap: HeapReader, object: number): Generator<Property> {
  const shape = heap.word(object + OBJECT.shape);
  const values = heap.word(object + OBJECT.properties);
  const count = Math.min(heap.word(shape + SHAPE.propertyCount), MAX_PROPERTIES);
  const names = shape + SHAPE.hashTable + 4 * (heap.word(shape + SHAPE.hashMask) + 1);
  for (let i = 0; i < count; i++) {
    const at = names + i * SHAPE_PROPERTY_BYTES;
    const atom = heap.word(at + SHAPE_PROPERTY_ATOM);
    if (atom === 0) continue; // deleted
    const { text, kind } = heap.propertyName(atom);
    const place = values + i * PROPERTY_BYTES;
    switch ((heap.word(at) >>> PROPERTY_FLAGS_SHIFT) & PROPERTY_KIND.mask) {
      case PROPERTY_KIND.normal:
        yield { name: text, kind, bits: heap.bits(place), hasGetter: false };
        break;
      case PROPERTY_KIND.accessor:
        yield { name: text, kind, bits: undefined, hasGetter: heap.word(place) !== 0 };
        break;
      case PROPERTY_KIND.reference: {
        const bits = heap.bits(heap.word(heap.word(place) + REFERENCE_VALUE));
        yield { name: text, kind, bits, hasGetter: false };
        break;
      }
      // The rest is what the engine makes once somebody reads it, such as `prototype` of a function.
    }
  }
}

export function propertyNamed(heap: HeapReader, object: number, name: string): Property | undefined {
  for (const property of propertiesOf(heap, object))
    if (property.kind === "name" && property.name === name) return property;
  return undefined;
}

/** Elements in one piece: of arrays as long as they have no holes. */
export function elementCount(heap: HeapReader, object: number): number {
  const class_ = classOf(heap, object);
  const isArray = class_ === CLASS.array || class_ === CLASS.arguments;
  const isFast = (heap.byte(object + OBJECT.flags) & FAST_ARRAY) !== 0;
  return isArray && isFast ? heap.word(object + OBJECT.elementCount) : 0;
}

export const elementAt = (heap: HeapReader, object: number, index: number): bigint =>
  heap.bits(heap.word(object + OBJECT.elements) + 8 * index);

/** Size of a Map or a Set. */
export const entryCount = (heap: HeapReader, object: number): number =>
  heap.word(heap.word(object + OBJECT.content) + MAP.count);

/** Entries of a Map or a Set, in order. */
export function* entriesOf(heap: HeapReader, object: number): Generator<Entry> {
  const state = heap.word(object + OBJECT.content);
  const head = state + MAP.first;
  let at = heap.word(state + MAP.next);
  for (let i = 0; at !== head && i < MAX_ENTRIES; i++, at = heap.word(at + MAP.linkNext))
    if (heap.byte(at + MAP.isEmpty) === 0)
      yield { key: heap.bits(at + MAP.key), value: heap.bits(at + MAP.value) };
}

/** In the order of the engine's classes. */
const TYPED_ARRAYS = [
  ["Uint8ClampedArray", 1],
  ["Int8Array", 1],
  ["Uint8Array", 1],
  ["Int16Array", 2],
  ["Uint16Array", 2],
  ["Int32Array", 4],
  ["Uint32Array", 4],
  ["BigInt64Array", 8],
  ["BigUint64Array", 8],
  ["Float16Array", 2],
  ["Float32Array", 4],
  ["Float64Array", 8],
] as const;

/** Name of the class of a typed array, or undefined. */
export const typedArrayName = (class_: number): string | undefined =>
  TYPED_ARRAYS[class_ - CLASS.typedArray]?.[0];

/** An element of a typed array as text. */
export function typedElement(heap: HeapReader, object: number, index: number): string {
  const [name, width] = TYPED_ARRAYS[classOf(heap, object) - CLASS.typedArray]!;
  const at = heap.word(object + OBJECT.elements) + index * width;
  const view = new DataView(heap.bytes(at, width).slice().buffer);
  switch (name) {
    case "Int8Array":
      return String(view.getInt8(0));
    case "Int16Array":
      return String(view.getInt16(0, true));
    case "Uint16Array":
      return String(view.getUint16(0, true));
    case "Int32Array":
      return String(view.getInt32(0, true));
    case "Uint32Array":
      return String(view.getUint32(0, true));
    case "BigInt64Array":
      return `${view.getBigInt64(0, true)}n`;
    case "BigUint64Array":
      return `${view.getBigUint64(0, true)}n`;
    case "Float16Array":
      return String(halfFloat(view.getUint16(0, true)));
    case "Float32Array":
      return numberText(view.getFloat32(0, true));
    case "Float64Array":
      return numberText(view.getFloat64(0, true));
    default:
      return String(view.getUint8(0));
  }
}

export const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

function halfFloat(bits: number): number {
  const sign = bits >>> 15 === 1 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
