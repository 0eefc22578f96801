// Leaves of data: numbers, texts, bytes, and values that are text in readable form and bytes in stored form.
// Source of costs and errors: Octez, `parse_int` and its successors in `script_ir_translator.ml`.
import {
  type FullAddress,
  chainIdBytes,
  chainIdOf,
  fullAddressOf,
  isAddress,
  joinAddress,
  keyHashBytes,
  publicKeyBytes,
  readKeyHash,
  readPublicKey,
  signatureBytes,
  signatureOf,
  splitAddress,
} from "../../tezos/address.ts";
import { ByteReader, MalformedBytes } from "../../tezos/byte-reader.ts";
import { byteTextOfHex } from "../../tezos/byte-text.ts";
import { isSecp256k1Pair } from "../../tezos/curves.ts";
import { fromHex } from "../../tezos/hex.ts";
import { type Micheline, kindOf, numberAt } from "../../tezos/micheline.ts";
import { MAX_MUTEZ } from "../../tezos/parameters.ts";
import { type Group, fieldElement, readFieldElement, readPoint, storedPoint } from "./bls.ts";
import { READ_COSTS, printableCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { knownPoint } from "./literal-points.ts";
import { MichelsonError, type ProtocolErrorFields, permanent } from "./michelson-error.ts";
import { parseTimestamp } from "./timestamp.ts";
import type { Value } from "./value.ts";

/** Context for reading a leaf. */
export interface LeafScope {
  readonly gas: GasMeter;
  /** Whether the data comes from the state, so that its curve points are known to be valid. */
  readonly isStored?: boolean;
  /** Location of a node in its expression, for errors. */
  readonly location?: (node: Micheline) => number;
}

export class LeafReader {
  readonly #scope: LeafScope;
  readonly #gas: GasMeter;

  constructor(scope: LeafScope) {
    this.#scope = scope;
    this.#gas = scope.gas;
  }

  #at(node: Micheline): number {
    return this.#scope.location?.(node) ?? 0;
  }

  /** A value of a type without arguments; undefined for other types. @throws MichelsonError */
  read(prim: string, node: Micheline): Value | undefined {
    switch (prim) {
      case "int":
        return this.integer(node);
      case "nat": {
        const value = this.integer(node);
        if (value < 0n) throw this.#badSyntax("a non-negative integer", node);
        return value;
      }
      case "mutez": {
        const value = this.integer(node);
        if (value < 0n || value > MAX_MUTEZ) throw this.#badSyntax("a valid mutez amount", node);
        return value;
      }
      case "timestamp":
        return this.#timestamp(node);
      case "string": {
        const text = stringIn(node);
        if (text === undefined) throw this.badKind(["string"], node);
        this.#gas.spend(printableCost(Buffer.byteLength(text)));
        if (!/^[\n\x20-\x7e]*$/.test(text)) throw this.#notPrintable(text, node);
        return text;
      }
      case "bytes":
        return this.#bytes(node);
      case "address":
        return this.address(node);
      case "key_hash":
        return this.#leaf(node, "a valid key hash", READ_COSTS.keyHash, KEY_HASH);
      case "key":
        return this.#leaf(node, "a valid public key", READ_COSTS.key, PUBLIC_KEY);
      case "signature":
        return this.#leaf(node, "a valid signature", READ_COSTS.signature, SIGNATURE);
      case "chain_id":
        return this.#leaf(node, "a valid chain id", READ_COSTS.chainId, CHAIN_ID);
      case "bls12_381_fr":
        return this.#fieldElement(node);
      case "bls12_381_g1":
        return this.#point("g1", node);
      case "bls12_381_g2":
        return this.#point("g2", node);
      default:
        return undefined;
    }
  }

  #badSyntax(expected: string, node: Micheline, ...causes: readonly ProtocolErrorFields[]): MichelsonError {
    return new MichelsonError(
      permanent("michelson_v1.invalid_syntactic_constant", {
        location: this.#at(node),
        expected_form: expected,
        wrong_expression: node,
      }),
      ...causes,
    );
  }

  /** Error for a node of the wrong kind. */
  badKind(expected: readonly string[], node: Micheline): MichelsonError {
    return new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: this.#at(node),
        expected_kinds: expected,
        wrong_kind: kindOf(node),
      }),
    );
  }

  integer(node: Micheline): bigint {
    if (Array.isArray(node) || !("int" in node)) throw this.badKind(["integer"], node);
    return numberAt(node);
  }

  #bytes(node: Micheline): string {
    if (Array.isArray(node) || !("bytes" in node)) throw this.badKind(["bytes"], node);
    return byteTextOfHex(node.bytes);
  }

  #timestamp(node: Micheline): bigint {
    if (!Array.isArray(node) && "int" in node) return numberAt(node);
    const text = stringIn(node);
    if (text === undefined) throw this.badKind(["string", "integer"], node);
    this.#gas.spend(READ_COSTS.timestamp(text.length));
    const seconds = parseTimestamp(text);
    if (seconds === undefined) throw this.#badSyntax("a valid timestamp", node);
    return seconds;
  }

  #notPrintable(text: string, node: Micheline): MichelsonError {
    const position = [...text].findIndex((character) => !/[\n\x20-\x7e]/.test(character));
    return this.#badSyntax(
      "a printable ascii string",
      node,
      permanent("michelson_v1.non_printable_character", { position, string: text }),
    );
  }

  #leaf<Text extends string>(
    node: Micheline,
    expected: string,
    cost: { readonly readable: number; readonly optimized: number },
    { fromText, fromBytes }: LeafForms<Text>,
  ): Text {
    let value: Text | undefined;
    if (!Array.isArray(node) && "string" in node) {
      this.#gas.spend(cost.readable);
      value = fromText(node.string);
    } else if (!Array.isArray(node) && "bytes" in node) {
      this.#gas.spend(cost.optimized);
      value = fromBytes(fromHex(node.bytes) ?? new Uint8Array());
    } else throw this.badKind(["string", "bytes"], node);
    if (value === undefined) throw this.#badSyntax(expected, node);
    return value;
  }

  address(node: Micheline): FullAddress {
    if (Array.isArray(node) || !("string" in node))
      return this.#leaf(node, "a valid address", READ_COSTS.keyHash, ADDRESS_BYTES);
    this.#gas.spend(READ_COSTS.keyHash.readable);
    const { address, entrypoint } = splitAddress(node.string);
    // The rules for names apply to scripts only.
    if (entrypoint === "default" && node.string.endsWith("%default"))
      throw new MichelsonError(
        permanent("michelson_v1.unexpected_default_entrypoint", { location: this.#at(node) }),
      );
    if (Buffer.byteLength(entrypoint) > MAX_ENTRYPOINT)
      throw new MichelsonError(permanent("michelson_v1.entrypoint_name_too_long", { name: entrypoint }));
    if (!isAddress(address))
      throw new MichelsonError(permanent("destination_repr.invalid_b58check", { input: address }));
    return joinAddress(address, entrypoint);
  }

  #fieldElement(node: Micheline): bigint {
    if (Array.isArray(node) || !("bytes" in node || "int" in node)) throw this.badKind(["bytes"], node);
    this.#gas.spend(READ_COSTS.fr);
    if ("int" in node) return fieldElement(numberAt(node));
    const value = "bytes" in node ? readFieldElement(node.bytes) : undefined;
    if (value === undefined) throw this.#badSyntax("a valid BLS12-381 field element", node);
    return value;
  }

  #point(group: Group, node: Micheline): Value {
    if (Array.isArray(node) || !("bytes" in node)) throw this.badKind(["bytes"], node);
    this.#gas.spend(READ_COSTS[group]);
    const point = this.#scope.isStored
      ? storedPoint(group, node.bytes)
      : (knownPoint(group, node) ?? readPoint(group, node.bytes));
    if (!point) throw this.#badSyntax(`a valid BLS12-381 ${group.toUpperCase()} element`, node);
    return point;
  }
}

const stringIn = (node: Micheline): string | undefined =>
  !Array.isArray(node) && "string" in node ? node.string : undefined;

interface LeafForms<Text extends string = string> {
  readonly fromText: (text: string) => Text | undefined;
  readonly fromBytes: (bytes: Uint8Array) => Text | undefined;
}

/** A reader that must consume the whole byte text; undefined when it is malformed. */
const whole =
  (read: (reader: ByteReader) => string) =>
  (bytes: Uint8Array): string | undefined => {
    try {
      const reader = new ByteReader(bytes);
      const value = read(reader);
      reader.expectEnd();
      return value;
    } catch (error) {
      if (error instanceof MalformedBytes) return undefined;
      throw error;
    }
  };

const ifValid =
  (toBytes: (text: string) => Uint8Array | undefined) =>
  (text: string): string | undefined =>
    toBytes(text) ? text : undefined;

/** Texts of addresses are parsed apart, for they have errors of their own. */
const ADDRESS_BYTES: LeafForms<FullAddress> = { fromText: () => undefined, fromBytes: fullAddressOf };
/** Longest name of an entrypoint, in bytes. */
const MAX_ENTRYPOINT = 31;
const KEY_HASH: LeafForms = { fromText: ifValid(keyHashBytes), fromBytes: whole(readKeyHash) };
const PUBLIC_KEY: LeafForms = { fromText: ifValid(publicKeyBytes), fromBytes: whole(readPublicKey) };
const SIGNATURE: LeafForms = {
  fromText: (text) => (isSignatureText(text) ? text : undefined),
  fromBytes: signatureOf,
};

/** Signatures of secp256k1 must be two valid scalars. Points of BLS12-381 are not validated: gas pays for no such work. */
function isSignatureText(text: string): boolean {
  const bytes = signatureBytes(text);
  return bytes !== undefined && (!text.startsWith("spsig1") || isSecp256k1Pair(bytes));
}
const CHAIN_ID: LeafForms = { fromText: ifValid(chainIdBytes), fromBytes: chainIdOf };
