// PACK, and the hash that names a key in a big map.
import { encodeBase58 } from "../../protocol/base58.ts";
import { blake2b256 } from "../../protocol/blake2b.ts";
import { encodeMicheline } from "./micheline-binary.ts";
import type { Type } from "./type.ts";
import { unparseValue } from "./unparse-value.ts";
import type { Value } from "./value.ts";

/** Bytes of PACK: `05` and the expression. */
export function packValue(t: Type, value: Value): Uint8Array {
  const body = encodeMicheline(unparseValue(t, value, "packed"));
  const packed = new Uint8Array(body.length + 1);
  packed[0] = 5;
  packed.set(body, 1);
  return packed;
}

/** Hash of a big map key as hex: BLAKE2b-256 of its packed bytes. */
export function hashKey(t: Type, key: Value): string {
  return Buffer.from(blake2b256(packValue(t, key))).toString("hex");
}

/** `expr...` text of a key hash. */
export const scriptExpr = (hash: string): string => encodeBase58("scriptExpr", Buffer.from(hash, "hex"));
