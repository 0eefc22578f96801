// Whether code goes on after a statement.
import type { KnownValues } from "./known-values.ts";
import type { Scope } from "./scopes.ts";
import type { AnyNode } from "./syntax.ts";

/** Whether the statements after this one are unreachable. */
export function exits(known: KnownValues, node: AnyNode | null | undefined, scope: Scope): boolean {
  switch (node?.type) {
    case "ReturnStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return true;
    case "BlockStatement":
      return node.body.some((statement) => exits(known, statement, scope));
    case "IfStatement": {
      const test = known.of(node.test, scope);
      const [yes, no] = [exits(known, node.consequent, scope), exits(known, node.alternate, scope)];
      return test === undefined ? yes && no : test.value ? yes : no;
    }
    case "TryStatement":
      return (
        exits(known, node.finalizer, scope) ||
        (exits(known, node.block, scope) && (!node.handler || exits(known, node.handler.body, scope)))
      );
    default:
      return false;
  }
}
