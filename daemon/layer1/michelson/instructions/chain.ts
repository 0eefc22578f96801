// Instructions that read or address the chain: contracts, operations, context, views, events.
import { type Address, isImplicit, isOriginated, joinAddress, splitAddress } from "../../../tezos/address.ts";
import { type Micheline, countNodes, kindOf } from "../../../tezos/micheline.ts";
import { type Mutez, mutez } from "../../../tezos/mutez.ts";
import type { Job } from "../../job.ts";
import { entrypointOf } from "../annotations.ts";
import { CHECK_INSTRUCTION, printableCost, stripCost, writeTypeCost } from "../check-costs.ts";
import { FIXED } from "../costs.ts";
import { entrypointsOf, findEntrypoint, searchCost } from "../entrypoints.ts";
import {
  type Frame,
  type Instruction,
  type Instructions,
  type Scope,
  type Stack,
  type World,
  argumentsOf,
  badStack,
  does,
  isSame,
  inconsistentTypes,
  requireItem,
  typeIn,
} from "../instruction.ts";
import type { InternalOperation } from "../internal-operation.ts";
import type { Machine } from "../machine.ts";
import { expressionNodes } from "../measure.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { requirePackable } from "../type-rules.ts";
import {
  ADDRESS,
  MUTEZ,
  NAT,
  OPERATION,
  TIMESTAMP,
  TYPE_RULES,
  type Type,
  UNIT,
  plainType,
  type,
  typeSize,
} from "../type.ts";
import { unparseWithRests } from "../unparse-value.ts";
import { type ContractValue, NONE, type OptionValue, type Value, some } from "../value.ts";

/** Pushes a value of the frame. */
const frameInstruction =
  (result: Type, read: (frame: Frame) => Value, cost: number = FIXED.step): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    return does(stack.under(result), (m, s) => {
      m.gas.spend(cost);
      s.push(read(m.frame));
    });
  };

const operation = (emitted: InternalOperation): Value => ({ operation: emitted });

/** Forbids an instruction in views, except in lambdas, which run elsewhere, and in stored scripts. */
function notInView(node: Parameters<Instruction>[0], scope: Scope): void {
  if (scope.place !== "view" || scope.legacy || scope.inLambda) return;
  throw new MichelsonError(
    permanent("michelson_v1.forbidden_instr_in_context", {
      location: scope.location(node),
      context: "view",
      forbidden_instruction: node.prim,
    }),
  );
}

const contract: Instruction = (node, stack, scope) => {
  const [wantedNode] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (top?.prim !== "address") throw badStack(node, stack, scope);
  const wanted = typeIn(wantedNode, TYPE_RULES.passable, scope);
  const named = entrypointOf(node, false, scope);
  return does(
    stack.drop(1).under(type("option", type("contract", wanted))),
    ({ gas, frame }, s) => {
      gas.spend(FIXED.contract);
      const { address, entrypoint: inAddress } = splitAddress(s.pop() as string);
      // Either the address or the instruction may name an entrypoint, but not both.
      const entrypoint = inAddress === "default" ? named : named === "default" ? inAddress : undefined;
      if (entrypoint === undefined) {
        s.push(NONE);
        return;
      }
      gas.spend(CHECK_INSTRUCTION);
      s.push(
        frame.world.hasEntrypoint(address, entrypoint, wanted, gas) ? some({ address, entrypoint }) : NONE,
      );
    },
    typeSize(wanted),
  );
};

const address: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (top?.prim !== "contract") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(ADDRESS), (m, s) => {
    m.gas.spend(FIXED.step);
    const value = s.pop() as ContractValue;
    s.push(joinAddress(value.address, value.entrypoint));
  });
};

const self: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (scope.inLambda || scope.place !== "contract")
    throw new MichelsonError(
      permanent("michelson_v1.forbidden_instr_in_context", {
        location: scope.location(node),
        context: scope.inLambda || scope.place === "data" ? "lambda" : "view",
        forbidden_instruction: node.prim,
      }),
    );
  const parameter = scope.parameter!;
  const name = entrypointOf(node, true, scope);
  scope.gas.spend(searchCost(parameter, name));
  const found = findEntrypoint(parameter, entrypointsOf(parameter), name);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: name }));
  return does(
    stack.under(type("contract", found.type)),
    (m, s) => {
      m.gas.spend(FIXED.step);
      s.push({ address: m.frame.self, entrypoint: name });
    },
    typeSize(found.type),
  );
};

const implicitAccount: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (top?.prim !== "key_hash") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("contract", UNIT)), (m, s) => {
    m.gas.spend(FIXED.step);
    s.push({ address: s.pop() as string, entrypoint: "default" });
  });
};

const isImplicitAccount: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (top?.prim !== "address") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", type("key_hash"))), (m, s) => {
    m.gas.spend(FIXED.step);
    const { address: account } = splitAddress(s.pop() as string);
    s.push(isImplicit(account) ? some(account) : NONE);
  });
};

const UNIT_DATA = { prim: "Unit" } as const;

const transferTokens: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  notInView(node, scope);
  const [argument, amount, target] = stack.head(3);
  if (!argument || amount?.prim !== "mutez" || target?.prim !== "contract")
    throw badStack(node, stack, scope, 4);
  requireItem(argument, target.args[0], 1, 4, node, stack, scope);
  return does(stack.drop(3).under(OPERATION), (m, s) => {
    m.gas.spend(FIXED.operation);
    const value = s.pop();
    const amountSent = mutez(s.pop() as bigint);
    m.finishWith(emitTransfer(m, s, { argument, value, amountSent, to: s.pop() as ContractValue }));
  });
};

interface Transfer {
  readonly argument: Type;
  readonly value: Value;
  readonly amountSent: Mutez;
  readonly to: ContractValue;
}

function* emitTransfer(
  { gas, frame }: Machine,
  stack: Stack,
  { argument, value, amountSent, to }: Transfer,
): Job<void> {
  const { world } = frame;
  const carried = isOriginated(to.address) ? yield* world.carry(argument, value, gas) : { value, diffs: [] };
  const written =
    argument.prim === "unit" && isImplicit(to.address)
      ? UNIT_DATA
      : yield* unparseWithRests(argument, carried.value, "optimized", gas);
  world.countInReceipt(written);
  stack.push(
    operation({
      kind: "transaction",
      source: frame.self,
      nonce: world.nextNonce(),
      amount: amountSent,
      destination: to.address as Address, // checked when the value was read
      entrypoint: to.entrypoint,
      type: argument,
      argument: carried.value,
      written,
      diffs: carried.diffs,
    }),
  );
}

const setDelegate: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  notInView(node, scope);
  const { top } = stack;
  if (top?.prim !== "option" || top.args[0].prim !== "key_hash") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(OPERATION), ({ gas, frame }, s) => {
    gas.spend(FIXED.operation);
    const delegate = (s.pop() as OptionValue).some as Address | undefined;
    s.push(operation({ kind: "delegation", source: frame.self, nonce: frame.world.nextNonce(), delegate }));
  });
};

const createContract: Instruction = function* (node, stack, scope) {
  const [code] = argumentsOf(node, 1, scope);
  const [delegate, amount, storage] = stack.head(3);
  if (
    delegate?.prim !== "option" ||
    delegate.args[0].prim !== "key_hash" ||
    amount?.prim !== "mutez" ||
    !storage ||
    !Array.isArray(code)
  )
    throw badStack(node, stack, scope, 7);
  notInView(node, scope);
  const script = yield* scope.script(code, scope);
  // The protocol compares the types before and after the code with themselves as well.
  const before = type("pair", script.parameter, script.storage);
  const after = type("pair", type("list", OPERATION), script.storage);
  isSame(before, before, scope);
  isSame(after, after, scope);
  if (!isSame(script.storage, storage, scope))
    throw inconsistentTypes(script.storage, storage, scope.location(node));
  return does(
    stack.drop(3).under(OPERATION, ADDRESS),
    (m, s) => {
      m.gas.spend(FIXED.operation);
      const chosen = (s.pop() as OptionValue).some as Address | undefined;
      const balance = mutez(s.pop() as bigint);
      m.finishWith(emitOrigination(m, s, { delegate: chosen, balance, code, storage, value: s.pop() }));
    },
    typeSize(storage) + expressionNodes(code),
  );
};

interface Creation {
  readonly delegate: Address | undefined;
  readonly balance: Mutez;
  readonly code: Micheline;
  readonly storage: Type;
  readonly value: Value;
}

function* emitOrigination(
  { gas, frame }: Machine,
  stack: Stack,
  { delegate, balance, code, storage, value }: Creation,
): Job<void> {
  const { world } = frame;
  const carried = yield* world.carry(storage, value, gas);
  const written = yield* unparseWithRests(storage, carried.value, "optimized", gas);
  world.countInReceipt([code, written]);
  const created = world.nextContract();
  stack.push(
    created,
    operation({
      kind: "origination",
      source: frame.self,
      nonce: world.nextNonce(),
      address: created,
      balance,
      delegate,
      code,
      storageType: storage,
      storage: carried.value,
      written,
      diffs: carried.diffs,
    }),
  );
}

const emit: Instruction = (node, stack, scope) => {
  const payload = stack.top;
  const declared = node.args ?? [];
  if (declared.length > 1) argumentsOf(node, 1, scope);
  if (!payload) throw badStack(node, stack, scope);
  let written: Micheline;
  if (declared.length === 0) {
    requirePackable(payload, false, node, scope);
    scope.gas.spend(writeTypeCost(typeSize(payload)));
    written = plainType(payload);
  } else {
    written = declared[0]!;
    requireItem(typeIn(written, TYPE_RULES.packable, scope), payload, 1, 2, node, stack, scope);
  }
  scope.gas.spend(stripCost(countNodes(written)));
  const name = entrypointOf(node, false, scope);
  const tag = node.annots?.some((annotation) => annotation.startsWith("%")) ? name : undefined;
  return does(
    stack.drop(1).under(OPERATION),
    (m, s) => {
      m.gas.spend(FIXED.emit);
      m.finishWith(emitEvent(m, s, { payload, type: written, tag }));
    },
    typeSize(payload) + expressionNodes(written),
  );
};

interface EmittedEvent {
  readonly payload: Type;
  readonly type: Micheline;
  readonly tag: string | undefined;
}

function* emitEvent(
  { gas, frame }: Machine,
  stack: Stack,
  { payload, type: written, tag }: EmittedEvent,
): Job<void> {
  const data = yield* unparseWithRests(payload, stack.pop(), "optimized", gas);
  frame.world.countInReceipt(data);
  stack.push(
    operation({
      kind: "event",
      source: frame.self,
      nonce: frame.world.nextNonce(),
      tag,
      type: written,
      written: data,
    }),
  );
}

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
      const { address: to } = splitAddress(s.pop() as string);
      m.finishWith(askView(m, s, to, argument, m.frame.world.findView(to, name, input, result, m.gas)));
    },
    typeSize(input) + typeSize(result),
  );
};

/** Begins a view as soon as it is found, which may take some time. */
function* askView(
  machine: Machine,
  stack: Stack,
  to: string,
  argument: Value,
  search: ReturnType<World["findView"]>,
): Job<void> {
  const found = search === undefined || "code" in search ? search : yield* search;
  if (!found) {
    stack.push(NONE);
    return;
  }
  const asker = machine.frame;
  const frame = { ...asker, self: to as Address, sender: asker.self, amount: 0n, balance: found.balance };
  machine.view(frame, found.code, { left: argument, right: found.storage }, some);
}

const votingPower: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "key_hash") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(NAT), ({ gas, frame }, s) => {
    gas.spend(FIXED.votingPower);
    s.push(frame.world.votingPower(s.pop() as string, gas));
  });
};

const totalVotingPower: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  return does(stack.under(NAT), ({ gas, frame }, s) => {
    gas.spend(FIXED.totalVotingPower);
    s.push(frame.world.totalVotingPower(gas));
  });
};

const indexAddress: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "address") throw badStack(node, stack, scope);
  notInView(node, scope);
  return does(stack.drop(1).under(NAT), ({ gas, frame }, s) => {
    gas.spend(FIXED.indexAddress);
    s.push(frame.world.addressIndex(splitAddress(s.pop() as string).address, true, gas)!);
  });
};

const getAddressIndex: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "address") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", NAT)), ({ gas, frame }, s) => {
    gas.spend(FIXED.addressIndex);
    const index = frame.world.addressIndex(splitAddress(s.pop() as string).address, false, gas);
    s.push(index === undefined ? NONE : some(index));
  });
};

export const CHAIN_INSTRUCTIONS: Instructions = {
  CONTRACT: contract,
  ADDRESS: address,
  SELF: self,
  SELF_ADDRESS: frameInstruction(ADDRESS, (frame) => frame.self),
  IMPLICIT_ACCOUNT: implicitAccount,
  IS_IMPLICIT_ACCOUNT: isImplicitAccount,
  TRANSFER_TOKENS: transferTokens,
  SET_DELEGATE: setDelegate,
  CREATE_CONTRACT: createContract,
  EMIT: emit,
  VIEW: view,
  SOURCE: frameInstruction(ADDRESS, (frame) => frame.source),
  SENDER: frameInstruction(ADDRESS, (frame) => frame.sender),
  AMOUNT: frameInstruction(MUTEZ, (frame) => frame.amount),
  BALANCE: frameInstruction(MUTEZ, (frame) => frame.balance),
  NOW: frameInstruction(TIMESTAMP, (frame) => frame.world.now),
  LEVEL: frameInstruction(NAT, (frame) => frame.world.level),
  CHAIN_ID: frameInstruction(type("chain_id"), (frame) => frame.world.chainId, FIXED.chainId),
  MIN_BLOCK_TIME: frameInstruction(NAT, (frame) => frame.world.minBlockTime, FIXED.minBlockTime),
  INDEX_ADDRESS: indexAddress,
  GET_ADDRESS_INDEX: getAddressIndex,
  TOTAL_VOTING_POWER: totalVotingPower,
  VOTING_POWER: votingPower,
};
