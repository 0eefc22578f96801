// Packing, hashing and signatures.
import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3";
import { blake2b256 } from "../../../tezos/blake2b.ts";
import { hashOfKey, publicKeyBytes, signatureBytes } from "../../../tezos/address.ts";
import { MalformedBytes } from "../../../tezos/byte-reader.ts";
import { CHECK_DATUM, FIXED, HASH_COSTS, SERIALIZED_BYTE, signatureCost } from "../costs.ts";
import { checkSignature } from "../../../tezos/check-signature.ts";
import {
  type Instruction,
  type Instructions,
  type Scope,
  argumentsOf,
  badStack,
  does,
} from "../instruction.ts";
import type { Machine } from "../machine.ts";
import { countNodes } from "../../../tezos/micheline.ts";
import { decodeMicheline } from "../../../tezos/micheline-binary.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { packValue } from "../pack.ts";
import { parseValue } from "../parse-value.ts";
import { BOOL, BYTES, type Type, isPackable, isUnpackable, parseType, type, unparseType } from "../type.ts";
import { NONE, type Value, some } from "../value.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const hashing =
  (hash: (bytes: Buffer) => Uint8Array, cost: (size: number) => number): Instruction =>
  (node, stack, scope) => {
    if (stack.top?.prim !== "bytes") throw badStack(node, stack, scope);
    return does(stack, ({ gas }, s) => {
      const text = s.pop() as string;
      gas.spend(cost(text.length / 2));
      s.push(hex(hash(Buffer.from(text, "hex"))));
    });
  };

const pack: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (!top) throw badStack(node, stack, scope);
  if (!isPackable(top))
    throw new MichelsonError(
      permanent("michelson_v1.unexpected_type", { location: scope.location(node), type: unparseType(top) }),
    );
  return does(stack.drop(1).under(BYTES), (m, s) => void s.push(hex(packValue(top, s.pop()!, m.gas))));
};

function unpackValue(t: Type, text: string, machine: Machine, scope: Scope): Value | undefined {
  const { gas, frame } = machine;
  gas.spend(SERIALIZED_BYTE * (text.length / 2));
  const bytes = Buffer.from(text, "hex");
  if (bytes[0] !== 5) return undefined;
  try {
    const expression = decodeMicheline(bytes.subarray(1));
    gas.spend(CHECK_DATUM * countNodes(expression));
    return parseValue(t, expression, {
      compileLambda: (argument, result, code, recursive) => {
        gas.spend(CHECK_DATUM * countNodes(code));
        return scope.lambda(argument, result, code, recursive);
      },
      hasEntrypoint: (address, entrypoint, argument) =>
        frame.world.hasEntrypoint(address, entrypoint, argument),
      hasBigMap: () => false,
      allowTickets: false,
    });
  } catch (error) {
    if (error instanceof MichelsonError && error.errors[0]?.id === "gas_exhausted.operation") throw error;
    if (error instanceof MalformedBytes || error instanceof MichelsonError) return undefined;
    throw error;
  }
}

const unpack: Instruction = (node, stack, scope) => {
  const wanted = parseType(argumentsOf(node, 1, scope)[0]!);
  if (stack.top?.prim !== "bytes" || !isUnpackable(wanted)) throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("option", wanted)), (m, s) => {
    const value = unpackValue(wanted, s.pop() as string, m, scope);
    s.push(value === undefined ? NONE : some(value));
  });
};

const hashKeyInstruction: Instruction = (node, stack, scope) => {
  if (stack.top?.prim !== "key") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("key_hash")), (m, s) => {
    m.gas.spend(FIXED.hashKey);
    s.push(hashOfKey(s.pop() as string));
  });
};

const checkSignatureInstruction: Instruction = (node, stack, scope) => {
  const [key, signature, message] = stack.head(3);
  if (key?.prim !== "key" || signature?.prim !== "signature" || message?.prim !== "bytes")
    throw badStack(node, stack, scope);
  return does(stack.drop(3).under(BOOL), ({ gas }, s) => {
    const publicKey = s.pop() as string;
    const signed = signatureBytes(s.pop() as string)!;
    const text = s.pop() as string;
    gas.spend(signatureCost(publicKeyBytes(publicKey)![0]!, text.length / 2));
    s.push(checkSignature(publicKey, signed, Buffer.from(text, "hex")));
  });
};

export const CRYPTO_INSTRUCTIONS: Instructions = {
  PACK: pack,
  UNPACK: unpack,
  BLAKE2B: hashing(blake2b256, HASH_COSTS.blake2b),
  SHA256: hashing((bytes) => createHash("sha256").update(bytes).digest(), HASH_COSTS.sha256),
  SHA512: hashing((bytes) => createHash("sha512").update(bytes).digest(), HASH_COSTS.sha512),
  SHA3: hashing((bytes) => createHash("sha3-256").update(bytes).digest(), HASH_COSTS.sha3),
  KECCAK: hashing((bytes) => keccak_256(bytes), HASH_COSTS.sha3),
  HASH_KEY: hashKeyInstruction,
  CHECK_SIGNATURE: checkSignatureInstruction,
};
