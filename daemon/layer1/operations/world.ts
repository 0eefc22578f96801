// The chain as running scripts see it.
import { isImplicit, isOriginated } from "../../tezos/address.ts";
import { findEntrypoint } from "../michelson/entrypoints.ts";
import type { World } from "../michelson/instruction.ts";
import { looseScope, parseScript } from "../michelson/script.ts";
import { type Type, sameType } from "../michelson/type.ts";
import type { DataScope } from "../michelson/parse-value.ts";
import type { Contract } from "../state/context.ts";
import { type Execution, nextContract, takeReceipt } from "./execution.ts";

/** Type of what an address takes at an entrypoint, or undefined when it takes nothing there. */
export function entrypointType(
  execution: Pick<Execution, "context" | "block">,
  address: string,
  entrypoint: string,
  wanted: Type,
): Type | undefined {
  if (isImplicit(address)) {
    // Implicit accounts take unit, and hold tickets.
    return entrypoint === "default" && (wanted.prim === "unit" || wanted.prim === "ticket")
      ? wanted
      : undefined;
  }
  if (isOriginated(address)) {
    const contract = execution.context.account(address)?.contract;
    if (!contract) return undefined;
    const script = parseScript(contract.code);
    return findEntrypoint(script.parameter, script.entrypoints, entrypoint)?.type;
  }
  const { rollup } = execution.block;
  return address === rollup.address && entrypoint === "default" ? rollup.parameter() : undefined;
}

/** For reading data that a user gives. */
export function dataScope(execution: Pick<Execution, "context" | "block">, allowTickets = false): DataScope {
  return {
    compileLambda: (argument, result, code, recursive) =>
      looseScope(code).lambda(argument, result, code, recursive),
    hasEntrypoint: (address, entrypoint, argument) => {
      const found = entrypointType(execution, address, entrypoint, argument);
      return found !== undefined && sameType(found, argument);
    },
    hasBigMap: (id, key, value) => {
      const map = execution.context.bigMap(id);
      return map !== undefined && sameType(map.key, key) && sameType(map.value, value);
    },
    allowTickets,
  };
}

/** World of one running operation. */
export function worldOf(execution: Execution): World {
  const { context, block } = execution;
  const scope = dataScope(execution);
  return {
    get now() {
      execution.counters.readsTime = true;
      return block.timestamp;
    },
    level: BigInt(block.level),
    chainId: block.chainId,
    minBlockTime: block.minBlockTime,
    hasEntrypoint: scope.hasEntrypoint,
    hasBigMap: scope.hasBigMap,
    bigMapValue: (id, keyHash) => context.bigMapEntry(id, keyHash)?.value,
    isDelegate: (keyHash) => context.account(keyHash)?.delegate === keyHash,
    nextNonce: () => execution.counters.nonce++,
    nextContract: () => nextContract(execution),
    takeReceipt: (expression) => takeReceipt(execution, expression),
    findView: (address, name, input, output) => {
      const account = context.account(address);
      const contract: Contract | undefined = account?.contract;
      const view = contract && parseScript(contract.code).views.get(name);
      if (!account || !contract || !view || !sameType(view.input, input) || !sameType(view.output, output))
        return undefined;
      return { code: view.run, storage: contract.storage, balance: account.balance };
    },
  };
}
