// The chain as running scripts see it. Lookups are charged to the operation.
import { type Address, isOriginated } from "../../tezos/address.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { type Micheline, expressionSize } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { findCost } from "../michelson/costs.ts";
import type { DataScope } from "../michelson/data-scope.ts";
import type { GasMeter } from "../michelson/gas.ts";
import type { FoundView, World } from "../michelson/instruction.ts";
import { permanent, traceErrors } from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { checkedScript } from "../michelson/script.ts";
import { type Type, sameType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { existingBigMap } from "../state/context.ts";
import { addressIndex } from "./address-registry.ts";
import { payForStorage, readScript } from "./contract-costs.ts";
import { type Execution, nextContract, countInReceipt } from "./execution.ts";
import { extractBigMaps } from "./extract-big-maps.ts";
import { payForCollecting } from "./lazy-storage.ts";
import { STORED, dataScope } from "./read-data.ts";
import { hasBigMapEntryCost, readBalanceCost, readBigMapEntryCost } from "./storage-costs.ts";
import { totalVotingPower, votingPower } from "./voting-power.ts";

/** The world of one running operation. A class: an object of closures would be made anew for each call. */
export class RunningWorld implements World {
  readonly #execution: Execution;
  #scope: DataScope | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  get #data(): DataScope {
    return (this.#scope ??= dataScope(this.#execution));
  }

  get now(): bigint {
    this.#execution.counters.readsTime = true;
    return this.#execution.block.timestamp;
  }

  get level(): bigint {
    return BigInt(this.#execution.block.level);
  }

  get chainId(): string {
    return this.#execution.block.chainId;
  }

  get minBlockTime(): bigint {
    return this.#execution.block.minBlockTime;
  }

  hasEntrypoint(...asked: Parameters<World["hasEntrypoint"]>): boolean {
    return this.#data.hasEntrypoint(...asked);
  }

  bigMapTypes(...asked: Parameters<World["bigMapTypes"]>): ReturnType<World["bigMapTypes"]> {
    return this.#data.bigMapTypes(...asked);
  }

  hasBigMapEntry(id: bigint, keyHash: string, gas: GasMeter): boolean {
    gas.spend(hasBigMapEntryCost);
    return this.#execution.context.bigMapEntry(id, keyHash) !== undefined;
  }

  bigMapValue(id: bigint, keyHash: string): Job<Value | undefined> {
    return bigMapValue(this.#execution, id, keyHash);
  }

  votingPower(keyHash: string): bigint {
    return votingPower(this.#execution, keyHash);
  }

  totalVotingPower(): bigint {
    return totalVotingPower(this.#execution);
  }

  addressIndex(address: string, add: boolean, gas: GasMeter): bigint | undefined {
    return addressIndex(this.#execution, address, add, gas);
  }

  nextNonce(): number {
    return this.#execution.counters.nonce++;
  }

  nextContract(): Address {
    return nextContract(this.#execution);
  }

  countInReceipt(expression: Micheline): void {
    countInReceipt(this.#execution, expression);
  }

  *carry(t: Type, value: Value, gas: GasMeter): ReturnType<World["carry"]> {
    yield* payForCollecting(t, value, gas);
    return yield* extractBigMaps(this.#execution, t, value, { for: "operation" });
  }

  findView(address: string, name: string, input: Type, output: Type): Job<FoundView | undefined> {
    return findView(this.#execution, address, name, input, output);
  }
}

function* bigMapValue(execution: Execution, id: bigint, keyHash: string): Job<Value | undefined> {
  const { context, gas } = execution;
  const entry = context.bigMapEntry(id, keyHash);
  if (!entry) {
    gas.spend(readBigMapEntryCost(undefined));
    return undefined;
  }
  const { value: t } = existingBigMap(context, id);
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
  traceErrors(
    () => permanent("michelson_v1.ill_typed_contract", { ill_typed_code: view.code, type_map: [] }),
    () => gas.spend(view.checkCost),
  );
  if (!sameType(view.output, output, gas) || !sameType(input, view.input, gas)) return undefined;
  gas.spend(readBalanceCost);
  return { code: view.run, storage: contract.storage, balance: account.balance };
}
