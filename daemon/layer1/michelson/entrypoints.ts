// Entrypoints of a parameter type: names on the branches of its `or` tree.
import { type Type } from "./type.ts";
import type { Value } from "./value.ts";

export interface Entrypoint {
  readonly name: string;
  readonly type: Type;
  /** Way from the root of the parameter: true is left. */
  readonly path: readonly boolean[];
}

/** By parameter: each SELF of a script asks for them. */
const known = new WeakMap<Type, ReadonlyMap<string, Entrypoint>>();

/** All named entrypoints; `root` only when the parameter is annotated so. */
export function entrypointsOf(parameter: Type): ReadonlyMap<string, Entrypoint> {
  let entrypoints = known.get(parameter);
  if (!entrypoints) known.set(parameter, (entrypoints = collect(parameter)));
  return entrypoints;
}

function collect(parameter: Type): ReadonlyMap<string, Entrypoint> {
  const found = new Map<string, Entrypoint>();
  const visit = (t: Type, path: readonly boolean[]): void => {
    if (t.field !== undefined && !found.has(t.field)) found.set(t.field, { name: t.field, type: t, path });
    if (t.prim === "or") {
      visit(t.args[0]!, [...path, true]);
      visit(t.args[1]!, [...path, false]);
    }
  };
  visit(parameter, []);
  return found;
}

/** The entrypoint of a name; `default` is the whole parameter when no branch has that name. */
export function findEntrypoint(
  parameter: Type,
  entrypoints: ReadonlyMap<string, Entrypoint>,
  name: string,
): Entrypoint | undefined {
  const found = entrypoints.get(name);
  if (found) return found;
  return name === "default" || name === "root" ? { name, type: parameter, path: [] } : undefined;
}

/** Wraps the argument of an entrypoint so that it is a value of the whole parameter. */
export function wrapArgument(path: readonly boolean[], argument: Value): Value {
  let value = argument;
  for (let i = path.length - 1; i >= 0; i--) value = { isLeft: path[i]!, value };
  return value;
}
