// Instructions that see or address the chain: contracts, operations, context, views, events.
import { FIXED, TYPE_NODE } from "../costs.ts";
import type { InternalOperation } from "../internal-operation.ts";
import { isImplicit, joinAddress, splitAddress } from "../../../tezos/address.ts";
import { entrypointsOf, findEntrypoint } from "../entrypoints.ts";
import {
  type Frame,
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  entrypointOf,
} from "../instruction.ts";
import { SCRIPT_GAS } from "../gas.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import {
  ADDRESS,
  MUTEZ,
  NAT,
  OPERATION,
  TIMESTAMP,
  type Type,
  UNIT,
  isPackable,
  isPassable,
  isViewable,
  parseType,
  sameType,
  type,
  typeSize,
} from "../type.ts";
import { unparseValue } from "../unparse-value.ts";
import { type ContractValue, NONE, type OptionValue, type Value, pair, some } from "../value.ts";

/** Looking a contract up, besides comparing types. */
const CONTRACT_GAS = 10_000;

/** Pushes something of the frame. */
const reading =
  (result: Type, read: (frame: Frame) => Value, cost: number = FIXED.context): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    return does(stack.under(result), (m, s) => {
      m.gas.spend(cost);
      s.push(read(m.frame));
    });
  };

const operation = (emitted: InternalOperation): Value => ({ operation: emitted });

function notInView(node: Parameters<Instruction>[0], scope: Parameters<Instruction>[2]): void {
  if (scope.isView)
    throw new MichelsonError(
      permanent("michelson_v1.forbidden_instr_in_context", {
        location: scope.location(node),
        forbidden_instruction: node.prim,
      }),
    );
}

const contract: Instruction = (node, stack, scope) => {
  const wanted = parseType(argumentsOf(node, 1, scope)[0]!);
  const { top } = stack;
  if (top?.prim !== "address") throw badStack(node, stack, scope);
  if (!isPassable(wanted)) throw badStack(node, stack, scope);
  const named = entrypointOf(node);
  const cost = CONTRACT_GAS + TYPE_NODE * typeSize(wanted);
  return does(stack.drop(1).under(type("option", type("contract", wanted))), (m, s) => {
    const { address, entrypoint: inAddress } = splitAddress(s.pop() as string);
    m.gas.spend(cost);
    // Both the address and the instruction may name an entrypoint, but not both at once.
    const entrypoint = named === "default" ? inAddress : inAddress === "default" ? named : undefined;
    const found = entrypoint !== undefined && m.frame.world.hasEntrypoint(address, entrypoint, wanted);
    s.push(found ? some({ address, entrypoint }) : NONE);
  });
};

const address: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (top?.prim !== "contract") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(ADDRESS), (m, s) => {
    m.gas.spend(FIXED.stack);
    const value = s.pop() as ContractValue;
    s.push(joinAddress(value.address, value.entrypoint));
  });
};

const self: Instruction = (node, stack, scope) => {
  if (!scope.parameter)
    throw new MichelsonError(permanent("michelson_v1.self_in_lambda", { location: scope.location(node) }));
  const name = entrypointOf(node);
  const found = findEntrypoint(scope.parameter, entrypointsOf(scope.parameter), name);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: name }));
  return does(stack.under(type("contract", found.type)), (m, s) => {
    m.gas.spend(FIXED.context);
    s.push({ address: m.frame.self, entrypoint: name });
  });
};

const implicitAccount: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (top?.prim !== "key_hash") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("contract", UNIT)), (m, s) => {
    m.gas.spend(FIXED.stack);
    s.push({ address: s.pop() as string, entrypoint: "default" });
  });
};

const isImplicitAccount: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (top?.prim !== "address") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", type("key_hash"))), (m, s) => {
    m.gas.spend(FIXED.stack);
    const text = s.pop() as string;
    s.push(isImplicit(text) && !text.includes("%") ? some(text) : NONE);
  });
};

const transferTokens: Instruction = (node, stack, scope) => {
  notInView(node, scope);
  const [argument, amount, target] = stack.head(3);
  if (
    !argument ||
    amount?.prim !== "mutez" ||
    target?.prim !== "contract" ||
    !sameType(argument, target.args[0]!)
  )
    throw badStack(node, stack, scope);
  return does(stack.drop(3).under(OPERATION), ({ gas, frame }, s) => {
    gas.spend(FIXED.operation);
    const value = s.pop()!;
    const mutez = s.pop() as bigint;
    const to = s.pop() as ContractValue;
    const written = unparseValue(argument, value, "optimized", gas);
    frame.world.takeReceipt(written);
    s.push(
      operation({
        kind: "transaction",
        source: frame.self,
        nonce: frame.world.nextNonce(),
        amount: mutez,
        destination: to.address,
        entrypoint: to.entrypoint,
        type: argument,
        argument: value,
        written,
      }),
    );
  });
};

const setDelegate: Instruction = (node, stack, scope) => {
  notInView(node, scope);
  const { top } = stack;
  if (top?.prim !== "option" || top.args[0]!.prim !== "key_hash") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(OPERATION), ({ gas, frame }, s) => {
    gas.spend(FIXED.operation);
    const delegate = (s.pop() as OptionValue).some as string | undefined;
    s.push(operation({ kind: "delegation", source: frame.self, nonce: frame.world.nextNonce(), delegate }));
  });
};

const createContract: Instruction = (node, stack, scope) => {
  notInView(node, scope);
  const [code] = argumentsOf(node, 1, scope);
  const [delegate, amount, storage] = stack.head(3);
  const script = scope.script(code!);
  if (
    delegate?.prim !== "option" ||
    delegate.args[0]!.prim !== "key_hash" ||
    amount?.prim !== "mutez" ||
    !storage ||
    !sameType(storage, script.storage)
  ) {
    throw badStack(node, stack, scope);
  }
  return does(stack.drop(3).under(OPERATION, ADDRESS), ({ gas, frame }, s) => {
    gas.spend(FIXED.operation);
    const chosen = (s.pop() as OptionValue).some as string | undefined;
    const balance = s.pop() as bigint;
    const initial = s.pop()!;
    const written = unparseValue(storage, initial, "optimized", gas);
    frame.world.takeReceipt([code!, written]);
    const created = frame.world.nextContract();
    s.push(
      created,
      operation({
        kind: "origination",
        source: frame.self,
        nonce: frame.world.nextNonce(),
        address: created,
        balance,
        delegate: chosen,
        code: code!,
        storageType: storage,
        storage: initial,
        written,
      }),
    );
  });
};

const emit: Instruction = (node, stack, scope) => {
  notInView(node, scope);
  const payload = stack.top;
  if (!payload || !isPackable(payload)) throw badStack(node, stack, scope);
  const declared = node.args?.[0] === undefined ? payload : parseType(node.args[0]);
  if (!sameType(declared, payload)) throw badStack(node, stack, scope);
  const name = entrypointOf(node);
  const tag = node.annots?.some((annotation) => annotation.startsWith("%")) ? name : undefined;
  return does(stack.drop(1).under(OPERATION), ({ gas, frame }, s) => {
    gas.spend(FIXED.operation);
    const written = unparseValue(payload, s.pop()!, "optimized", gas);
    frame.world.takeReceipt(written);
    s.push(
      operation({
        kind: "event",
        source: frame.self,
        nonce: frame.world.nextNonce(),
        tag,
        type: declared,
        written,
      }),
    );
  });
};

const view: Instruction = (node, stack, scope) => {
  const [nameNode, resultNode] = argumentsOf(node, 2, scope);
  const result = parseType(resultNode!);
  const [input, target] = stack.head(2);
  if (
    !nameNode ||
    Array.isArray(nameNode) ||
    !("string" in nameNode) ||
    !input ||
    target?.prim !== "address" ||
    !isViewable(result)
  )
    throw badStack(node, stack, scope);
  const name = nameNode.string;
  const cost = FIXED.view + TYPE_NODE * (typeSize(input) + typeSize(result));
  return does(stack.drop(2).under(type("option", result)), (m, s) => {
    m.gas.spend(cost);
    const argument = s.pop()!;
    const { address: to, entrypoint } = splitAddress(s.pop() as string);
    const asker = m.frame;
    const found = entrypoint === "default" ? asker.world.findView(to, name, input, result) : undefined;
    if (!found) {
      s.push(NONE);
      return;
    }
    m.gas.spend(SCRIPT_GAS / 4);
    m.frame = { ...asker, self: to, sender: asker.self, amount: 0n, balance: found.balance };
    m.apart(found.code, [pair(argument, found.storage)], (answer) => {
      m.frame = asker;
      s.push(some(answer));
    });
  });
};

const votingPower: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (top?.prim !== "key_hash") throw badStack(node, stack, scope);
  // Nobody bakes by stake in this chain, so nobody has voting power.
  return does(stack.drop(1).under(NAT), (m, s) => {
    m.gas.spend(FIXED.votingPower);
    s[s.length - 1] = 0n;
  });
};

export const CHAIN_INSTRUCTIONS: Instructions = {
  CONTRACT: contract,
  ADDRESS: address,
  SELF: self,
  SELF_ADDRESS: reading(ADDRESS, (frame) => frame.self),
  IMPLICIT_ACCOUNT: implicitAccount,
  IS_IMPLICIT_ACCOUNT: isImplicitAccount,
  TRANSFER_TOKENS: transferTokens,
  SET_DELEGATE: setDelegate,
  CREATE_CONTRACT: createContract,
  EMIT: emit,
  VIEW: view,
  SOURCE: reading(ADDRESS, (frame) => frame.source),
  SENDER: reading(ADDRESS, (frame) => frame.sender),
  AMOUNT: reading(MUTEZ, (frame) => frame.amount),
  BALANCE: reading(MUTEZ, (frame) => frame.balance),
  NOW: reading(TIMESTAMP, (frame) => frame.world.now),
  LEVEL: reading(NAT, (frame) => frame.world.level),
  CHAIN_ID: reading(type("chain_id"), (frame) => frame.world.chainId),
  MIN_BLOCK_TIME: reading(NAT, (frame) => frame.world.minBlockTime),
  TOTAL_VOTING_POWER: reading(NAT, () => 0n, FIXED.votingPower),
  VOTING_POWER: votingPower,
};
