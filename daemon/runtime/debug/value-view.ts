// What a debugger shows of a guest's value: one line of text, and its children page by page. Read from memory only:
// getters are named, not run; the traps of a proxy are not touched.
import type { HeapReader } from "./heap-reader.ts";
import {
  type Child,
  indexedCount,
  indexedOf,
  namedCount,
  namedOf,
  type Shown,
  value,
} from "./value-children.ts";
import { lineOf } from "./value-line.ts";
import { addressIn, className, objectOf } from "./value-text.ts";

export interface View {
  readonly text: string;
  readonly type: string;
  /** Children with numbers, which can be many, and the others. */
  readonly indexed: number;
  readonly named: number;
}

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

/** What is thrown, as one line. */
export function thrownText(heap: HeapReader, bits: bigint): string {
  return lineOf(heap, bits, 0);
}
