// VIEW, and the names of views.
import { type Address, splitAddress } from "../../../tezos/address.ts";
import { type Micheline, kindOf } from "../../../tezos/micheline.ts";
import type { Job } from "../../job.ts";
import { printableCost } from "../check-costs.ts";
import { FIXED } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  type Scope,
  type Stack,
  type World,
  argumentsOf,
  badStack,
  does,
  typeIn,
} from "../instruction.ts";
import type { Machine } from "../machine.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { TYPE_RULES } from "../parse-type.ts";
import { type, typeSize } from "../type.ts";
import { type AddressValue, NONE, type Value, pair, some } from "../value.ts";

/** Longest name of a view. */
const MAX_VIEW_NAME = 31;

/** Reads the name of a view. @throws MichelsonError */
export function viewName(node: Micheline, scope: Pick<Scope, "gas" | "location">): string {
  const location = scope.location(node);
  if (Array.isArray(node) || !("string" in node))
    throw new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location,
        expected_kinds: ["string"],
        wrong_kind: kindOf(node),
      }),
    );
  const name = node.string;
  if (name.length > MAX_VIEW_NAME)
    throw new MichelsonError(permanent("michelson_v1.view_name_too_long", { name }));
  scope.gas.spend(printableCost(name.length));
  if (/^[a-zA-Z0-9_.%@]*$/.test(name)) return name;
  throw new MichelsonError(
    permanent("michelson_v1.invalid_syntactic_constant", {
      location,
      expected_form: "string [a-zA-Z0-9_.%@] and the maximum string length of 31 characters",
      wrong_expression: node,
    }),
    permanent("michelson_v1.bad_view_name", { loc: location }),
  );
}

const view: Instruction = (node, stack, scope) => {
  const [nameNode, resultNode] = argumentsOf(node, 2, scope);
  const [input, target] = stack.head(2);
  if (!input || target?.prim !== "address") throw badStack(node, stack, scope, 2);
  const name = viewName(nameNode, scope);
  const result = typeIn(resultNode, TYPE_RULES.view, scope);
  return does(
    stack.drop(2).under(type("option", result)),
    (m, s) => {
      m.gas.spend(FIXED.view);
      const argument = s.pop();
      const { address: to } = splitAddress(s.pop() as AddressValue);
      m.finishWith(askView(m, s, to, argument, m.frame.world.findView(to, name, input, result, m.gas)));
    },
    typeSize(input) + typeSize(result),
  );
};

/** Begins a view as soon as it is found, which may take some time. */
function* askView(
  machine: Machine,
  stack: Stack,
  to: Address,
  argument: Value,
  search: ReturnType<World["findView"]>,
): Job<void> {
  const found = search === undefined || "code" in search ? search : yield* search;
  if (!found) {
    stack.push(NONE);
    return;
  }
  const asker = machine.frame;
  const frame = { ...asker, self: to, sender: asker.self, amount: 0n, balance: found.balance };
  machine.view(frame, found.code, pair(argument, found.storage), some);
}

export const VIEW_INSTRUCTIONS: Instructions = { VIEW: view };
