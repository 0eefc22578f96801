// The syntax tree of a module (acorn's ESTree), and queries on its nodes.
import { type AnyNode, parse, type Pattern, type Program, type Statement } from "acorn";

export type { AnyNode, Program };
export type FunctionNode = AnyNode & {
  type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression";
};

/** @throws SyntaxError with `pos`, an offset */
export const parseModule = (code: string): Program =>
  parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Calls `visit` with each direct child, in the order of the source. */
export function forEachChild(node: AnyNode, visit: (child: AnyNode) => void): void {
  for (const key in node) {
    const value = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) visit(item);
    } else if (isNode(value)) visit(value);
  }
}

/** The statically known name of a property: `a.b`, `a["b"]`, `{ b: 1 }`. */
export function propertyName(node: AnyNode): string | undefined {
  if (node.type !== "MemberExpression" && node.type !== "Property") return undefined;
  const key: AnyNode = node.type === "MemberExpression" ? node.property : node.key;
  if (key.type === "Identifier" && !node.computed) return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
}

/** Calls `take` with each name that a pattern binds. */
export function namesOf(pattern: Pattern | null | undefined, take: (name: string) => void): void {
  switch (pattern?.type) {
    case "Identifier":
      return take(pattern.name);
    case "ObjectPattern":
      for (const property of pattern.properties)
        namesOf(property.type === "RestElement" ? property.argument : property.value, take);
      return;
    case "ArrayPattern":
      for (const element of pattern.elements) namesOf(element, take);
      return;
    case "RestElement":
      return namesOf(pattern.argument, take);
    case "AssignmentPattern":
      return namesOf(pattern.left, take);
    default: // nothing, or an assigned member
      return;
  }
}

/** The statements of a `case` or a block, in order. */
export type Statements = readonly (Statement | Program["body"][number])[];
