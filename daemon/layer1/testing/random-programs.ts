// Random Michelson programs that are well-typed by construction: each instruction is chosen among those that the stack
// types allow.
import { type Micheline, type MichelinePrim, prim } from "../../tezos/micheline.ts";
import {
  BOOL,
  BYTES,
  INT,
  NAT,
  OPERATION,
  type Type,
  isComparable,
  plainType,
  sameType,
  type,
} from "../michelson/type.ts";
import {
  type Random,
  below,
  isWritable,
  pick,
  randomComparable,
  randomType,
  randomValue,
} from "./random-values.ts";

export interface RandomScript {
  readonly parameter: Type;
  readonly storage: Type;
  readonly code: Micheline;
  readonly script: Micheline;
}

/** Stack types, top first. */
type Types = readonly Type[];
interface Part {
  readonly code: readonly Micheline[];
  readonly after: Types;
}

const one = (after: Types, ...code: readonly Micheline[]): Part => ({ code, after });
const push = (random: Random, t: Type): MichelinePrim => prim("PUSH", plainType(t), randomValue(random, t));
const number = (value: number): Micheline => ({ int: value.toString() });

/** Instructions on two values: name, operand types, result type. */
const BINARY: readonly (readonly [string, string, string, Type])[] = [
  ...(["ADD", "SUB", "MUL"] as const).flatMap((name): (readonly [string, string, string, Type])[] => [
    [name, "int", "int", INT],
    [name, "int", "nat", INT],
    [name, "nat", "int", INT],
    [name, "nat", "nat", name === "SUB" ? INT : NAT],
  ]),
  ["ADD", "timestamp", "int", type("timestamp")],
  ["SUB", "timestamp", "timestamp", INT],
  ["ADD", "mutez", "mutez", type("mutez")],
  ["SUB_MUTEZ", "mutez", "mutez", type("option", type("mutez"))],
  ["MUL", "mutez", "nat", type("mutez")],
  ["EDIV", "int", "int", type("option", type("pair", INT, NAT))],
  ["EDIV", "nat", "nat", type("option", type("pair", NAT, NAT))],
  ["EDIV", "mutez", "nat", type("option", type("pair", type("mutez"), type("mutez")))],
  ["AND", "nat", "nat", NAT],
  ["AND", "int", "nat", NAT],
  ["OR", "nat", "nat", NAT],
  ["XOR", "nat", "nat", NAT],
  ["AND", "bool", "bool", BOOL],
  ["OR", "bool", "bool", BOOL],
  ["XOR", "bool", "bool", BOOL],
  ["AND", "bytes", "bytes", BYTES],
  ["OR", "bytes", "bytes", BYTES],
  ["XOR", "bytes", "bytes", BYTES],
  ["CONCAT", "bytes", "bytes", BYTES],
  ["CONCAT", "string", "string", type("string")],
  ["ADD", "bls12_381_fr", "bls12_381_fr", type("bls12_381_fr")],
  ["MUL", "bls12_381_fr", "bls12_381_fr", type("bls12_381_fr")],
];

const UNARY: readonly (readonly [string, string, Type])[] = [
  ["NEG", "int", INT],
  ["NEG", "nat", INT],
  ["ABS", "int", NAT],
  ["NOT", "int", INT],
  ["NOT", "nat", INT],
  ["NOT", "bool", BOOL],
  ["NOT", "bytes", BYTES],
  ["ISNAT", "int", type("option", NAT)],
  ["INT", "nat", INT],
  ["INT", "bytes", INT],
  ["INT", "bls12_381_fr", INT],
  ["NAT", "bytes", NAT],
  ["BYTES", "int", BYTES],
  ["BYTES", "nat", BYTES],
  ...["EQ", "NEQ", "LT", "GT", "LE", "GE"].map((name) => [name, "int", BOOL] as const),
  ...["BLAKE2B", "SHA256", "SHA512", "SHA3", "KECCAK"].map((name) => [name, "bytes", BYTES] as const),
  ...["bytes", "string", "list", "set", "map"].map((t) => ["SIZE", t, NAT] as const),
  ["HASH_KEY", "key", type("key_hash")],
  ["VOTING_POWER", "key_hash", NAT],
  ["IS_IMPLICIT_ACCOUNT", "address", type("option", type("key_hash"))],
];

const NULLARY: readonly (readonly [string, Type])[] = [
  ["UNIT", type("unit")],
  ["NOW", type("timestamp")],
  ["AMOUNT", type("mutez")],
  ["BALANCE", type("mutez")],
  ["SENDER", type("address")],
  ["SOURCE", type("address")],
  ["SELF_ADDRESS", type("address")],
  ["LEVEL", NAT],
  ["CHAIN_ID", type("chain_id")],
  ["MIN_BLOCK_TIME", NAT],
  ["TOTAL_VOTING_POWER", NAT],
];

class Programmer {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Some instructions on a stack of these types. */
  sequence(before: Types, length: number, depth: number): Part {
    const code: Micheline[] = [];
    let types = before;
    for (let i = 0; i < length; i++) {
      const part = this.#any(types, depth);
      code.push(...part.code);
      types = part.after;
    }
    return { code, after: types };
  }

  /** Code that turns a stack of the types `before` into one of `wanted`. */
  to(before: Types, wanted: Types, length: number, depth: number): Micheline {
    const { code, after } = this.sequence(before, length, depth);
    const drop = after.length === 0 ? [] : [prim("DROP", number(after.length))];
    return [...code, ...drop, ...wanted.toReversed().map((t) => push(this.#random, t))];
  }

  #any(types: Types, depth: number): Part {
    const random = this.#random;
    // A small stack tends to grow, a large one to shrink.
    if (types.length === 0 || (types.length < 8 && random() < 0.25)) return this.#growing(types, depth);
    for (let tries = 0; tries < 6; tries++) {
      const part = pick(random, [this.#onStack, this.#onTop, this.#onTwo, this.#onCollection]).call(
        this,
        types,
        depth,
      );
      if (part) return part;
    }
    return this.#growing(types, depth);
  }

  #growing(types: Types, depth: number): Part {
    const random = this.#random;
    const t = randomType(random, 2);
    switch (below(random, 8)) {
      case 0: {
        const [name, result] = pick(random, NULLARY);
        return one([result, ...types], prim(name));
      }
      case 1:
        return one([type("list", t), ...types], prim("NIL", plainType(t)));
      case 2:
        return one([type("option", t), ...types], prim("NONE", plainType(t)));
      case 3: {
        const key = randomComparable(random, 1);
        return one([type("set", key), ...types], prim("EMPTY_SET", plainType(key)));
      }
      case 4: {
        const key = randomComparable(random, 1);
        const name = pick(random, ["map", "big_map"] as const);
        const made = type(name, key, t);
        return one(
          [made, ...types],
          prim(name === "map" ? "EMPTY_MAP" : "EMPTY_BIG_MAP", plainType(key), plainType(t)),
        );
      }
      case 5: {
        if (depth <= 0) break;
        const [from, to] = [randomType(random, 1), randomType(random, 1)];
        const body = this.to([from], [to], below(random, 5), depth - 1);
        return one(
          [type("lambda", from, to), ...types],
          prim("LAMBDA", plainType(from), plainType(to), body),
        );
      }
    }
    return one([t, ...types], push(random, t));
  }

  #onStack(types: Types, depth: number): Part | undefined {
    const random = this.#random;
    const n = below(random, types.length);
    const at = types[n]!;
    const without = types.toSpliced(n, 1);
    switch (below(random, 9)) {
      case 0:
        return one(types.slice(1), prim("DROP"));
      case 1:
        return one([at, ...types], prim("DUP", number(n + 1)));
      case 2:
        return types.length < 2 ? undefined : one([types[1]!, types[0]!, ...types.slice(2)], prim("SWAP"));
      case 3:
        return one([at, ...without], prim("DIG", number(n)));
      case 4:
        return one(types.slice(1).toSpliced(n, 0, types[0]!), prim("DUG", number(n)));
      case 5: {
        if (depth <= 0) return undefined;
        const { code, after } = this.sequence(types.slice(n), 1 + below(random, 3), depth - 1);
        return one([...types.slice(0, n), ...after], prim("DIP", number(n), code));
      }
      case 6:
        return types.length < 2
          ? undefined
          : one([type("pair", types[0]!, types[1]!), ...types.slice(2)], prim("PAIR"));
      case 7: {
        if (depth <= 0) return undefined;
        // A loop of a few rounds whose body preserves the types.
        const { code, after } = this.sequence(types, 1 + below(random, 2), depth - 1);
        const extra = after.length - types.length;
        const isNeutral = extra >= 0 && types.every((t, i) => sameType(t, after[i + extra]!));
        if (!isNeutral) return undefined;
        const body = [...code, ...(extra > 0 ? [prim("DROP", number(extra))] : [])];
        const count = [prim("PUSH", prim("int"), number(-1)), prim("ADD"), prim("DUP"), prim("GT")];
        return one(
          types,
          prim("PUSH", prim("int"), number(below(random, 6))),
          prim("DUP"),
          prim("GT"),
          prim("LOOP", [prim("DIP", body), ...count]),
          prim("DROP"),
        );
      }
      default:
        return isWritable(at) || at.prim === "contract"
          ? one([BYTES, ...types], prim("DUP", number(n + 1)), prim("PACK"))
          : undefined;
    }
  }

  #onTop(types: Types, depth: number): Part | undefined {
    const random = this.#random;
    const [top, ...rest] = types as [Type, ...Type[]];
    const [first, second] = top.args;
    const unary = UNARY.filter(([, operand]) => operand === top.prim);
    if (unary.length > 0 && random() < 0.7) {
      const [name, , result] = pick(random, unary);
      return one([result, ...rest], prim(name));
    }
    switch (top.prim) {
      case "pair":
        return pick(random, [
          one([first!, ...rest], prim("CAR")),
          one([second!, ...rest], prim("CDR")),
          one([first!, second!, ...rest], prim("UNPAIR")),
        ]);
      case "option":
        return isWritable(first!)
          ? one([first!, ...rest], prim("IF_NONE", [push(random, first!)], []))
          : one(rest, prim("IF_NONE", [], [prim("DROP")]));
      case "or": {
        const t = randomType(random, 1);
        const branch = (from: Type): Micheline => this.#branch([from], t, depth);
        return one([t, ...rest], prim("IF_LEFT", branch(first!), branch(second!)));
      }
      case "bool": {
        const t = randomType(random, 1);
        return one([t, ...rest], prim("IF", this.#branch([], t, depth), this.#branch([], t, depth)));
      }
      case "lambda":
        if (!isWritable(first!)) return undefined;
        if (first!.prim === "pair" && random() < 0.5)
          return one(
            [type("lambda", first!.args[1], second!), ...rest],
            push(random, first!.args[0]),
            prim("APPLY"),
          );
        return one([second!, ...rest], push(random, first!), prim("EXEC"));
      case "key_hash":
        return one([type("contract", type("unit")), ...rest], prim("IMPLICIT_ACCOUNT"));
      case "contract":
        return one([type("address"), ...rest], prim("ADDRESS"));
      case "bytes": {
        const t = randomType(random, 2);
        return one([type("option", t), ...rest], prim("UNPACK", plainType(t)));
      }
      default:
        return pick(random, [
          one([type("option", top), ...rest], prim("SOME")),
          one([type("or", top, INT), ...rest], prim("LEFT", prim("int"))),
          one([type("or", INT, top), ...rest], prim("RIGHT", prim("int"))),
        ]);
    }
  }

  /** Code on these types that leaves only `t`. */
  #branch(before: Types, t: Type, depth: number): Micheline {
    return this.to(before, [t], depth <= 0 ? 0 : below(this.#random, 3), depth - 1);
  }

  #onTwo(types: Types): Part | undefined {
    const [a, b, ...rest] = types;
    if (!a || !b) return undefined;
    const found = BINARY.filter(([, x, y]) => x === a.prim && y === b.prim);
    if (found.length > 0) {
      const [name, , , result] = pick(this.#random, found);
      return one([result, ...rest], prim(name));
    }
    return sameType(a, b) && isComparable(a) ? one([INT, ...rest], prim("COMPARE")) : undefined;
  }

  #onCollection(types: Types, depth: number): Part | undefined {
    const random = this.#random;
    const [top, ...rest] = types as [Type, ...Type[]];
    const [first, second] = top.args;
    const isMap = top.prim === "map" || top.prim === "big_map";
    if (!isMap && top.prim !== "list" && top.prim !== "set") return undefined;
    const key = isMap || top.prim === "set" ? push(random, first!) : undefined;
    if (key && isMap && isWritable(second!)) {
      const value = push(random, type("option", second!));
      switch (below(random, 4)) {
        case 0:
          return one([top, ...rest], value, key, prim("UPDATE"));
        case 1:
          return one([type("option", second!), ...rest], key, prim("GET"));
        case 2:
          return one([BOOL, ...rest], key, prim("MEM"));
        default:
          return one([type("option", second!), top, ...rest], value, key, prim("GET_AND_UPDATE"));
      }
    }
    if (key && top.prim === "set" && random() < 0.6)
      return random() < 0.5
        ? one([top, ...rest], push(random, BOOL), key, prim("UPDATE"))
        : one([BOOL, ...rest], key, prim("MEM"));
    if (top.prim === "big_map") return undefined;
    if (top.prim === "list" && isWritable(first!) && random() < 0.4)
      return one([top, ...rest], push(random, first!), prim("CONS"));
    const element = top.prim === "map" ? type("pair", first!, second!) : first!;
    if (top.prim !== "set" && random() < 0.6) {
      const t = randomType(random, 1);
      const body = this.#branch([element], t, depth);
      return one([top.prim === "map" ? type("map", first!, t) : type("list", t), ...rest], prim("MAP", body));
    }
    return one(rest, prim("ITER", [prim("DROP")]));
  }
}

/** @param length approximate number of instructions */
export function randomScript(random: Random, length: number): RandomScript {
  const [parameter, storage] = [randomType(random, 3), randomType(random, 3)];
  const programmer = new Programmer(random);
  const body = programmer.to([parameter, storage], [storage], length, 2) as readonly Micheline[];
  const end = [prim("NIL", plainType(OPERATION)), prim("PAIR")];
  const code = [prim("UNPAIR"), ...body, ...end];
  const section = (name: string, argument: Micheline): Micheline => prim(name, argument);
  return {
    parameter,
    storage,
    code,
    script: [
      section("parameter", plainType(parameter)),
      section("storage", plainType(storage)),
      section("code", code),
    ],
  };
}
