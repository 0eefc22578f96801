// The chain as running scripts see it. Lookups are charged to the operation.
import { isOriginated } from "../../tezos/address.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { expressionSize } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { findCost } from "../michelson/costs.ts";
import type { FoundView, World } from "../michelson/instruction.ts";
import { permanent, traced } from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { checkedScript } from "../michelson/script.ts";
import { type Type, sameType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { addressIndex } from "./address-registry.ts";
import { payForStorage, readScript } from "./contract-costs.ts";
import { type Execution, nextContract, countInReceipt } from "./execution.ts";
import { extractBigMaps } from "./extract-big-maps.ts";
import { payForCollecting } from "./lazy-storage.ts";
import { STORED, dataScope } from "./read-data.ts";
import { hasBigMapEntryCost, readBalanceCost, readBigMapEntryCost } from "./storage-costs.ts";
import { totalVotingPower, votingPower } from "./voting-power.ts";

/** The world of one running operation. */
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
    bigMapTypes: scope.bigMapTypes,
    hasBigMapEntry: (id, keyHash, gas) => {
      gas.spend(hasBigMapEntryCost);
      return context.bigMapEntry(id, keyHash) !== undefined;
    },
    bigMapValue: (id, keyHash) => bigMapValue(execution, id, keyHash),
    votingPower: (keyHash) => votingPower(execution, keyHash),
    totalVotingPower: () => totalVotingPower(execution),
    addressIndex: (address, add, gas) => addressIndex(execution, address, add, gas),
    nextNonce: () => execution.counters.nonce++,
    nextContract: () => nextContract(execution),
    countInReceipt: (expression) => countInReceipt(execution, expression),
    *carry(t, value, gas) {
      yield* payForCollecting(t, value, gas);
      return yield* extractBigMaps(execution, t, value, { for: "operation" });
    },
    findView: (address, name, input, output) => findView(execution, address, name, input, output),
  };
}

function* bigMapValue(execution: Execution, id: bigint, keyHash: string): Job<Value | undefined> {
  const { context, gas } = execution;
  const entry = context.bigMapEntry(id, keyHash);
  if (!entry) {
    gas.spend(readBigMapEntryCost(undefined));
    return undefined;
  }
  const { value: t } = context.bigMap(id)!;
  const written = yield* unparseWithRests(t, entry.value, "optimized");
  gas.spend(readBigMapEntryCost(encodedLength(written)));
  const { nodes, numberBytes, textBytes } = expressionSize(written);
  gas.spend(Math.max(10, 60 * nodes + 10 * numberBytes + 10 * textBytes));
  const read = yield* readValue(t, written, dataScope(execution, STORED));
  return execution.isTraced ? read : entry.value;
}

function* findView(
  execution: Execution,
  address: string,
  name: string,
  input: Type,
  output: Type,
): Job<FoundView | undefined> {
  const { context, gas } = execution;
  if (!isOriginated(address)) return undefined;
  const account = context.account(address);
  const contract = account?.contract;
  readScript(execution, contract);
  if (!account || !contract) return undefined;
  const script = yield* checkedScript(contract.code, gas);
  yield* payForStorage(execution, script, contract);
  gas.spend(findCost(name.length, script.views.size));
  const view = script.views.get(name);
  if (!view) return undefined;
  traced(
    () => permanent("michelson_v1.ill_typed_contract", { ill_typed_code: view.code, type_map: [] }),
    () => gas.spend(view.checkCost),
  );
  if (!sameType(view.output, output, gas) || !sameType(input, view.input, gas)) return undefined;
  gas.spend(readBalanceCost);
  return { code: view.run, storage: contract.storage, balance: account.balance };
}
