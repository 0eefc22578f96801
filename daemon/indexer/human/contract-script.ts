// What the indexer needs of a contract's script: types of storage and parameter, entrypoints, and the paths of its big
// maps.
import { asPair, onlyArgument } from "../../tezos/micheline-data.ts";
import { isPrim, isSequence, type Micheline } from "../../tezos/micheline.ts";
import { type HumanType, humanType, type MapType, type OrType, type PairType } from "./human-type.ts";

export interface ContractScript {
  readonly storage: HumanType;
  readonly parameter: HumanType;
  readonly entrypoints: ReadonlyMap<string, HumanType>;
  /** Names of the standards it implements, such as `fa2`. */
  readonly tzips: readonly string[];
}

/** @param code the three or more sections of a script */
export function contractScript(code: Micheline): ContractScript {
  const section = (name: string): Micheline | undefined =>
    isSequence(code)
      ? code.flatMap((part) => (isPrim(part) && part.prim === name ? (part.args ?? []) : []))[0]
      : undefined;
  const written = section("parameter");
  const parameter = humanType(written);
  const entrypoints = new Map<string, HumanType>([["default", parameter]]);
  collect(parameter, entrypoints);
  return { storage: humanType(section("storage")), parameter, entrypoints, tzips: tzipsOf(entrypoints) };
}

function collect(type: HumanType, into: Map<string, HumanType>): void {
  if (type.field !== undefined) into.set(type.field, type);
  if (type.prim === "or") for (const arg of type.args) collect(arg, into);
}

/** The innermost entrypoint that a parameter reaches, with its argument, as a wallet would name it. */
export function normalParameter(
  { entrypoints }: ContractScript,
  entrypoint: string,
  value: Micheline,
): { readonly entrypoint: string; readonly value: Micheline; readonly type: HumanType | undefined } {
  let type = entrypoints.get(entrypoint);
  let found = { entrypoint, value, type };
  let inner = value;
  while (type?.prim === "or" && isPrim(inner)) {
    const content = onlyArgument(inner);
    if (content === undefined || (inner.prim !== "Left" && inner.prim !== "Right")) break;
    type = type.args[inner.prim === "Left" ? 0 : 1];
    inner = content;
    if (type.field !== undefined) found = { entrypoint: type.field, value: inner, type };
  }
  return found;
}

/** Whether to list an entrypoint: not an `or` whose leaves all have names. */
export function isUseful(name: string, type: HumanType): boolean {
  const allNamed =
    type.prim === "or" && [...type.variants.values()].every(({ type: end }) => end.field !== undefined);
  return (type.field === undefined || type.field === name) && !allNamed;
}

export interface PlacedBigMap {
  readonly id: number;
  /** Field names that lead to it, joined by dots. */
  readonly path: string;
  readonly type: MapType;
}

/** The big maps in a storage, each with its path. */
export function bigMapsIn(type: HumanType, storage: Micheline): readonly PlacedBigMap[] {
  const found: PlacedBigMap[] = [];
  const walk = (at: HumanType, node: Micheline, path: readonly string[], name: string): void => {
    const here = name === "" ? path : [...path, name];
    switch (at.prim) {
      case "big_map":
        if (!isSequence(node) && !isPrim(node) && "int" in node) {
          const id = Number(node.int);
          found.push({ id, path: here.length === 0 ? at.name : here.join("."), type: at });
        }
        return;
      case "pair":
        walkPair(at, node, here);
        return;
      case "option":
        walkOption(at.args[0], node, path, name);
        return;
      case "or":
        walkOr(at, node, here);
        return;
      case "map":
        if (isSequence(node)) {
          for (const item of node) {
            const [key, value] = isPrim(item) ? (item.args ?? []) : [];
            if (key === undefined || value === undefined) continue;
            const text = !isSequence(key) && !isPrim(key) ? Object.values(key)[0] : JSON.stringify(key);
            walk(at.args[1], value, here, String(text));
          }
        }
        return;
      default:
    }
  };
  const walkOption = (at: HumanType, node: Micheline, path: readonly string[], name: string): void => {
    const content = onlyArgument(node);
    if (content !== undefined) walk(at, content, path, name);
  };
  const walkOr = (at: OrType, node: Micheline, path: readonly string[]): void => {
    let [inner, way] = [node, ""];
    while (isPrim(inner) && !at.variants.has(way)) {
      const content = onlyArgument(inner);
      if (content === undefined) break;
      way += inner.prim[0] ?? "";
      inner = content;
    }
    const end = at.variants.get(way);
    if (end) walk(end.type, inner, path, end.name);
  };
  const walkPair = (at: PairType, node: Micheline, path: readonly string[]): void => {
    let index = 0;
    const inside = (pair: Pick<PairType, "args">, value: Micheline): void => {
      const halves = asPair(value);
      if (halves === undefined) return;
      for (const side of [0, 1] as const) {
        const member = pair.args[side];
        if (member.prim === "pair" && !("fields" in member)) inside(member, halves[side]);
        else walk(member, halves[side], path, at.fields[index++]!.name);
      }
    };
    inside(at, node);
  };
  walk(type, storage, [], "");
  return found;
}

const FA2 = ["transfer", "balance_of", "update_operators"];
const FA12 = ["transfer", "approve", "getBalance", "getAllowance", "getTotalSupply"];

function tzipsOf(entrypoints: ReadonlyMap<string, HumanType>): readonly string[] {
  const has = (names: readonly string[]): boolean => names.every((name) => entrypoints.has(name));
  const transfer = entrypoints.get("transfer");
  if (has(FA2) && transfer?.prim === "list") return ["fa2"];
  if (has(FA12) && transfer?.prim === "pair" && transfer.fields.length === 3) return ["fa12", "fa1"];
  return [];
}
