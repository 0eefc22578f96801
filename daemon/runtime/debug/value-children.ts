// The children of a guest's object: those with numbers, of which there can be many, and the named ones.
import {
  classOf,
  elementAt,
  elementCount,
  entriesOf,
  entryCount,
  type Property,
  propertiesOf,
  prototypeOf,
  typedArrayName,
  typedElement,
} from "./heap-objects.ts";
import type { HeapReader } from "./heap-reader.ts";
import { BUFFER, CLASS, OBJECT, PROMISE, PROXY } from "./layout.ts";
import { cut, isFunction, MAX_CHAIN, MAX_NAME, PROMISE_STATES } from "./value-text.ts";

/** Something that can be shown: a value, or an entry of a Map. */
export type Shown =
  | { readonly kind: "value"; readonly bits: bigint }
  | { readonly kind: "entry"; readonly key: bigint; readonly value: bigint }
  /** Has no children. */
  | { readonly kind: "text"; readonly text: string; readonly type: string };

export interface Child {
  readonly name: string;
  /** Undefined for a getter, which would have to run. */
  readonly shown: Shown | undefined;
  /** What follows the expression of the parent; undefined when no expression leads there. */
  readonly access: string | undefined;
  readonly isInternal: boolean;
}

export const value = (bits: bigint): Shown => ({ kind: "value", bits });
const text = (shown: string, type: string): Shown => ({ kind: "text", text: shown, type });

export function indexedCount(heap: HeapReader, object: number): number {
  const class_ = classOf(heap, object);
  if (typedArrayName(class_) !== undefined) return heap.word(object + OBJECT.elementCount);
  if (class_ === CLASS.arrayBuffer) return heap.word(heap.word(object + OBJECT.content) + BUFFER.length);
  if (class_ === CLASS.map || class_ === CLASS.set) return entryCount(heap, object);
  return elementCount(heap, object);
}

export function* indexedOf(heap: HeapReader, object: number, start: number, most: number): Generator<Child> {
  const class_ = classOf(heap, object);
  const end = Math.min(start + most, indexedCount(heap, object));
  const elementChild = (i: number, shown: Shown, access?: string): Child => ({
    name: String(i),
    shown,
    access,
    isInternal: false,
  });
  if (class_ === CLASS.map || class_ === CLASS.set) {
    let i = 0;
    for (const { key, value: of } of entriesOf(heap, object)) {
      if (i >= end) return;
      if (i >= start)
        yield elementChild(i, class_ === CLASS.map ? { kind: "entry", key, value: of } : value(key));
      i++;
    }
  } else if (class_ === CLASS.arrayBuffer) {
    const bytes = heap.word(heap.word(object + OBJECT.content) + BUFFER.bytes);
    for (let i = start; i < end; i++) yield elementChild(i, text(String(heap.byte(bytes + i)), "number"));
  } else if (typedArrayName(class_) !== undefined) {
    for (let i = start; i < end; i++)
      yield elementChild(i, text(typedElement(heap, object, i), "number"), `[${i}]`);
  } else for (let i = start; i < end; i++) yield elementChild(i, value(elementAt(heap, object, i)), `[${i}]`);
}

export function namedCount(heap: HeapReader, object: number): number {
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
export function* namedOf(heap: HeapReader, object: number): Generator<Child> {
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
