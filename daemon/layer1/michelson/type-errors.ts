// Errors about types and primitives in the wrong place.
import { MichelsonError, permanent } from "./michelson-error.ts";

/** An instruction or type that this node does not support: the error names it. */
export function unsupportedPrimitive(name: string): MichelsonError {
  return new MichelsonError(permanent("sandbox.unsupported_primitive", { primitive: name }));
}

/** Types that are restricted to certain places, and the error for each. */
export const UNEXPECTED = {
  big_map: (loc: number) => permanent("michelson_v1.unexpected_lazy_storage", { loc }),
  operation: (loc: number) => permanent("michelson_v1.unexpected_operation", { loc }),
  ticket: (loc: number) => permanent("michelson_v1.unexpected_ticket", { loc }),
  contract: (loc: number) => permanent("michelson_v1.unexpected_contract", { loc }),
} as const;

/** Error for a primitive that is not allowed here: of the wrong namespace, or the wrong one in it. */
export function wrongPrimitive(
  found: string,
  expected: readonly string[],
  namespace: "instruction" | "type" | "constant",
  location: number,
): MichelsonError {
  const foundIn = namespaceOf(found);
  return new MichelsonError(
    foundIn === namespace
      ? permanent("michelson_v1.invalid_primitive", {
          location,
          expected_primitive_names: expected,
          wrong_primitive_name: found,
        })
      : permanent("michelson_v1.invalid_primitive_namespace", {
          location,
          primitive_name: found,
          expected_namespace: namespace,
          wrong_namespace: foundIn,
        }),
  );
}

/** Instructions are in capitals, constants start with one, types and keywords have none. */
function namespaceOf(prim: string): string {
  if (prim === "parameter" || prim === "storage" || prim === "code" || prim === "view") return "keyword";
  if (prim === "constant") return "constant_hash";
  if (/^[A-Z][a-z]/.test(prim)) return "constant";
  return /^[A-Z]/.test(prim) ? "instruction" : "type";
}

export const typeTooLarge = (location: number, most: number): MichelsonError =>
  new MichelsonError(permanent("michelson_v1.type_too_large", { loc: location, maximum_type_size: most }));
