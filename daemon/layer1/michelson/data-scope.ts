// What reading data needs to know of the chain and of the place that the data are for.
import type { Micheline } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import type { GasMeter } from "./gas.ts";
import type { LeafScope } from "./parse-leaf.ts";
import type { Type } from "./type.ts";
import type { LambdaValue } from "./value.ts";

/** Context for reading data. */
export interface DataScope extends LeafScope {
  compileLambda(argument: Type, result: Type, code: Micheline, recursive: boolean): Job<LambdaValue>;
  /** True when the contract exists and its entrypoint takes this type. Pays for looking it up. */
  hasEntrypoint(address: string, entrypoint: string, argument: Type, gas: GasMeter): boolean;
  /** Types of a stored big map; undefined when there is none with this id. Charges for the lookup. */
  bigMapTypes(id: bigint, gas: GasMeter): { readonly key: Type; readonly value: Type } | undefined;
  /** Whether ticket literals are allowed: those that an account owns; never in code or in UNPACK. */
  readonly allowTickets: boolean;
  /** Whether stored big maps may be given by id: in data from the state, never from a user. */
  readonly allowBigMapIds: boolean;
}
