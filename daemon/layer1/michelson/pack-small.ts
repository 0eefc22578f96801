// PACK in one go and without an expression in between, for values of few nodes: most are the keys of big maps. Charges
// as writing the expression does (`unparse-value.ts`).
import {
  chainIdBytes,
  fullAddressBytes,
  joinAddress,
  keyHashBytes,
  publicKeyBytes,
  signatureBytes,
} from "../../tezos/address.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { MAX_DEPTH } from "../../tezos/micheline.ts";
import { bytesOf } from "../../tezos/number-length.ts";
import { codeOfPrimitive } from "../../tezos/primitives.ts";
import { writeFieldElement, writePoint } from "./bls.ts";
import { WRITE_COSTS, WRITE_DATUM, serializeCost, stripCost } from "./check-costs.ts";
import { type GasMeter, MAX_TEXT_BYTES } from "./gas.ts";
import { type OrderedTree, inOrder, sizeOf } from "./ordered-tree.ts";
import type { Type } from "./type.ts";
import { tooDeep } from "./unparse-value.ts";
import {
  type ContractValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type PointValue,
  type SetValue,
  type Value,
  itemsOf,
} from "./value.ts";

/** Nodes that are written without a rest. */
const MAX_NODES = 1_000;
/** Bytes of numbers that are paid for before they are converted. */
const LONG_NUMBER = 64;

const LEAVES = new Set<Type["prim"]>([
  ...([
    "int",
    "nat",
    "mutez",
    "timestamp",
    "string",
    "bytes",
    "bool",
    "unit",
    "address",
    "contract",
  ] as const),
  ...(["key_hash", "key", "signature", "chain_id", "bls12_381_fr", "bls12_381_g1", "bls12_381_g2"] as const),
]);

/** Nodes of a value of each type at most; none where the type sets no bound. */
const nodesOfTypes = new WeakMap<Type, number>();
function nodesOf(t: Type): number {
  let nodes = nodesOfTypes.get(t);
  if (nodes === undefined) nodesOfTypes.set(t, (nodes = countNodes(t)));
  return nodes;
}
function countNodes(t: Type): number {
  if (LEAVES.has(t.prim)) return 1;
  switch (t.prim) {
    case "pair":
    case "or":
      return 1 + nodesOf(t.args[0]) + nodesOf(t.args[1]);
    case "option":
      return 1 + nodesOf(t.args[0]);
    default:
      return Infinity;
  }
}

/** Whether a value is known to have few nodes. */
function isSmall(t: Type, value: Value): boolean {
  switch (t.prim) {
    case "list":
      return (value as ListValue).size * nodesOf(t.args[0]) < MAX_NODES;
    case "set":
      return sizeOf((value as SetValue).items) * nodesOf(t.args[0]) < MAX_NODES;
    case "map":
      return sizeOf((value as MapValue).entries) * (nodesOf(t.args[0]) + nodesOf(t.args[1])) < MAX_NODES;
    default:
      return nodesOf(t) < MAX_NODES;
  }
}

/**
 * The packed bytes of a value of few nodes, valid until the next call; undefined for other values.
 * @throws MichelsonError when `gas` does not suffice or there would be too many bytes
 */
export function packSmall(t: Type, value: Value, gas?: GasMeter): Uint8Array | undefined {
  if (!isSmall(t, value)) return undefined;
  const writer = new Writer(gas);
  writer.write(t, value, 1);
  return writer.finish();
}

const PAIR_TAG = 7;
const PRIM_0_TAG = 3;
const PRIM_1_TAG = 5;
const NUMBER_TAG = 0;
const STRING_TAG = 1;
const SEQUENCE_TAG = 2;
const BYTES_TAG = 10;
const code = (name: string): number => codeOfPrimitive(name)!;
const [PAIR, ELT, SOME, NONE] = [code("Pair"), code("Elt"), code("Some"), code("None")];
const [LEFT, RIGHT] = [code("Left"), code("Right")];
const [TRUE, FALSE, UNIT] = [code("True"), code("False"), code("Unit")];

/** One buffer for all: hashing a key of a big map allocates nothing. */
const bytes = new ByteWriter();

class Writer {
  readonly #gas: GasMeter | undefined;
  /** Bytes of texts that are not written, because there are too many. */
  #omitted = 0;
  #nodes = 0;
  #numberBytes = 0;
  #textBytes = 0;

  constructor(gas: GasMeter | undefined) {
    this.#gas = gas;
    bytes.clear().byte(0x05);
  }

  write(t: Type, value: Value, depth: number): void {
    this.#enter(depth);
    switch (t.prim) {
      case "int":
      case "nat":
      case "mutez":
      case "timestamp":
        this.#number(value as bigint);
        return;
      case "string":
        this.#text(STRING_TAG, value as string, "utf8");
        return;
      case "bytes":
        this.#text(BYTES_TAG, value as string, "latin1");
        return;
      case "bool":
        this.#prim(PRIM_0_TAG, value === true ? TRUE : FALSE);
        return;
      case "unit":
        this.#prim(PRIM_0_TAG, UNIT);
        return;
      case "address":
        this.#known(WRITE_COSTS.keyHash.optimized, fullAddressBytes(value as string)!);
        return;
      case "contract": {
        const { address, entrypoint } = value as ContractValue;
        this.#known(WRITE_COSTS.keyHash.optimized, fullAddressBytes(joinAddress(address, entrypoint))!);
        return;
      }
      case "key_hash":
        this.#known(WRITE_COSTS.keyHash.optimized, keyHashBytes(value as string)!);
        return;
      case "key":
        this.#known(WRITE_COSTS.key.optimized, publicKeyBytes(value as string)!);
        return;
      case "signature":
        this.#known(WRITE_COSTS.signature.optimized, signatureBytes(value as string)!);
        return;
      case "chain_id":
        this.#known(WRITE_COSTS.chainId.optimized, chainIdBytes(value as string)!);
        return;
      case "bls12_381_fr":
        this.#known(WRITE_COSTS.fr, Buffer.from(writeFieldElement(value as bigint), "hex"));
        return;
      case "bls12_381_g1":
        this.#known(WRITE_COSTS.g1, Buffer.from(writePoint(value as PointValue), "hex"));
        return;
      case "bls12_381_g2":
        this.#known(WRITE_COSTS.g2, Buffer.from(writePoint(value as PointValue), "hex"));
        return;
      default:
        this.#compound(t, value, depth + 1);
    }
  }

  /** @param depth of the parts */
  #compound(t: Type, value: Value, depth: number): void {
    switch (t.prim) {
      case "pair":
        this.#prim(PAIR_TAG, PAIR);
        this.write(t.args[0], (value as PairValue).left, depth);
        this.write(t.args[1], (value as PairValue).right, depth);
        return;
      case "option": {
        const inner = (value as OptionValue).some;
        this.#prim(inner === undefined ? PRIM_0_TAG : PRIM_1_TAG, inner === undefined ? NONE : SOME);
        if (inner !== undefined) this.write(t.args[0], inner, depth);
        return;
      }
      case "or": {
        const { isLeft, value: inner } = value as OrValue;
        this.#prim(PRIM_1_TAG, isLeft ? LEFT : RIGHT);
        this.write(t.args[isLeft ? 0 : 1], inner, depth);
        return;
      }
      case "list":
        bytes
          .byte(SEQUENCE_TAG)
          .measured(() => itemsOf(value as ListValue).forEach((item) => this.write(t.args[0], item, depth)));
        return;
      case "set":
        bytes.byte(SEQUENCE_TAG).measured(() => {
          for (const { key } of inOrder((value as SetValue).items as OrderedTree<Value, unknown>))
            this.write(t.args[0], key, depth);
        });
        return;
      case "map":
        bytes.byte(SEQUENCE_TAG).measured(() => {
          for (const entry of inOrder((value as MapValue).entries)) {
            this.#nodes++;
            this.#prim(PAIR_TAG, ELT);
            this.write(t.args[0], entry.key, depth + 1);
            this.write(t.args[1], entry.value, depth + 1);
          }
        });
        return;
      default:
        throw new TypeError(`values of type ${t.prim} are not small`);
    }
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) throw tooDeep();
    this.#gas?.spend(WRITE_DATUM);
    this.#nodes++;
  }

  #prim(tag: number, primitive: number): void {
    bytes.byte(tag).byte(primitive);
  }

  #number(value: bigint): void {
    const size = bytesOf(value);
    if (size > LONG_NUMBER) this.#gas?.check(25 * size);
    this.#numberBytes += size;
    if (this.#fits(size)) bytes.byte(NUMBER_TAG).integer(value);
  }

  #text(tag: number, text: string, encoding: "utf8" | "latin1"): void {
    const size = Buffer.byteLength(text, encoding);
    this.#textBytes += size;
    if (this.#fits(size)) bytes.byte(tag).sizedText(text, encoding);
  }

  #known(cost: number, known: Uint8Array): void {
    this.#gas?.spend(cost);
    this.#textBytes += known.length;
    if (this.#fits(known.length)) bytes.byte(BYTES_TAG).sized(known);
  }

  /** Whether so many bytes more may be written; if not, there are too many, which is an error at the end. */
  #fits(size: number): boolean {
    if (!this.#gas || bytes.length + this.#omitted + size <= MAX_TEXT_BYTES) return true;
    this.#omitted += size;
    return false;
  }

  finish(): Uint8Array {
    const gas = this.#gas;
    if (gas) {
      gas.spend(stripCost(this.#nodes));
      gas.spend(
        serializeCost({ nodes: this.#nodes, numberBytes: this.#numberBytes, textBytes: this.#textBytes }),
      );
      gas.reserveText(bytes.length + this.#omitted);
    }
    return bytes.view();
  }
}
