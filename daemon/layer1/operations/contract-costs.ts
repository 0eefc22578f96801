// Costs of loading and storing a contract. A contract that has run once stays in the protocol's cache, where lookup is
// cheap; only the first call pays for reading and checking it.
// Source: Octez, `script_cache.ml` and `cache_repr.ml`.
import type { Job } from "../job.ts";
import { MEASURE_NODE } from "../michelson/check-costs.ts";
import { valueNodes } from "../michelson/measure.ts";
import { permanent, traceJobErrors } from "../michelson/michelson-error.ts";
import { type Script, checkedScript } from "../michelson/script.ts";
import { plainType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import type { Contract } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { payForReading } from "./read-data.ts";
import { readScriptCost } from "./storage-costs.ts";

type Payer = Pick<Execution, "context" | "block" | "gas">;

/**
 * Milligas of a lookup or insertion in the cache of contracts. The protocol charges by how full the cache is. On
 * long-running networks it is full, so that is assumed here: 100,000,000 bytes of contracts of at least 688.
 */
const CACHE_ACCESS = 600 + 43 * 19;

/** Charges for reading code and storage. */
export function readScript({ gas }: Payer, contract: Contract | undefined): void {
  gas.spend(readScriptCost(contract?.codeBytes));
  gas.spend(readScriptCost(contract?.storageBytes));
}

/** Reads a contract as a call does. */
export function* loadContract(payer: Payer, contract: Contract): Job<Script> {
  const { gas } = payer;
  gas.spend(CACHE_ACCESS);
  if (contract.isCached) return yield* checkedScript(contract.code);
  readScript(payer, contract);
  const script = yield* checkedScript(contract.code, gas);
  yield* payForStorage(payer, script, contract);
  gas.spend(MEASURE_NODE * valueNodes(script.storage, contract.storage, true));
  gas.spend(CACHE_ACCESS);
  return script;
}

/** The storage of a contract that has not been read yet. */
export const payForStorage = (payer: Payer, script: Script, contract: Contract): Job<void> =>
  traceJobErrors(
    () =>
      permanent("michelson_v1.ill_typed_data", {
        expected_type: plainType(script.storage),
        ill_typed_expression: unparseValue(script.storage, contract.storage, "optimized"),
      }),
    payForReading(payer, script.storage, contract.storage),
  );

/** Charges for measuring a contract after its call and for keeping it in the cache. */
export function keepInCache({ gas }: Execution, script: Script, storage: Value): void {
  gas.spend(MEASURE_NODE * valueNodes(script.storage, storage, true) + CACHE_ACCESS);
}
