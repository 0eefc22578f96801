// Annotations of instructions: names for values (`@`), types (`:`) and fields or entrypoints (`%`). They have no effect
// except on entrypoints, and yet each instruction accepts only certain ones.
// Source: Octez, `script_ir_annot.ml`, and its uses in `parse_instr`.
import type { MichelinePrim } from "../../tezos/micheline.ts";
import type { Scope } from "./instruction.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import type { StackType } from "./stack-type.ts";

/** Most annotations of each kind, and special forms that only some instructions accept. */
interface Rule {
  readonly "@"?: number;
  readonly ":"?: number;
  readonly "%"?: number;
  readonly special?: readonly string[];
}

const NONE: Rule = {};
const VALUE: Rule = { "@": 1 };
const VALUE_AND_TYPE: Rule = { "@": 1, ":": 1 };
const CONSTRUCTOR: Rule = { "@": 1, ":": 1, "%": 2, special: ["%@"] };
const PART: Rule = { "@": 1, "%": 1, special: ["@%", "@%%"] };
const PARTS: Rule = { "@": 2, "%": 2, special: ["@%", "@%%"] };
const ENTRYPOINT: Rule = { "@": 1, "%": 1 };

/** Rules other than {@link VALUE}; undefined for instructions that accept anything. */
const RULES: Readonly<Record<string, Rule | undefined>> = {
  ...Object.fromEntries(
    "DROP DIG DUG SWAP IF IF_NONE IF_LEFT IF_CONS ITER LOOP DIP FAILWITH NEVER"
      .split(" ")
      .map((n) => [n, NONE]),
  ),
  ...Object.fromEntries(
    "UNIT SOME NONE MAP NIL EMPTY_SET EMPTY_MAP EMPTY_BIG_MAP UNPACK"
      .split(" ")
      .map((n) => [n, VALUE_AND_TYPE]),
  ),
  LEFT: CONSTRUCTOR,
  RIGHT: CONSTRUCTOR,
  CAR: PART,
  CDR: PART,
  CREATE_CONTRACT: { "@": 2 },
  CONTRACT: ENTRYPOINT,
  SELF: ENTRYPOINT,
  EMIT: ENTRYPOINT,
  MIN_BLOCK_TIME: undefined,
};

function ruleOf({ prim, args = [] }: MichelinePrim, stack: StackType): Rule | undefined {
  if (Object.hasOwn(RULES, prim)) return RULES[prim];
  switch (prim) {
    case "PAIR":
      return args.length === 0 ? CONSTRUCTOR : VALUE;
    case "UNPAIR":
      return args.length === 0 ? PARTS : NONE;
    case "SIZE":
      return stack.top?.prim === "list" ? VALUE_AND_TYPE : VALUE;
    case "MEM":
      return stack.head(2)[1]?.prim === "set" ? VALUE_AND_TYPE : VALUE;
    default:
      return VALUE;
  }
}

const MAX_LENGTH = 255;
/** A bare sign stands for an omitted name. */
const FORM = /^[@:%](?:[a-zA-Z_0-9][a-zA-Z_0-9.%@]*)?$/;

/** @throws MichelsonError unexpected_annotation, ungrouped_annotations */
export function checkAnnotations(node: MichelinePrim, stack: StackType, scope: Scope): void {
  const { annots = [] } = node;
  if (annots.length === 0) return;
  const rule = ruleOf(node, stack);
  if (!rule) return;
  const location = scope.location(node);
  const unexpectedAnnotation = (): MichelsonError =>
    new MichelsonError(permanent("michelson_v1.unexpected_annotation", { location }));
  if (rule === NONE) throw unexpectedAnnotation();
  const counts = { "@": 0, ":": 0, "%": 0 };
  let before: string | undefined;
  for (const annotation of annots) {
    if (!rule.special?.includes(annotation) && !(annotation.length <= MAX_LENGTH && FORM.test(annotation)))
      throw unexpectedAnnotation();
    const kind = annotation[0] as keyof typeof counts;
    // Annotations of one kind must be adjacent.
    if (kind !== before && counts[kind] > 0)
      throw new MichelsonError(permanent("michelson_v1.ungrouped_annotations", { location }));
    counts[kind]++;
    before = kind;
  }
  for (const kind of ["@", ":", "%"] as const)
    if (counts[kind] > (rule[kind] ?? 0)) throw unexpectedAnnotation();
}

/** Longest name of an entrypoint. */
const MAX_ENTRYPOINT = 31;

/**
 * Name of the entrypoint in an instruction's annotation, "default" when there is none.
 * @param mayBeDefault whether `%default` may be explicit
 * @throws MichelsonError unexpected_default_entrypoint, entrypoint_name_too_long
 */
export function entrypointOf(node: MichelinePrim, mayBeDefault: boolean, scope: Scope): string {
  const name = node.annots?.find((annotation) => annotation.startsWith("%"))?.slice(1);
  if (!name) return "default";
  if (name === "default" && !mayBeDefault)
    throw new MichelsonError(
      permanent("michelson_v1.unexpected_default_entrypoint", { location: scope.location(node) }),
    );
  if (name.length > MAX_ENTRYPOINT)
    throw new MichelsonError(permanent("michelson_v1.entrypoint_name_too_long", { name }));
  return name;
}
