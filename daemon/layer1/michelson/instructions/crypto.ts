// Packing, hashing and signatures.
import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3";
import { encodeBase58 } from "../../../protocol/base58.ts";
import { blake2b160, blake2b256 } from "../../../protocol/blake2b.ts";
import { publicKeyBytes, signatureBytes } from "../address.ts";
import { MalformedBytes } from "../byte-reader.ts";
import { checkSignature } from "../curves.ts";
import {
  type Frame,
  type Instruction,
  type Instructions,
  type Scope,
  argumentsOf,
  badStack,
} from "../instruction.ts";
import { decodeMicheline } from "../micheline-binary.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { packValue } from "../pack.ts";
import { parseValue } from "../parse-value.ts";
import { BOOL, BYTES, type Type, isPackable, isUnpackable, parseType, type, unparseType } from "../type.ts";
import { NONE, type Value, some } from "../value.ts";

const HASH_PREFIXES = ["tz1", "tz2", "tz3", "tz4"] as const;

/** Address of a public key. */
export function hashOfKey(publicKey: string): string {
  const tagged = publicKeyBytes(publicKey);
  if (!tagged) throw new RangeError("not a public key");
  return encodeBase58(HASH_PREFIXES[tagged[0]!]!, blake2b160(tagged.subarray(1)));
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const hashing =
  (hash: (bytes: Buffer) => Uint8Array): Instruction =>
  (node, stack, scope) => {
    if (stack[0]?.prim !== "bytes") throw badStack(node, stack, scope);
    return {
      after: stack,
      step: (frame, s) => {
        const bytes = Buffer.from(s.pop() as string, "hex");
        frame.gas.spend(1_000 + 10 * bytes.length);
        s.push(hex(hash(bytes)));
      },
    };
  };

const pack: Instruction = (node, stack, scope) => {
  const [top, ...rest] = stack;
  if (!top) throw badStack(node, stack, scope);
  if (!isPackable(top))
    throw new MichelsonError(
      permanent("michelson_v1.unexpected_type", { location: scope.location(node), type: unparseType(top) }),
    );
  return {
    after: [BYTES, ...rest],
    step: (frame, s) => {
      const packed = packValue(top, s.pop()!);
      frame.gas.spendBytes(packed.length);
      s.push(hex(packed));
    },
  };
};

function unpackValue(t: Type, text: string, frame: Frame, scope: Scope): Value | undefined {
  const bytes = Buffer.from(text, "hex");
  frame.gas.spendBytes(bytes.length);
  if (bytes[0] !== 5) return undefined;
  try {
    return parseValue(t, decodeMicheline(bytes.subarray(1)), {
      compileLambda: (argument, result, code, recursive) => scope.lambda(argument, result, code, recursive),
      hasEntrypoint: (address, entrypoint, argument) =>
        frame.world.hasEntrypoint(address, entrypoint, argument),
      hasBigMap: () => false,
      allowTickets: false,
    });
  } catch (error) {
    if (error instanceof MalformedBytes || error instanceof MichelsonError) return undefined;
    throw error;
  }
}

const unpack: Instruction = (node, stack, scope) => {
  const wanted = parseType(argumentsOf(node, 1, scope)[0]!);
  const [top, ...rest] = stack;
  if (top?.prim !== "bytes" || !isUnpackable(wanted)) throw badStack(node, stack, scope);
  return {
    after: [type("option", wanted), ...rest],
    step: (frame, s) => {
      const value = unpackValue(wanted, s.pop() as string, frame, scope);
      s.push(value === undefined ? NONE : some(value));
    },
  };
};

const hashKeyInstruction: Instruction = (node, stack, scope) => {
  const [top, ...rest] = stack;
  if (top?.prim !== "key") throw badStack(node, stack, scope);
  return { after: [type("key_hash"), ...rest], step: (_, s) => void s.push(hashOfKey(s.pop() as string)) };
};

const checkSignatureInstruction: Instruction = (node, stack, scope) => {
  const [key, signature, message, ...rest] = stack;
  if (key?.prim !== "key" || signature?.prim !== "signature" || message?.prim !== "bytes")
    throw badStack(node, stack, scope);
  return {
    after: [BOOL, ...rest],
    step: (frame, s) => {
      const publicKey = s.pop() as string;
      const signed = signatureBytes(s.pop() as string)!;
      const bytes = Buffer.from(s.pop() as string, "hex");
      frame.gas.spend(65_000 + 10 * bytes.length);
      s.push(checkSignature(publicKey, signed, bytes));
    },
  };
};

export const CRYPTO_INSTRUCTIONS: Instructions = {
  PACK: pack,
  UNPACK: unpack,
  BLAKE2B: hashing(blake2b256),
  SHA256: hashing((bytes) => createHash("sha256").update(bytes).digest()),
  SHA512: hashing((bytes) => createHash("sha512").update(bytes).digest()),
  SHA3: hashing((bytes) => createHash("sha3-256").update(bytes).digest()),
  KECCAK: hashing((bytes) => keccak_256(bytes)),
  HASH_KEY: hashKeyInstruction,
  CHECK_SIGNATURE: checkSignatureInstruction,
};
