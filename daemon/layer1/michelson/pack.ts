// PACK, and the hash that names a key in a big map.
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { extentOf } from "../../tezos/micheline.ts";
import { type Job, finish } from "../job.ts";
import { HASH_COSTS } from "./costs.ts";
import type { GasMeter } from "./gas.ts";
import { packSmall } from "./pack-small.ts";
import { type Type, isUnbounded } from "./type.ts";
import { unparseWithRests } from "./unparse-value.ts";
import type { Value } from "./value.ts";

/**
 * PACK: `05` and the expression. Rests after some thousand nodes.
 * @throws MichelsonError when `gas` does not suffice or there would be too many bytes
 */
export function* packWithRests(t: Type, value: Value, gas?: GasMeter): Job<Uint8Array> {
  const small = packSmall(t, value, gas);
  if (small) return small.slice();
  const expression = yield* unparseWithRests(t, value, "packed", gas);
  gas?.reserveText(extentOf(expression).bytes);
  if (isUnbounded(t)) yield; // the bytes of a long expression take a while by themselves
  const body = encodeMicheline(expression);
  const packed = new Uint8Array(body.length + 1);
  packed[0] = 5;
  packed.set(body, 1);
  return packed;
}

/** As {@link packWithRests} in one go, for what is known to be small. */
export const packValue = (t: Type, value: Value, gas?: GasMeter): Uint8Array =>
  finish(packWithRests(t, value, gas));

/** Hash of a big-map key as hex: BLAKE2b-256 of its packed bytes. */
export function hashKey(t: Type, key: Value, gas?: GasMeter): string {
  const packed = packSmall(t, key, gas) ?? packValue(t, key, gas);
  gas?.spend(HASH_COSTS.blake2b(packed.length));
  return toHex(blake2b256(packed));
}

/** `expr...` text of a key hash. */
export const scriptExpr = (hash: string): string => encodeBase58("scriptExpr", Buffer.from(hash, "hex"));
