// Addresses in the 22-byte form of layer 1: a tag, the hash, and padding on the side that the tag chooses.
import { addressKind, type AddressKind, encodeAddress } from "../../tezos/address.ts";
import { decodeBase58 } from "../../tezos/base58.ts";
import type { Micheline } from "./micheline.ts";

const KEY_KINDS = ["tz1", "tz2", "tz3", "tz4"] as const satisfies readonly AddressKind[];
const LENGTH = 22;

/** Address text of the bytes, or undefined. An entrypoint behind the address is left out. */
function addressOfBytes(bytes: Uint8Array): string | undefined {
  if (bytes.length < LENGTH) return undefined;
  switch (bytes[0]) {
    case 0:
      return bytes.length === LENGTH ? addressOfKeyHash(bytes.subarray(1, LENGTH)) : undefined;
    case 1:
      return bytes[21] === 0 ? encodeAddress("KT1", bytes.subarray(1, 21)) : undefined;
    case 3:
      return bytes[21] === 0 ? encodeAddress("sr1", bytes.subarray(1, 21)) : undefined;
    default:
      return undefined;
  }
}

/** Address text of a tagged key hash (21 bytes), or undefined. */
export function addressOfKeyHash(bytes: Uint8Array): string | undefined {
  const kind = KEY_KINDS[bytes[0] ?? -1];
  return kind === undefined || bytes.length !== 21 ? undefined : encodeAddress(kind, bytes.subarray(1));
}

/** 22 bytes of an address. @throws TypeError when the text is not an address: callers have checked it. */
export function bytesOfAddress(address: string): Uint8Array {
  const kind = addressKind(address);
  const hash = kind && decodeBase58(kind, address);
  if (kind === undefined || hash === undefined) throw new TypeError(`${address} is not an address`);
  const bytes = new Uint8Array(LENGTH);
  if (kind === "KT1" || kind === "sr1") {
    bytes[0] = kind === "KT1" ? 1 : 3;
    bytes.set(hash, 1);
  } else {
    bytes[1] = KEY_KINDS.indexOf(kind);
    bytes.set(hash, 2);
  }
  return bytes;
}

/** Address of a Micheline value in either form, or undefined. */
export function asAddress(value: Micheline | undefined): string | undefined {
  if (value === undefined) return undefined;
  if ("bytes" in value) return addressOfBytes(value.bytes);
  if (!("string" in value)) return undefined;
  const address = value.string.split("%")[0] ?? "";
  return addressKind(address) === undefined ? undefined : address;
}
