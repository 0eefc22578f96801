// What loading and keeping a contract costs. A contract that has run once stays in the protocol's cache: finding it
// there is cheap, and only the first call pays for reading and checking it.
// Source: Octez, `script_cache.ml` and `cache_repr.ml`.
import type { Contract } from "../state/context.ts";
import { MEASURE_NODE } from "../michelson/check-costs.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { valueNodes } from "../michelson/measure.ts";
import { parseScript, type Script } from "../michelson/script.ts";
import type { Value } from "../michelson/value.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { Execution } from "./execution.ts";
import { readScriptCost } from "./storage-costs.ts";
import { payForReading } from "./read-data.ts";

type Payer = Pick<Execution, "context" | "block" | "gas">;

/** Bytes in memory of the smallest contract, by which the protocol guesses how many the cache holds. */
const SMALLEST_CONTRACT = 688;
/** About what a node of a checked script takes there. */
const BYTES_PER_NODE = 40;
const CACHE_BYTES = "cacheBytes";
/** Milligas of a contract's first call that are in all recorded calls, whatever the contract is. */
const FIRST_CALL = 1_722;

/** Finding a contract in the cache, or putting it there. */
function cacheCost({ context }: Payer): number {
  const bytes = (context.other(CACHE_BYTES) as number | undefined) ?? 0;
  const contracts = Math.floor(bytes / SMALLEST_CONTRACT);
  return 600 + 43 * (33 - Math.clz32(contracts + 1));
}

/** Reads code and storage. */
export function readScript({ gas }: Payer, contract: Contract | undefined): void {
  gas.spend(readScriptCost(contract?.codeBytes));
  gas.spend(readScriptCost(contract?.storageBytes));
}

/** Reads a contract as a call does. */
export function loadContract(payer: Payer, contract: Contract): Script {
  const { gas } = payer;
  gas.spend(cacheCost(payer));
  if (contract.isCached) return parseScript(contract.code);
  readScript(payer, contract);
  const script = parseScript(contract.code, gas);
  payForStorage(payer, script, contract);
  gas.spend(MEASURE_NODE * valueNodes(script.storage, contract.storage, true));
  gas.spend(cacheCost(payer) + FIRST_CALL);
  return script;
}

/** The storage of a contract that has not been read yet. */
export const payForStorage = (payer: Payer, script: Script, contract: Contract): void =>
  payForReading(payer, script.storage, contract.storage);

/** Measures a contract after its call and keeps it in the cache. */
export function keepInCache(execution: Execution, script: Script, storage: Value, wasCached: boolean): void {
  const { context, gas } = execution;
  const nodes = valueNodes(script.storage, storage, true);
  gas.spend(MEASURE_NODE * nodes + cacheCost(execution));
  if (wasCached) return;
  const bytes = (context.other(CACHE_BYTES) as number | undefined) ?? 0;
  const scriptNodes = script.nodes + nodes;
  context.setOther(CACHE_BYTES, bytes + BYTES_PER_NODE * scriptNodes);
}

/** Bytes of a storage in binary form. */
export const storageBytes = (script: Script, storage: Value): number =>
  encodeMicheline(unparseValue(script.storage, storage, "optimized")).length;
