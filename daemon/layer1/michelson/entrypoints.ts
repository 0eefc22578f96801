// Entrypoints of a parameter type: names on the branches of its `or` tree.
import { FIND_ENTRYPOINT } from "./costs.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { type Type } from "./type.ts";
import type { Value } from "./value.ts";

export interface Entrypoint {
  readonly name: string;
  readonly type: Type;
  /** Path from the root of the parameter: true is left. */
  readonly path: readonly boolean[];
}

/** By parameter: each SELF of a script needs them. */
const cache = new WeakMap<Type, ReadonlyMap<string, Entrypoint>>();

/** All named entrypoints; `root` only when the parameter is annotated with it. */
export function entrypointsOf(parameter: Type): ReadonlyMap<string, Entrypoint> {
  let entrypoints = cache.get(parameter);
  if (!entrypoints) cache.set(parameter, (entrypoints = collect(parameter)));
  return entrypoints;
}

function collect(parameter: Type): ReadonlyMap<string, Entrypoint> {
  const found = new Map<string, Entrypoint>();
  const visit = (t: Type, path: readonly boolean[]): void => {
    if (t.field !== undefined && !found.has(t.field)) found.set(t.field, { name: t.field, type: t, path });
    if (t.prim === "or") {
      visit(t.args[0], [...path, true]);
      visit(t.args[1], [...path, false]);
    }
  };
  visit(parameter, []);
  return found;
}

/** The entrypoint with a name; `default` is the whole parameter when no branch has that name. */
export function findEntrypoint(
  parameter: Type,
  entrypoints: ReadonlyMap<string, Entrypoint>,
  name: string,
): Entrypoint | undefined {
  const found = entrypoints.get(name);
  if (found) return found;
  return name === "default" ? { name, type: parameter, path: [] } : undefined;
}

/** The unnamed components of a parameter reached through `or` alone. */
interface Branch {
  readonly t: Type;
  readonly path: readonly string[];
  readonly reachable: boolean;
}

/**
 * Requires distinct names, and with an explicit `default` that every branch has a name.
 * @throws MichelsonError duplicate_entrypoint, unreachable_entrypoint
 */
export function checkEntrypoints(parameter: Type): void {
  const names = new Set<string>(parameter.field === undefined ? [] : [parameter.field]);
  let unreachable: readonly string[] | undefined;
  const merge = ({ t, path, reachable }: Branch): boolean => {
    if (t.field === undefined) {
      if (!reachable && t.prim !== "or") unreachable ??= path;
      return reachable;
    }
    if (names.has(t.field))
      throw new MichelsonError(permanent("michelson_v1.duplicate_entrypoint", { path: t.field }));
    names.add(t.field);
    return true;
  };
  const check = ({ t, path, reachable }: Branch): void => {
    if (t.prim !== "or") return;
    const left: Branch = { t: t.args[0], path: [...path, "Left"], reachable };
    const right: Branch = { t: t.args[1], path: [...path, "Right"], reachable };
    const [leftReachable, rightReachable] = [merge(left), merge(right)];
    check({ ...left, reachable: leftReachable });
    check({ ...right, reachable: rightReachable });
  };
  check({ t: parameter, path: [], reachable: parameter.field !== undefined });
  if (names.has("default") && unreachable)
    throw new MichelsonError(permanent("michelson_v1.unreachable_entrypoint", { path: unreachable }));
}

/** Milligas of finding an entrypoint: each branch visited until it is found. */
export function searchCost(parameter: Type, name: string): number {
  let steps = 0;
  const visit = (t: Type): boolean => {
    steps++;
    return t.field === name || (t.prim === "or" && (visit(t.args[0]) || visit(t.args[1])));
  };
  visit(parameter);
  return FIND_ENTRYPOINT * steps;
}

/** Wraps the argument of an entrypoint into a value of the whole parameter. */
export function wrapArgument(path: readonly boolean[], argument: Value): Value {
  let value = argument;
  for (let i = path.length - 1; i >= 0; i--) value = { isLeft: path[i]!, value };
  return value;
}
