// Rollups originated by operations. They accept messages like the sandbox's own, but nobody runs them.
// Source of sizes and costs: Octez, `sc_rollup_storage.ml`, `sc_rollup_operations.ml`, `sc_rollup_costs_generated.ml`.
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b160, blake2b256 } from "../../tezos/blake2b.ts";
import type { OriginateRollup } from "../../tezos/content.ts";
import { fromHex } from "../../tezos/hex.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";
import { TYPE_RULES, parseType } from "../michelson/parse-type.ts";
import { typeSize } from "../michelson/type.ts";
import type { ContextReader } from "../state/context.ts";
import { payStorage } from "./balance.ts";
import { type Execution, nextNonceBytes } from "./execution.ts";
import { type AppliedParts, unlessEmpty } from "./receipt.ts";
import { allocationCost, writeCost } from "./storage-costs.ts";

export interface OriginatedRollup {
  readonly address: string;
  readonly kind: string;
  readonly level: number;
  readonly genesisCommitment: string;
}

const ALL = "rollups";

/** Bytes of a rollup's storage, without its parameter type and its list of stakers. */
const SIZE = 6_546;
const KEY_HASH_BYTES = 21;
/** Milligas of installing an empty kernel, and per byte. */
const INSTALL = 13_550;
/** Milligas of storing a rollup, without its parameter type. */
const WRITE_ROLLUP = 1_518_089;

export const originatedRollups = (context: ContextReader): readonly OriginatedRollup[] =>
  (context.other(ALL) as readonly OriginatedRollup[] | undefined) ?? [];

export function originateRollup(
  execution: Execution,
  content: OriginateRollup,
): Omit<AppliedParts, "consumed_milligas"> {
  const { context, gas, block } = execution;
  const kernel = fromHex(content.kernel)!; // checked when parsed
  const typeBytes = encodedLength(content.parameters_ty);
  gas.spend(deserializeCost(typeBytes));
  const parameters = parseType(content.parameters_ty, { rules: TYPE_RULES.packable, gas });
  gas.spend(10 + 6 * typeSize(parameters));
  gas.spend(INSTALL + 3 * kernel.length + (kernel.length >> 1) + WRITE_ROLLUP);
  gas.spend(allocationCost(typeBytes + 4) + writeCost(typeBytes + 4));
  const whitelist = content.whitelist === undefined ? 0 : 4 + KEY_HASH_BYTES * content.whitelist.length;
  const size = SIZE + 4 + typeBytes + whitelist;
  const address = encodeBase58("sr1", blake2b160(nextNonceBytes(execution)));
  // The real commitment covers the state of a PVM with this kernel; there is no PVM here.
  const genesisCommitment = encodeBase58("src1", blake2b256(kernel));
  const known = originatedRollups(context);
  if (known.length >= MOST_ROLLUPS) throw new MichelsonError(temporary("sandbox.state_full"));
  context.setOther(ALL, [
    ...known,
    { address, kind: content.pvm_kind, level: block.level, genesisCommitment },
  ]);
  const burned = payStorage(execution, BigInt(size));
  return {
    ...unlessEmpty("balance_updates", burned),
    address,
    genesis_commitment_hash: genesisCommitment,
    size: size.toString(),
  };
}

/** A bound, because all are kept in one list. */
const MOST_ROLLUPS = 1_000;
