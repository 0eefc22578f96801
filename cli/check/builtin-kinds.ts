// Which object of the language an expression certainly is: `new Uint8Array(4).slice(1)` is a Uint8Array whatever the program
// does. The members that a kind lacks on the real runtime can then be reported without a false alarm.
import type { Scope } from "./scopes.ts";
import { type AnyNode, isFunction, propertyName } from "./syntax.ts";

/** What is asked about names. */
interface Names {
  /** The node that a name always stands for, or undefined. */
  valueOf(name: string, scope: Scope): { readonly node: AnyNode; readonly scope: Scope } | undefined;
  /** Whether an expression refers to the global with this name. */
  isGlobal(node: AnyNode, scope: Scope, name: string): boolean;
}

/** Kinds by the name of their constructor, with the kinds of what their methods return. */
const METHODS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Array: returning("Iterator", "entries keys values"),
  ArrayBuffer: returning("ArrayBuffer", "slice transfer transferToFixedLength"),
  Iterator: returning("Iterator", "drop filter flatMap map take"),
  Map: { ...returning("Iterator", "entries keys values"), set: "Map" },
  Set: { ...returning("Iterator", "entries keys values"), add: "Set" },
  TextEncoder: { encode: "Uint8Array" },
  Uint8Array: {
    ...returning("Iterator", "entries keys values"),
    ...returning("Uint8Array", "copyWithin fill filter map reverse slice sort subarray"),
    ...returning("Uint8Array", "toReversed toSorted with"),
  },
  WeakMap: { set: "WeakMap" },
};

/** Functions of constructors, with the kinds of what they return. */
const STATIC: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Array: returning("Array", "from of"),
  Iterator: { from: "Iterator" },
  Map: { groupBy: "Map" },
  Uint8Array: returning("Uint8Array", "from of"),
};

function returning(kind: string, methods: string): Record<string, string> {
  return Object.fromEntries(methods.split(" ").map((method) => [method, kind]));
}

const own = <Value>(table: Readonly<Record<string, Value>>, key: string | undefined): Value | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

/** Most expressions to follow in a chain. */
const MAX_DEPTH = 20;

/** The name of the constructor whose prototype an expression certainly has (or is), or undefined. */
export function builtinKind(node: AnyNode, scope: Scope, names: Names, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const inner = (part: AnyNode): string | undefined => builtinKind(part, scope, names, depth + 1);
  const globalOf = (part: AnyNode): string | undefined =>
    Object.keys(METHODS).find((name) => names.isGlobal(part, scope, name));
  switch (node.type) {
    case "ParenthesizedExpression":
    case "ChainExpression":
      return inner(node.expression);
    case "Identifier": {
      const known = names.valueOf(node.name, scope);
      // A name that stands for a function is called: its result is asked for below.
      if (known === undefined || isFunction(known.node)) return undefined;
      return builtinKind(known.node, known.scope, names, depth + 1);
    }
    case "ArrayExpression":
      return "Array";
    case "NewExpression":
      return globalOf(node.callee);
    case "MemberExpression":
      return propertyName(node) === "prototype" ? globalOf(node.object) : undefined;
    case "CallExpression": {
      const { callee } = node;
      if (callee.type === "Identifier") {
        const target = names.valueOf(callee.name, scope)?.node;
        return target && isFunction(target) && target.generator && !target.async ? "Iterator" : undefined;
      }
      if (callee.type !== "MemberExpression") return undefined;
      const method = propertyName(callee);
      const constructor = globalOf(callee.object);
      if (constructor !== undefined) return own(own(STATIC, constructor) ?? {}, method);
      return own(own(METHODS, inner(callee.object)) ?? {}, method);
    }
    default:
      return undefined;
  }
}
