// Instructions that read or address the chain: contracts, accounts, context.
import { isImplicit, joinAddress, splitAddress } from "../../../tezos/address.ts";
import { entrypointOf } from "../annotations.ts";
import { CHECK_INSTRUCTION } from "../check-costs.ts";
import { FIXED } from "../costs.ts";
import { entrypointsOf, findEntrypoint, searchCost } from "../entrypoints.ts";
import {
  type Frame,
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  typeIn,
  notInView,
} from "../instruction.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { TYPE_RULES } from "../parse-type.ts";
import { ADDRESS, MUTEZ, NAT, TIMESTAMP, type Type, UNIT, type, typeSize } from "../type.ts";
import {
  type AddressValue,
  type ContractValue,
  type KeyHashValue,
  NONE,
  type Value,
  some,
} from "../value.ts";

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
      const { address, entrypoint: inAddress } = splitAddress(s.pop() as AddressValue);
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
    s.push({ address: s.pop() as KeyHashValue, entrypoint: "default" });
  });
};

const isImplicitAccount: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (top?.prim !== "address") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", type("key_hash"))), (m, s) => {
    m.gas.spend(FIXED.step);
    const { address: account } = splitAddress(s.pop() as AddressValue);
    s.push(isImplicit(account) ? some(account) : NONE);
  });
};

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
    s.push(frame.world.addressIndex(splitAddress(s.pop() as AddressValue).address, true, gas)!);
  });
};

const getAddressIndex: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "address") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", NAT)), ({ gas, frame }, s) => {
    gas.spend(FIXED.addressIndex);
    const index = frame.world.addressIndex(splitAddress(s.pop() as AddressValue).address, false, gas);
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
