// The sections of a contract's script: parameter, storage, code and views.
// Source of the errors and their order: Octez, `parse_toplevel` in `script_ir_translator.ml`.
import {
  type Arguments,
  hasArity,
  isPrim,
  isSequence,
  kindOf,
  type Micheline,
  type MichelinePrim,
} from "../../tezos/micheline.ts";
import { updateCost } from "./costs.ts";
import type { Scope } from "./instruction.ts";
import { viewName } from "./instructions/views.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";

/** Name, input, output and code of a view. */
export type ViewParts = Arguments<4>;

/** The code of each section. */
export interface ScriptSections {
  readonly parameter: Micheline;
  readonly storage: Micheline;
  readonly code: Micheline;
  readonly views: ReadonlyMap<string, ViewParts>;
}

const FIELDS = ["parameter", "storage", "code"] as const;

/** @throws MichelsonError when a section is missing, given twice or malformed */
export function splitScript(code: Micheline, scope: Scope): ScriptSections {
  const wrongKind = (node: Micheline, expected: string): MichelsonError =>
    new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: scope.location(node),
        expected_kinds: [expected],
        wrong_kind: kindOf(node),
      }),
    );
  if (!isSequence(code)) throw wrongKind(code, "sequence");
  const fields = new Map<string, MichelinePrim>();
  const views = new Map<string, ViewParts>();
  for (const section of code) {
    if (!isPrim(section)) throw wrongKind(section, "primitiveApplication");
    const args = section.args ?? [];
    const expected = section.prim === "view" ? 4 : 1;
    if (section.prim !== "view" && !FIELDS.includes(section.prim as "code"))
      throw new MichelsonError(
        permanent("michelson_v1.invalid_primitive", {
          location: scope.location(section),
          expected_primitive_names: [...FIELDS, "view"],
          wrong_primitive_name: section.prim,
        }),
      );
    if (args.length !== expected)
      throw new MichelsonError(
        permanent("michelson_v1.invalid_arity", {
          location: scope.location(section),
          primitive_name: section.prim,
          expected_arity: expected,
          wrong_arity: args.length,
        }),
      );
    if (section.prim === "view" && hasArity(args, 4)) addView(views, section, args, scope);
    else if (fields.has(section.prim))
      throw new MichelsonError(
        permanent("michelson_v1.duplicate_script_field", {
          loc: scope.location(section),
          prim: section.prim,
        }),
      );
    else fields.set(section.prim, section);
  }
  for (const field of FIELDS) {
    if (!fields.has(field))
      throw new MichelsonError(permanent("michelson_v1.missing_script_field", { prim: field }));
  }
  for (const section of fields.values()) {
    if (section.annots?.length)
      throw new MichelsonError(
        permanent("michelson_v1.unexpected_annotation", { location: scope.location(section) }),
      );
  }
  const [parameter, storage, body] = FIELDS.map((field) => fields.get(field)!.args![0]!);
  return { parameter: parameter!, storage: storage!, code: body!, views };
}

function addView(views: Map<string, ViewParts>, section: MichelinePrim, args: ViewParts, scope: Scope): void {
  const name = viewName(args[0], scope);
  scope.gas.spend(updateCost(name.length, views.size));
  if (views.has(name))
    throw new MichelsonError(
      permanent("michelson_v1.duplicated_view_name", { location: scope.location(section) }),
    );
  views.set(name, args);
}
