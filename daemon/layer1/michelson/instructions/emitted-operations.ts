// Instructions that emit operations: transfers, delegations, originations, events.
import { type Address, isImplicit, isOriginated } from "../../../tezos/address.ts";
import { type Micheline, countNodes } from "../../../tezos/micheline.ts";
import { type Mutez, mutez } from "../../../tezos/mutez.ts";
import type { Job } from "../../job.ts";
import { entrypointOf } from "../annotations.ts";
import { stripCost, writeTypeCost } from "../check-costs.ts";
import { FIXED } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  type Stack,
  argumentsOf,
  badStack,
  does,
  isSame,
  inconsistentTypes,
  requireItem,
  typeIn,
  notInView,
} from "../instruction.ts";
import type { InternalOperation } from "../internal-operation.ts";
import type { Machine } from "../machine.ts";
import { expressionNodes } from "../measure.ts";
import { TYPE_RULES } from "../parse-type.ts";
import { requirePackable } from "../type-rules.ts";
import { ADDRESS, OPERATION, type Type, plainType, type, typeSize } from "../type.ts";
import { unparseWithRests } from "../unparse-value.ts";
import { type ContractValue, type KeyHashOption, type Value } from "../value.ts";

const operation = (emitted: InternalOperation): Value => ({ operation: emitted });

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
      destination: to.address,
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
    const delegate = (s.pop() as KeyHashOption).some;
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
      const chosen = (s.pop() as KeyHashOption).some;
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

export const EMITTING_INSTRUCTIONS: Instructions = {
  TRANSFER_TOKENS: transferTokens,
  SET_DELEGATE: setDelegate,
  CREATE_CONTRACT: createContract,
  EMIT: emit,
};
