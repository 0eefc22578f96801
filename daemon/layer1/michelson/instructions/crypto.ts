// Packing, hashing and signatures.
import { hash as nativeHash } from "node:crypto";
import { hashOfKey, publicKeyBytes, signatureBytes } from "../../../tezos/address.ts";
import { blake2b256 } from "../../../tezos/blake2b.ts";
import { MalformedBytes } from "../../../tezos/byte-reader.ts";
import { fromByteText, toByteText } from "../../../tezos/byte-text.ts";
import { checkSignature } from "../../../tezos/check-signature.ts";
import { wantHashes } from "../../../tezos/fast-hashes.ts";
import { keccak256 } from "../../../tezos/keccak.ts";
import { decodeMicheline } from "../../../tezos/micheline-binary.ts";
import type { Micheline } from "../../../tezos/micheline.ts";
import type { Job } from "../../job.ts";
import { deserializeCost } from "../check-costs.ts";
import { FIXED, HASH_COSTS, signatureCost, unpackCost, unpackFailedCost } from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import {
  type Instruction,
  type Instructions,
  type Scope,
  type Stack,
  argumentsOf,
  badStack,
  does,
  typeIn,
} from "../instruction.ts";
import type { Machine } from "../machine.ts";
import { MichelsonError, isOutOfTime } from "../michelson-error.ts";
import { packSmall } from "../pack-small.ts";
import { packWithRests } from "../pack.ts";
import { TYPE_RULES } from "../parse-type.ts";
import { readValue } from "../parse-value.ts";
import { requirePackable } from "../type-rules.ts";
import { BOOL, BYTES, type Type, type, typeSize } from "../type.ts";
import { NONE, type Value, some } from "../value.ts";
import { pairingCheck } from "./bls-arithmetic.ts";

const hashInstruction =
  (hash: (bytes: Buffer) => string, cost: (size: number) => number): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    wantHashes();
    if (stack.top?.prim !== "bytes") throw badStack(node, stack, scope);
    return does(stack, ({ gas }, s) => {
      const text = s.pop() as string;
      gas.spend(cost(text.length));
      s.push(hash(fromByteText(text)));
    });
  };

const pack: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (!top) throw badStack(node, stack, scope);
  requirePackable(top, true, node, scope);
  const after = stack.drop(1).under(BYTES);
  return does(after, (m, s) => packTop(top, m, s), typeSize(top));
};

function packTop(t: Type, machine: Machine, stack: Stack): void {
  const { gas } = machine;
  const value = stack.pop();
  const small = packSmall(t, value, gas);
  if (small) stack.push(toByteText(small));
  else machine.finishWith(packLarge(t, value, gas, stack));
}

function* packLarge(t: Type, value: Value, gas: GasMeter, stack: Stack): Job<void> {
  stack.push(toByteText(yield* packWithRests(t, value, gas)));
}

/** The expression encoded in the bytes; undefined when they are malformed. */
function expressionIn(bytes: Uint8Array): Micheline | undefined {
  try {
    return decodeMicheline(bytes);
  } catch (error) {
    if (error instanceof MalformedBytes) return undefined;
    throw error;
  }
}

function* unpackValue(t: Type, text: string, machine: Machine, scope: Scope): Job<Value | undefined> {
  const { gas, frame } = machine;
  const { length } = text;
  gas.spend(unpackCost(length));
  gas.spend(deserializeCost(length));
  if (!text.startsWith("\x05")) return undefined;
  const before = gas.used;
  const expression = expressionIn(fromByteText(text).subarray(1));
  try {
    if (expression)
      return yield* readValue(t, expression, {
        gas,
        compileLambda: (argument, result, code, recursive) =>
          scope.lambda(argument, result, code, recursive, {
            ...scope,
            gas,
            legacy: false,
            place: "data",
            parameter: undefined,
            inLambda: recursive,
            isStandalone: true,
            location: () => 0,
          }),
        hasEntrypoint: (address, entrypoint, argument) =>
          frame.world.hasEntrypoint(address, entrypoint, argument, gas),
        bigMapTypes: () => undefined,
        allowTickets: false,
        allowBigMapIds: false,
      });
  } catch (error) {
    // Running out of gas while decoding counts as malformed, too.
    if (!(error instanceof MichelsonError) || isOutOfTime(error)) throw error;
  }
  // A failed attempt has a price of its own in place of the steps so far.
  gas.rewind(before);
  gas.spend(unpackFailedCost(length - 1));
  return undefined;
}

const unpack: Instruction = (node, stack, scope) => {
  const [wantedNode] = argumentsOf(node, 1, scope);
  if (stack.top?.prim !== "bytes") throw badStack(node, stack, scope);
  const wanted = typeIn(wantedNode, TYPE_RULES.packable, scope);
  return does(
    stack.drop(1).under(type("option", wanted)),
    (m, s) => m.finishWith(unpackTop(wanted, m, s, scope)),
    typeSize(wanted),
  );
};

function* unpackTop(wanted: Type, machine: Machine, stack: Stack, scope: Scope): Job<void> {
  const value = yield* unpackValue(wanted, stack.pop() as string, machine, scope);
  stack.push(value === undefined ? NONE : some(value));
}

const hashKeyInstruction: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "key") throw badStack(node, stack, scope);
  return does(stack.drop(1).under(type("key_hash")), (m, s) => {
    m.gas.spend(FIXED.hashKey);
    s.push(hashOfKey(s.pop() as string));
  });
};

const checkSignatureInstruction: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [key, signature, message] = stack.head(3);
  if (key?.prim !== "key" || signature?.prim !== "signature" || message?.prim !== "bytes")
    throw badStack(node, stack, scope, 2);
  return does(stack.drop(3).under(BOOL), ({ gas }, s) => {
    const publicKey = s.pop() as string;
    const signed = signatureBytes(s.pop() as string)!;
    const text = s.pop() as string;
    gas.spend(signatureCost(publicKeyBytes(publicKey)![0]!, text.length));
    s.push(checkSignature(publicKey, signed, fromByteText(text)));
  });
};

export const CRYPTO_INSTRUCTIONS: Instructions = {
  PACK: pack,
  UNPACK: unpack,
  BLAKE2B: hashInstruction((bytes) => toByteText(blake2b256(bytes)), HASH_COSTS.blake2b),
  SHA256: hashInstruction((bytes) => nativeHash("sha256", bytes, "binary"), HASH_COSTS.sha256),
  SHA512: hashInstruction((bytes) => nativeHash("sha512", bytes, "binary"), HASH_COSTS.sha512),
  SHA3: hashInstruction((bytes) => nativeHash("sha3-256", bytes, "binary"), HASH_COSTS.sha3),
  KECCAK: hashInstruction((bytes) => toByteText(keccak256(bytes)), HASH_COSTS.sha3),
  HASH_KEY: hashKeyInstruction,
  CHECK_SIGNATURE: checkSignatureInstruction,
  PAIRING_CHECK: pairingCheck,
};
