// Reads data from users, scripts or the state, and charges for lookups on the way.
import { isImplicit, isOriginated } from "../../tezos/address.ts";
import type { Job } from "../job.ts";
import { CHECK_TYPE_NODE, sameTypeCost } from "../michelson/check-costs.ts";
import type { DataScope } from "../michelson/data-scope.ts";
import { entrypointsOf, findEntrypoint, searchCost } from "../michelson/entrypoints.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { readValue } from "../michelson/parse-value.ts";
import { lambdaInData, parseParameter } from "../michelson/script.ts";
import { type Type, sameType, typeSize } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import type { Execution } from "./execution.ts";
import { readBigMapTypesCost, readScriptCost } from "./storage-costs.ts";

type Surroundings = Pick<Execution, "context" | "block">;

/** Argument type of an entrypoint of a contract or the rollup; undefined when there is none. */
export function entrypointType(
  execution: Surroundings,
  address: string,
  entrypoint: string,
  gas?: GasMeter,
): Type | undefined {
  const parameter = parameterOf(execution, address, gas);
  if (!parameter) return undefined;
  gas?.spend(searchCost(parameter, entrypoint));
  return findEntrypoint(parameter, entrypointsOf(parameter), entrypoint)?.type;
}

function parameterOf({ context, block }: Surroundings, address: string, gas?: GasMeter): Type | undefined {
  if (isOriginated(address)) {
    const contract = context.account(address)?.contract;
    gas?.spend(readScriptCost(contract?.codeBytes));
    return contract && parseParameter(contract.code, gas);
  }
  if (address !== block.rollup.address) return undefined;
  const parameter = block.rollup.parameter();
  gas?.spend(CHECK_TYPE_NODE * typeSize(parameter));
  return parameter;
}

function hasEntrypoint(
  execution: Surroundings,
  address: string,
  entrypoint: string,
  argument: Type,
  gas: GasMeter,
): boolean {
  if (isImplicit(address)) {
    // Implicit accounts accept unit and tickets.
    if (entrypoint !== "default") return false;
    gas.spend(sameTypeCost(1));
    return argument.prim === "unit" || argument.prim === "ticket";
  }
  const found = entrypointType(execution, address, entrypoint, gas);
  return found !== undefined && sameType(found, argument, gas);
}

/** What data may contain, depending on its origin. */
export interface DataRights {
  readonly allowTickets?: boolean;
  readonly allowBigMapIds?: boolean;
  /** Lambdas may contain deprecated code. */
  readonly legacy?: boolean;
  /** The data comes from the state, so curve points in it need no further check. */
  readonly isStored?: boolean;
}

/** The scope for reading data. */
export function dataScope(
  execution: Pick<Execution, "context" | "block" | "gas" | "isTraced">,
  { allowTickets = false, allowBigMapIds = false, legacy = false, isStored = false }: DataRights = {},
): DataScope {
  const { gas, context, isTraced = false } = execution;
  return {
    gas,
    compileLambda: (argument, result, code, recursive) =>
      lambdaInData(argument, result, code, recursive, gas, legacy, isTraced),
    hasEntrypoint: (address, entrypoint, argument, meter) =>
      hasEntrypoint(execution, address, entrypoint, argument, meter),
    bigMapTypes: (id, meter) => {
      meter.spend(readBigMapTypesCost);
      return context.bigMap(id);
    },
    allowTickets,
    allowBigMapIds,
    isStored,
  };
}

/** Rights of data that the chain itself has stored. */
export const STORED: DataRights = { allowTickets: true, allowBigMapIds: true, legacy: true, isStored: true };

/** Reads a stored value again, which is what the protocol does with it, and what is paid for. */
export function* payForReading(
  execution: Pick<Execution, "context" | "block" | "gas">,
  t: Type,
  value: Value,
): Job<void> {
  yield* readValue(t, yield* unparseWithRests(t, value, "optimized"), dataScope(execution, STORED));
}
