// Evaluates expressions for the real runtime as far as possible without running the code, so that `typeof crypto ===
// "undefined"` and branches on it are decided as they will be there.
import {
  ABSENT_GLOBALS,
  EXTRA_GLOBALS,
  EXTRA_KV_MEMBERS,
  EXTRA_MEMBERS,
  isExtraMember,
  realGlobals,
  THROWING_FUNCTIONS,
  THROWING_GETTER,
} from "../../daemon/protocol/real-runtime.ts";
import { builtinKind } from "./builtin-kinds.ts";
import { functionScope, type ModuleNames, type Scope } from "./scopes.ts";
import { type AnyNode, type FunctionNode, isFunction, propertyName } from "./syntax.ts";

/** A statically known value. */
interface Known {
  readonly value: unknown;
}

/** Some object or function. */
const SOME_OBJECT = { value: Object.freeze({}) };
/** The result of `typeof` for something that exists: any text but "undefined". */
const SOME_TYPE = { value: "a type" };
/** Most variables to follow in a chain. */
const MAX_DEPTH = 20;

const REAL = realGlobals();
/** They exist, though they throw when used. */
const THERE: ReadonlySet<string> = new Set([...THROWING_FUNCTIONS, THROWING_GETTER]);
const MISSING: ReadonlySet<string> = new Set([...EXTRA_GLOBALS, ...ABSENT_GLOBALS]);
const EXTRA_OWNERS = Object.keys(EXTRA_MEMBERS);
const EXTRA_NAMES: ReadonlySet<string> = new Set(
  Object.values(EXTRA_MEMBERS).flatMap(({ own = [], prototype = [] }) => [...own, ...prototype]),
);
const GLOBAL_OBJECTS: ReadonlySet<string> = new Set(["globalThis", "self"]);

export class KnownValues {
  readonly #names: ModuleNames;
  readonly #isElsewhere: (name: string) => boolean;

  /** @param isElsewhere whether code outside the program may declare a name */
  constructor(names: ModuleNames, isElsewhere: (name: string) => boolean) {
    this.#names = names;
    this.#isElsewhere = isElsewhere;
  }

  /** Whether a global is one of the well-known names that do not exist there. */
  isMissing(name: string): boolean {
    return MISSING.has(name) && !this.#names.made.has(name);
  }

  /** Whether neither the real runtime nor the program declares a global. */
  isUnknown(name: string): boolean {
    return !REAL.has(name) && !THERE.has(name) && !this.#names.made.has(name) && !this.#isElsewhere(name);
  }

  /** The node that a name always stands for, or undefined. */
  valueOf(name: string, scope: Scope): { readonly node: AnyNode; readonly scope: Scope } | undefined {
    const binding = scope.find(name);
    if (binding?.value === undefined || this.#names.assigned.has(name)) return undefined;
    return { node: binding.value, scope: binding.scope };
  }

  /** Whether an expression refers to the global with this name. */
  isGlobal(node: AnyNode, scope: Scope, name: string): boolean {
    if (node.type === "Identifier") return node.name === name && scope.find(name) === undefined;
    return this.globalMember(node, scope) === name;
  }

  /** The X of `globalThis.X`, or undefined. */
  globalMember(node: AnyNode, scope: Scope): string | undefined {
    if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return undefined;
    const { name } = node.object;
    return GLOBAL_OBJECTS.has(name) && scope.find(name) === undefined ? propertyName(node) : undefined;
  }

  /** The full name of the member of the language that an expression reads and the real runtime lacks, or undefined. */
  extraMember(node: AnyNode, scope: Scope): string | undefined {
    if (node.type !== "MemberExpression") return undefined;
    const name = propertyName(node);
    return name === undefined ? undefined : this.#extraMemberOf(node.object, name, scope);
  }

  #extraMemberOf(object: AnyNode, name: string, scope: Scope): string | undefined {
    if (!EXTRA_NAMES.has(name)) return undefined;
    const { made, madeMembers } = this.#names;
    const owner = EXTRA_OWNERS.find((known) => this.isGlobal(object, scope, known));
    if (owner !== undefined) {
      const path = `${owner}.${name}`;
      return isExtraMember(owner, name) && !made.has(owner) && !madeMembers.has(path) ? path : undefined;
    }
    if (madeMembers.has(name)) return undefined;
    const kind = builtinKind(object, scope, this);
    if (kind === undefined || made.has(kind) || !isExtraMember(kind, name, "prototype")) return undefined;
    return `${kind}.prototype.${name}`;
  }

  /** The value of an expression on the real runtime, or undefined when it is not statically known. */
  of(node: AnyNode | null | undefined, scope: Scope, depth = 0): Known | undefined {
    if (node === null || node === undefined || depth > MAX_DEPTH) return undefined;
    const inner = (part: AnyNode | null | undefined) => this.of(part, scope, depth + 1);
    switch (node.type) {
      case "Literal":
        return { value: node.value };
      case "ParenthesizedExpression":
      case "ChainExpression":
        return inner(node.expression);
      case "Identifier": {
        if (node.name === "undefined") return { value: undefined };
        const known = this.valueOf(node.name, scope);
        if (known !== undefined) return this.of(known.node, known.scope, depth + 1);
        return undefined;
      }
      case "ArrowFunctionExpression":
      case "FunctionExpression":
      case "FunctionDeclaration":
      case "ObjectExpression":
      case "ArrayExpression":
        return SOME_OBJECT;
      case "MemberExpression": {
        const name = this.globalMember(node, scope);
        if (name !== undefined && this.isMissing(name)) return { value: undefined };
        if (this.isGlobal(node.object, scope, "Kv")) {
          const member = propertyName(node);
          const isExtra = (EXTRA_KV_MEMBERS as readonly (string | undefined)[]).includes(member);
          return isExtra ? { value: undefined } : member === "contains" ? SOME_OBJECT : undefined;
        }
        if (this.extraMember(node, scope) !== undefined) return { value: undefined };
        const object = inner(node.object);
        return object !== undefined && object.value === undefined && node.optional ? object : undefined;
      }
      case "CallExpression": {
        if (isFunction(node.callee) && !node.callee.async) return this.#resultOf(node.callee, scope, depth);
        const callee = node.optional ? inner(node.callee) : undefined;
        return callee !== undefined && callee.value === undefined ? callee : undefined;
      }
      case "UnaryExpression":
        if (node.operator === "typeof") return this.#typeOf(node.argument, scope, depth);
        if (node.operator === "void") return { value: undefined };
        return node.operator === "!" ? not(inner(node.argument)) : undefined;
      case "LogicalExpression": {
        const left = inner(node.left);
        if (left !== undefined) return takesRight(node.operator, left.value) ? inner(node.right) : left;
        // A false right side makes the whole false, whatever the left side is.
        const right = inner(node.right);
        return node.operator === "&&" && right !== undefined && !right.value ? { value: false } : undefined;
      }
      case "ConditionalExpression": {
        const test = inner(node.test);
        return test === undefined ? undefined : inner(test.value ? node.consequent : node.alternate);
      }
      case "BinaryExpression":
        return this.#comparison(node, scope, depth);
      default:
        return undefined;
    }
  }

  /** The result of a function without parameters that only returns something, called where it is written. */
  #resultOf(node: FunctionNode, scope: Scope, depth: number): Known | undefined {
    if (node.params.length > 0 || node.generator) return undefined;
    const { body } = node;
    const [first, ...others] = body.type === "BlockStatement" ? body.body : [];
    const result =
      body.type !== "BlockStatement" ? body : first?.type === "ReturnStatement" && first.argument;
    if (!result || others.length > 0) return undefined;
    return this.of(result, functionScope(scope, node), depth + 1);
  }

  #typeOf(node: AnyNode, scope: Scope, depth: number): Known | undefined {
    if (node.type === "Identifier" && scope.find(node.name) === undefined && this.isUnknown(node.name))
      return { value: "undefined" };
    if (node.type === "Identifier" && scope.find(node.name) === undefined && REAL.has(node.name))
      return SOME_TYPE;
    const known = this.of(node, scope, depth + 1);
    return known === undefined || known === SOME_OBJECT ? undefined : { value: typeof known.value };
  }

  #comparison(node: AnyNode & { type: "BinaryExpression" }, scope: Scope, depth: number): Known | undefined {
    const left = node.left.type === "PrivateIdentifier" ? undefined : this.of(node.left, scope, depth + 1);
    if (node.operator === "in") {
      const { right: object } = node;
      if (typeof left?.value !== "string") return undefined;
      if (this.#extraMemberOf(object, left.value, scope) !== undefined) return { value: false };
      if (object.type !== "Identifier") return undefined;
      if (GLOBAL_OBJECTS.has(object.name) && this.isMissing(left.value)) return { value: false };
      const isExtra = (EXTRA_KV_MEMBERS as readonly string[]).includes(left.value);
      return this.isGlobal(object, scope, "Kv") && isExtra ? { value: false } : undefined;
    }
    const right = this.of(node.right, scope, depth + 1);
    if (left === undefined || right === undefined) return undefined;
    // They may be the same object.
    if (left === SOME_OBJECT && right === SOME_OBJECT) return undefined;
    const isDecided =
      [left, right].every((side) => side !== SOME_TYPE) || [left, right].some(isUndefinedText);
    if (!isDecided) return undefined;
    switch (node.operator) {
      case "===":
        return { value: left.value === right.value };
      case "!==":
        return { value: left.value !== right.value };
      case "==":
        return looselyEqual(left, right);
      case "!=":
        return not(looselyEqual(left, right));
      default:
        return undefined;
    }
  }

  /** The statically known beginning of an expression's text. */
  prefixOf(node: AnyNode | null | undefined, scope: Scope, depth = 0): string {
    if (node === null || node === undefined || depth > MAX_DEPTH) return "";
    switch (node.type) {
      case "Literal":
        return typeof node.value === "string" ? node.value : "";
      case "TemplateLiteral": {
        const head = node.quasis[0]?.value.cooked ?? "";
        return head === "" ? this.prefixOf(node.expressions[0], scope, depth + 1) : head;
      }
      case "BinaryExpression":
        if (node.operator !== "+" || node.left.type === "PrivateIdentifier") return "";
        return this.prefixOf(node.left, scope, depth + 1);
      case "NewExpression": {
        const isUrl = this.isGlobal(node.callee, scope, "URL") && node.arguments.length === 1;
        const isRequest = this.isGlobal(node.callee, scope, "Request");
        return isUrl || isRequest ? this.prefixOf(node.arguments[0], scope, depth + 1) : "";
      }
      case "Identifier": {
        const known = this.valueOf(node.name, scope);
        return known === undefined ? "" : this.prefixOf(known.node, known.scope, depth + 1);
      }
      default:
        return "";
    }
  }
}

/** `==` for values of the same type, or where one is null or undefined. */
function looselyEqual({ value: left }: Known, { value: right }: Known): Known | undefined {
  const isNothing = [left, right].map((value) => value === null || value === undefined);
  if (isNothing[0] || isNothing[1]) return { value: isNothing[0] === isNothing[1] };
  return typeof left === typeof right ? { value: left === right } : undefined;
}

const isUndefinedText = ({ value }: Known): boolean => value === "undefined";

const not = (known: Known | undefined): Known | undefined => known && { value: !known.value };

/** Whether a logical expression evaluates to its right side. */
export function takesRight(operator: "&&" | "||" | "??", left: unknown): boolean {
  if (operator === "??") return left === undefined || left === null;
  return operator === "&&" ? Boolean(left) : !left;
}
