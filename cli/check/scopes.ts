// The names that a module declares, by scope; all other names refer to globals.
import {
  type AnyNode,
  forEachChild,
  type FunctionNode,
  isFunction,
  namesOf,
  type Program,
  propertyName,
} from "./syntax.ts";
import type { Statements } from "./syntax.ts";

export interface Binding {
  /** Its constant value, if statically known. */
  readonly value: AnyNode | undefined;
  readonly scope: Scope;
}

export class Scope {
  readonly parent: Scope | undefined;
  readonly #names = new Map<string, Binding>();

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  declare(name: string, value?: AnyNode): void {
    // Declared twice, so the value is unknown.
    this.#names.set(name, { value: this.#names.has(name) ? undefined : value, scope: this });
  }

  find(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.parent?.find(name);
  }
}

/** Facts about the whole module, collected before the walk. */
export interface ModuleNames {
  /** Names assigned anywhere, in any scope: their values are unknown. */
  readonly assigned: ReadonlySet<string>;
  /** Globals that the module defines itself: `globalThis.process = …`. */
  readonly made: ReadonlySet<string>;
  /**
   * Members that the module defines: `getOrInsert` for `Map.prototype.getOrInsert = …` or on any other object, and
   * `Error.isError` for `Error.isError = …`.
   */
  readonly madeMembers: ReadonlySet<string>;
}

const GLOBAL_OBJECTS = ["globalThis", "self"];

export function moduleNames(program: Program): ModuleNames {
  const assigned = new Set<string>();
  const made = new Set<string>();
  const madeMembers = new Set<string>();
  const makesMember = (owner: AnyNode, member: string): void => {
    madeMembers.add(member);
    const name = owner.type === "Literal" ? owner.value : owner.type === "Identifier" ? owner.name : "";
    madeMembers.add(`${String(name)}.${member}`);
  };
  const target = (node: AnyNode): void => {
    if (node.type !== "MemberExpression") return namesOf(node as never, (name) => assigned.add(name));
    const member = propertyName(node);
    if (member !== undefined) makesMember(node.object, member);
    const { object, property } = node;
    if (object.type !== "Identifier" || !GLOBAL_OBJECTS.includes(object.name)) return;
    if (property.type === "Identifier" && !node.computed) made.add(property.name);
  };
  const look = (node: AnyNode): void => {
    if (node.type === "AssignmentExpression") target(node.left);
    else if (node.type === "CallExpression") definedMembers(node, makesMember);
    else if (node.type === "UpdateExpression") target(node.argument);
    else if (node.type === "ForInStatement" || node.type === "ForOfStatement") {
      if (node.left.type !== "VariableDeclaration") target(node.left);
      else for (const { id } of node.left.declarations) target(id);
    }
    forEachChild(node, look);
  };
  look(program);
  return { assigned, made, madeMembers };
}

/**
 * Calls `take` with the members that a call may define, and the object: `Object.assign(Map.prototype, { … })`,
 * `Object.defineProperty(Error, "isError", …)`, and the way of core-js, `$({ target: "RegExp" }, { escape: … })`.
 */
function definedMembers(
  node: AnyNode & { type: "CallExpression" },
  take: (owner: AnyNode, name: string) => void,
): void {
  const { callee, arguments: given } = node;
  const [first, ...others] = given;
  if (first === undefined) return;
  const method = callee.type === "MemberExpression" ? propertyName(callee) : undefined;
  const defines = ["assign", "defineProperties", "defineProperty"].includes(method ?? "");
  const owner = defines ? first : propertyNamed(first, "target");
  if (owner === undefined) return;
  for (const argument of others)
    if (argument.type === "Literal" && typeof argument.value === "string") take(owner, argument.value);
    else if (argument.type === "ObjectExpression")
      for (const property of argument.properties) {
        const name = propertyName(property);
        if (name !== undefined) take(owner, name);
      }
}

/** The value of a property in an object literal. */
function propertyNamed(node: AnyNode, name: string): AnyNode | undefined {
  if (node.type !== "ObjectExpression") return undefined;
  for (const property of node.properties)
    if (property.type === "Property" && propertyName(property) === name) return property.value;
  return undefined;
}

/** Declares the block-scoped names of a list of statements: `let`, `const`, classes, functions and imports. */
export function declareBlock(scope: Scope, statements: Statements): void {
  for (const outer of statements) {
    const isExport = outer.type === "ExportNamedDeclaration" || outer.type === "ExportDefaultDeclaration";
    const node = (isExport ? outer.declaration : outer) as AnyNode | null | undefined;
    if (node === null || node === undefined) continue;
    if (node.type === "VariableDeclaration" && node.kind !== "var") declareVariables(scope, node);
    else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
      if (node.id !== null) scope.declare(node.id.name, isFunction(node) ? node : undefined);
    } else if (node.type === "ImportDeclaration")
      for (const { local } of node.specifiers) scope.declare(local.name);
  }
}

function declareVariables(scope: Scope, node: AnyNode & { type: "VariableDeclaration" }): void {
  for (const { id, init } of node.declarations)
    if (id.type === "Identifier") scope.declare(id.name, init ?? undefined);
    else namesOf(id, (name) => scope.declare(name));
}

/** Declares the `var`s of a function or module, at any depth. */
export function declareVars(scope: Scope, node: AnyNode): void {
  forEachChild(node, (child) => {
    if (isFunction(child) || child.type.startsWith("Class")) return;
    if (child.type === "VariableDeclaration" && child.kind === "var") declareVariables(scope, child);
    declareVars(scope, child);
  });
}

/** The scope inside a function: its parameters, and what its body declares. */
export function functionScope(parent: Scope, node: FunctionNode): Scope {
  const scope = new Scope(parent);
  if (node.type === "FunctionExpression" && node.id) scope.declare(node.id.name, node);
  if (node.type !== "ArrowFunctionExpression") scope.declare("arguments");
  for (const parameter of node.params) namesOf(parameter, (name) => scope.declare(name));
  if (node.body.type === "BlockStatement") {
    declareVars(scope, node.body);
    declareBlock(scope, node.body.body);
  }
  return scope;
}
